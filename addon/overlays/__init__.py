"""What is drawn over the 3D view, and takes no clicks."""
