"""Forward and inverse dynamics and energy: kernels over `CompiledModel.arrays` and `kinematics.make_work`'s records."""

from .aba import forward_dynamics
from .energy import mechanical_energy
from .residual import forward_residual
from .rnea import inverse_dynamics

__all__ = ["forward_dynamics", "forward_residual", "inverse_dynamics", "mechanical_energy"]
