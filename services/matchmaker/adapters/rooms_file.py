"""The file of rooms that ships with the service: TOML, one table a room, fields as in `ports.Room`."""

import tomllib
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from services.matchmaker.app.rooms import RoomProblem, parse_room
from services.matchmaker.ports import Room


class RoomsFileError(Exception):
    """The file of rooms cannot be used; the text names file, room and field."""


def read_rooms(path: Path | None) -> tuple[Room, ...]:
    """The rooms of a file, of the shipped one where `path` is None, by id.

    Raises: RoomsFileError: no such file, no TOML, or a room that is not acceptable.
    """
    source: Traversable = path or files("services.matchmaker") / "rooms.toml"
    try:
        rows = tomllib.loads(source.read_text("utf-8"))
        return tuple(parse_room(room_id, rows[room_id]) for room_id in sorted(rows))
    except OSError as error:
        raise RoomsFileError(f"{source}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RoomsFileError(f"{source}: is no TOML ({error})") from error
    except RoomProblem as problem:
        raise RoomsFileError(f"{source}: {problem}") from problem
