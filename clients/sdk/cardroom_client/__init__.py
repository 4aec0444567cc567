"""Client library of cardroom: queue for a room, play at its table, come back after any broken connection.

`Player` is a player and his login; `TableSession` is his seat at a table. `Scoring` asks the scoring service. Messages
are those of the public protos (`cardroom.table.v1`, `cardroom.mahjong.v1`, `cardroom.landlord.v1`,
`cardroom.matchmaker.v1`, `cardroom.scoring.v1`).
"""

from cardroom_client.place import LogGap
from cardroom_client.player import Player, TicketEnded
from cardroom_client.refused import OVERTAKEN, CallRefused, TooLate, refused
from cardroom_client.scoring import Hand, HandScored, NotationError, Scoring, ruleset
from cardroom_client.seat import Seat
from cardroom_client.session import FINAL_GOODBYES, Move, TableSession

__all__ = [
    "FINAL_GOODBYES",
    "OVERTAKEN",
    "CallRefused",
    "Hand",
    "HandScored",
    "LogGap",
    "Move",
    "NotationError",
    "Player",
    "Scoring",
    "Seat",
    "TableSession",
    "TicketEnded",
    "TooLate",
    "refused",
    "ruleset",
]
