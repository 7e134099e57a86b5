"""The one place that says which version this is (blender_manifest.toml repeats it; a test compares them)."""

VERSION = "0.1.0"
