"""One log out of what several seats saw of it: each entry as the seat that knows most about it was told."""

from cardroom.landlord.v1 import event_pb2 as landlord_pb2
from cardroom.mahjong.v1 import event_pb2 as mahjong_pb2
from cardroom.table.v1 import event_pb2, table_pb2

Numbered = tuple[int, event_pb2.TableEvent]


class Chorus:
    """Collects what all seats of a table receive and gives entries in order, once all seats have them."""

    def __init__(self, seat_count: int) -> None:
        self._positions = [-1] * seat_count
        self._versions: dict[int, dict[int, event_pb2.TableEvent]] = {}

    def hear(self, seat: int, message: table_pb2.WatchResponse) -> list[Numbered]:
        """Take a message a seat received. Returns: entries that are complete now, in order."""
        kind = message.WhichOneof("kind")
        if kind == "event":
            self._versions.setdefault(message.seq, {})[seat] = message.event
        if kind in ("snapshot", "event", "hidden"):
            self._positions[seat] = max(self._positions[seat], message.seq)
        complete = sorted(seq for seq in self._versions if seq <= min(self._positions))
        return [(seq, merged(self._versions.pop(seq))) for seq in complete]


def merged(versions: dict[int, event_pb2.TableEvent]) -> event_pb2.TableEvent:
    """All that the seats together know of one entry.

    Args:
        versions: the entry by the seat that received it, at least one.
    """
    whole = event_pb2.TableEvent()
    whole.CopyFrom(next(iter(versions.values())))
    if whole.WhichOneof("kind") == "landlord":
        _merge_cards(whole.landlord, versions)
    if whole.WhichOneof("kind") != "mahjong":
        return whole
    for seat, version in versions.items():
        if whole.mahjong.HasField("dealt") and not version.mahjong.dealt.hands[seat].hidden_count:
            whole.mahjong.dealt.hands[seat].CopyFrom(version.mahjong.dealt.hands[seat])
        elif _names_tile(version.mahjong):
            whole.CopyFrom(version)
    return whole


def _merge_cards(whole: landlord_pb2.Event, versions: dict[int, event_pb2.TableEvent]) -> None:
    """The hands as their owners were told them, and the bottom cards as the landlord was."""
    for seat, version in versions.items():
        if whole.HasField("dealt") and not version.landlord.dealt.hands[seat].hidden_count:
            whole.dealt.hands[seat].CopyFrom(version.landlord.dealt.hands[seat])
        elif whole.HasField("called") and not version.landlord.called.bottom.hidden_count:
            whole.called.bottom.CopyFrom(version.landlord.called.bottom)


def _names_tile(event: mahjong_pb2.Event) -> bool:
    return (event.HasField("drawn") and event.drawn.HasField("tile")) or (
        event.HasField("won") and event.won.HasField("tile")
    )
