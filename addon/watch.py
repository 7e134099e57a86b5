"""Tells the rest of the add-on that the scene has changed: caches are dropped, and never outlive what they hold."""
