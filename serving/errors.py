"""Why a service does not start."""


class StartError(Exception):
    """A service cannot start: one line, for the person who starts it, that says what to do.

    ``serve`` prints the text and exits with status 2.
    """
