# SPDX-License-Identifier: GPL-3.0-or-later
"""Springs and dampers that a joint gives by a time constant and a damping ratio, in place of their coefficients.

With the inertia I that the joint moves, the time constant tau and the damping ratio zeta, the stiffness is
I / (tau zeta)^2 and the damping 2 I / tau.

Source: MuJoCo documentation, XML Reference, "joint/springdamper".
"""

from __future__ import annotations

from ....model import Axis, Model
from ...findings import Findings
from ..tree.assembly import Assembled
from .inertias import LEAST, Inertias


def set_springs(model: Model, assembled: Assembled, inertias: Inertias, findings: Findings) -> None:
    """Set stiffness and damping of the joints that have `springdamper`."""
    for place in assembled.places:
        element = place.part.element
        if "springdamper" not in element.attributes or not place.joint:
            continue
        time, ratio = findings.attribute_vector(element, "springdamper", (0.0, 0.0))
        if time == ratio == 0.0:
            continue
        if time <= 0.0 or ratio <= 0.0:
            found = element.attributes["springdamper"]
            message = f"springdamper is '{found}'; a time constant and a damping ratio must be above 0"
            findings.error(element, "bad-number", message)
            continue
        inertia, settings = inertias.free(place), place.part.around.file.settings
        joint = model.joint(place.joint)
        axes: list[Axis] = joint.axes[:3] if place.kind == "ball" else [joint.axes[place.axis]]
        for axis in axes:
            if settings.springs:
                axis.spring_stiffness = inertia / max(LEAST, time * time * ratio * ratio)
            if settings.dampers:
                axis.damping = 2.0 * inertia / max(LEAST, time)
