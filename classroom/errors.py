"""What can go wrong in a room, as one exception with a name that a phone understands."""

__all__ = ["RoomError"]

# The HTTP status of each name.
_STATUS = {
    "malformed": 400,
    "wrong_key": 401,
    "other_site": 403,
    "not_joined": 403,
    "no_room": 404,
    "not_open": 409,
    "not_now": 409,
    "changed": 409,
    "full": 409,
    "too_long": 413,
    "too_often": 429,
    "no_database": 503,
}


class RoomError(Exception):
    """A request that a room refuses.

    Parameters
    ----------
    name : str
        A short name for programs, one of `_STATUS`.
    message : str
        One sentence for people.

    Attributes
    ----------
    status : int
        The HTTP status that goes with the name.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name, self.message, self.status = name, message, _STATUS[name]
