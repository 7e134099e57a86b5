"""URDF: files to models (`read`) and models to files (`write`, over `tree`)."""
