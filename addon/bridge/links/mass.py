# SPDX-License-Identifier: GPL-3.0-or-later
"""Compute the mass of a link from the volumes of its meshes."""

from dataclasses import dataclass

import numpy as np

from ....core.geometry.mass import mass_properties
from ....core.model import ModelError
from ....core.spatial import sym_shift
from ....core.spatial.arrays import det, matmul
from ...nodes import Node, model_name
from ...props.settings import link_settings
from ..meshes.solids import Solid
from ..values.numbers import shortest
from .bone_shapes import shape_of, solid_of_shape
from .parts import EvaluatedScene, parts_of

UPPER = np.triu_indices(3)  # xx, xy, xz, yy, yz, zz


@dataclass(frozen=True)
class MassProperties:
    """Mass properties of a link, in the link's axes.

    Attributes:
        mass: [kg].
        com: centre of mass [m].
        inertia: about the centre of mass: xx, xy, xz, yy, yz, zz [kg m^2].
        volume: [m^3].
        notes: assumptions that were necessary.
    """

    mass: float
    com: tuple[float, ...]
    inertia: tuple[float, ...]
    volume: float
    notes: tuple[str, ...] = ()


def is_weighed(link: Node) -> bool:
    """Return whether the link's mass or its centre of mass and inertia come from its meshes."""
    return link_settings(link).mass_source != "CUSTOM"


def weigh(link: Node, evaluated_scene: EvaluatedScene) -> MassProperties:
    """Return the mass properties of all visible meshes of the link, or of the shape of a bone without such meshes.

    A shape that was fitted to a character's mesh counts beside the meshes on the bone.

    The density is the link's, or follows from the mass that the user has set.

    Raises:
        ModelError: if the link has no mesh, or one that cannot be weighed.
    """
    notes: list[str] = []
    solids = []
    seen = [part for part in parts_of(link, evaluated_scene) if part.is_visual and part.has_mesh]
    for part in seen:
        if not len(part.mesh().starts) and len(seen) > 1:
            notes.append(f"'{part.name}' has an empty mesh, so it weighs nothing")
            continue
        if not len(part.mesh().vertices):
            raise ModelError(f"object '{part.name}' has an empty mesh: give it faces, or delete it")
        solid = part.source().solid
        notes += [note.format(part.name) for note in solid.notes]
        solids.append(_properties(solid, part.matrix, part.name, evaluated_scene.unit))
    has_own_shape = not solids or link_settings(link).is_fitted
    if has_own_shape and (shape := shape_of(link, evaluated_scene.unit)):
        solids.append(solid_of_shape(shape))
    if not solids:
        raise ModelError(
            f"link '{model_name(link)}' has no mesh to weigh: give it a mesh as a child, or set its mass to Custom"
        )
    volume = sum(solid.volume for solid in solids)
    com = sum(solid.volume * solid.com for solid in solids) / volume
    shifts = (np.array(sym_shift(solid.volume, (solid.com - com).tolist())) for solid in solids)
    inertia = sum(solid.inertia[UPPER] + shift for solid, shift in zip(solids, shifts, strict=True))
    settings = link_settings(link)
    mass = shortest(settings.mass) if settings.mass_source == "MASS" else shortest(settings.density) * volume
    inertia = inertia * (mass / volume)
    return MassProperties(mass, tuple((com + 0.0).tolist()), tuple(inertia.tolist()), volume, tuple(notes))


def _properties(solid: Solid, matrix: np.ndarray, name: str, unit: float):
    """Return the mass properties of a solid at density 1, in the link's axes [m]."""
    if not len(solid.triangles):
        raise ModelError(f"object '{name}' is flat: give it thickness, or set the link's mass to Custom")
    triangles = matmul(solid.triangles, matrix[:3, :3].T) + matrix[:3, 3]
    if det(matrix[:3, :3]) < 0.0:
        triangles = triangles[:, ::-1]
    try:
        return mass_properties(triangles * unit)
    except ValueError as error:
        raise ModelError(
            f"object '{name}' cannot be weighed, {error}: give it thickness, or set the link's mass to Custom"
        ) from error
