"""The form of every date on the desk."""

from datetime import datetime


def written(at: datetime | str) -> str:
    """Return a local time as `Mon 30 Nov 2026, 23:59`; text that is not a date is unchanged.

    Args:
        at: A time in the course's zone, or its ISO form from a file.
    """
    try:
        at = datetime.fromisoformat(at) if isinstance(at, str) else at
    except ValueError:
        return str(at)
    return f"{at:%a %d %b %Y, %H:%M}"
