"""A variant's named options as google.protobuf.Struct."""

from collections.abc import Mapping

from google.protobuf.struct_pb2 import Struct

from games.kernel import OptionError


def options_to_struct(options: Mapping[str, object]) -> Struct:
    """Options as a Struct; values are booleans, whole numbers or words."""
    struct = Struct()
    for name, value in options.items():
        assert isinstance(value, bool | int | str), name
        struct[name] = value
    return struct


def options_from_struct(struct: Struct) -> dict[str, object]:
    """Options from a Struct; whole numbers become ints.

    Raises:
        OptionError: a value that is neither boolean, whole number nor word.
    """
    return {name: _value(name, struct[name]) for name in struct}


def _value(name: str, value: object) -> object:
    if isinstance(value, bool | str):
        return value
    if isinstance(value, float) and value.is_integer() and abs(value) < 1 << 53:
        return int(value)
    raise OptionError(name, "a boolean, a whole number or a word")
