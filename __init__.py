"""Limberjack, as a Blender extension and as a Python package.

Every import stands inside a function: tests and the command line import this file where Blender is absent.
"""


def register():
    from .addon import registry

    registry.register()


def unregister():
    from .addon import registry

    registry.unregister()
