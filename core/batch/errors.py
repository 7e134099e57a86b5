class BatchError(Exception):
    """A batch cannot be run as it is asked for: one sentence for the user."""
