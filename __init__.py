"""Limberjack, as a Blender extension and as a Python package.

Every import stands inside a function: tests and the command line import this file where Blender is absent.
"""


def register():
    import gc

    was_enabled = gc.isenabled()
    gc.disable()  # a collection goes through all that Blender has loaded, and nothing that is made here is garbage
    try:
        from .addon import registry

        registry.register()
    finally:
        if was_enabled:
            gc.enable()


def unregister():
    from .addon import registry

    registry.unregister()
