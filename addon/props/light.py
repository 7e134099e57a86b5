# SPDX-License-Identifier: GPL-3.0-or-later
"""The properties of a light for model files, in which lights have coefficients of attenuation."""

from bpy.props import FloatProperty, FloatVectorProperty
from bpy.types import PropertyGroup

from .overriding import let_override


@let_override
class LightProperties(PropertyGroup):
    """The attenuation of a light in model files.

    At a distance d [m], the fraction 1 / (constant + linear d + quadratic d^2) of its intensity remains.
    """

    specular: FloatVectorProperty(
        name="Specular",
        description="Colour of highlights",
        subtype="COLOR",
        size=4,
        default=(0.1, 0.1, 0.1, 1.0),
        min=0,
    )
    range: FloatProperty(name="Range", description="How far the light reaches", default=100.0, min=0.0, unit="LENGTH")
    constant: FloatProperty(name="Constant", description="Constant attenuation", min=0.0)
    linear: FloatProperty(name="Linear", description="Linear attenuation (1/m)", min=0.0)
    quadratic: FloatProperty(name="Quadratic", description="Quadratic attenuation (1/m²)", default=1.0, min=0.0)
    falloff: FloatProperty(
        name="Spot Fall-off",
        description="How the light of a spot fades from the inner cone to the outer one",
        default=1.0,
        min=0.0,
    )
