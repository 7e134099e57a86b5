"""How operators tell the user what went wrong, or what they should know."""

from .. import ids


def fail(operator, context, error: Exception | str) -> set[str]:
    """Report an error, and keep it for the panel."""
    status = getattr(context.window_manager, ids.STATUS)
    status.error, status.diagnoses = str(error), "\n".join(map(str, getattr(error, "diagnoses", ())))
    operator.report({"ERROR"}, str(error))
    return {"CANCELLED"}


def succeed(operator, context, message: str, notes=()) -> set[str]:
    """Report what was done, then what the user should know about it."""
    status = getattr(context.window_manager, ids.STATUS)
    status.error = status.diagnoses = ""
    operator.report({"INFO"}, message)
    for note in notes:
        operator.report({"WARNING"}, note)
    return {"FINISHED"}


def in_object_mode(cls, context) -> bool:
    if context.mode == "OBJECT":
        return True
    cls.poll_message_set("Switch to Object Mode first")
    return False
