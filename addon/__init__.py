"""The Blender add-on. It asks core for everything that is not Blender's own.

What a module may import, each only from those to its right:
panels -> ops, gizmos -> overlays, bake -> bridge -> props -> ids.
"""
