"""What is dragged in the 3D view."""
