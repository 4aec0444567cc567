"""A viewer's place in a table's log."""

from cardroom.table.v1 import table_pb2


class LogGap(AssertionError):
    """The server skipped or rewrote a part of the log: a fault of the server, never of the game."""


class Place:
    """The last entry a viewer has, and what a message does to it (PF-34).

    Attributes:
        seq: number of the last entry; None before the first snapshot.
        epoch: the table's epoch last heard of; 0 if none.
    """

    def __init__(self) -> None:
        self.seq: int | None = None
        self.epoch = 0

    def accept(self, message: table_pb2.WatchResponse) -> bool:
        """Whether a message is new to the viewer; moves the place on.

        Raises: LogGap: an entry is missing between the place and the message.
        """
        rule = _RULES.get(message.WhichOneof("kind") or "")
        news = rule is not None and rule(self, message)  # a kind of a later version is not for us
        self.epoch = max(self.epoch, message.epoch)
        return news

    def _snapshot(self, message: table_pb2.WatchResponse) -> bool:
        if self.seq is not None and message.seq < self.seq and not message.snapshot.rewound:
            raise LogGap(f"a snapshot at {message.seq} after entry {self.seq}, not marked as rewound")
        self.seq = message.seq
        return True

    def _entry(self, message: table_pb2.WatchResponse) -> bool:
        if self.seq is None:
            raise LogGap(f"entry {message.seq} before any snapshot")
        if message.seq <= self.seq:
            return False
        if message.seq != self.seq + 1:
            raise LogGap(f"entry {message.seq} after entry {self.seq}")
        self.seq = message.seq
        return True

    def _prompt(self, message: table_pb2.WatchResponse) -> bool:
        return self.seq is not None and message.seq >= self.seq

    def _presence(self, message: table_pb2.WatchResponse) -> bool:
        return self.seq is not None

    def _heartbeat(self, message: table_pb2.WatchResponse) -> bool:
        return False  # it says only that the stream is alive

    def _goodbye(self, message: table_pb2.WatchResponse) -> bool:
        return True


_RULES = {
    "snapshot": Place._snapshot,
    "event": Place._entry,
    "hidden": Place._entry,
    "prompt": Place._prompt,
    "presence": Place._presence,
    "heartbeat": Place._heartbeat,
    "goodbye": Place._goodbye,
}
