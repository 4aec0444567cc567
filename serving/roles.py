"""Who may call what: the one table, and which key signs for which role."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class Purpose(StrEnum):
    """What a signing key is for."""

    PLAYER = "player"
    SEAT = "seat"
    SERVICE = "service"


SERVICE = Purpose.SERVICE
ANONYMOUS = "anonymous"

PURPOSE_OF_ROLE: Mapping[str, Purpose] = MappingProxyType(
    {
        "player": Purpose.PLAYER,
        "seat": Purpose.SEAT,
        "spectator": Purpose.SEAT,
        "login": Purpose.SERVICE,
        "table": Purpose.SERVICE,
        "matchmaker": Purpose.SERVICE,
        "scoring-caller": Purpose.SERVICE,
        "operator": Purpose.SERVICE,
    }
)
"""Roles a token may carry, and the key that must have signed it."""

TABLE_BOUND: Mapping[str, Mapping[str, type]] = MappingProxyType(
    {"seat": {"table_id": str, "seat": int}, "spectator": {"table_id": str}}
)
"""Claims that a role's tokens must carry."""

_TABLE = "/cardroom.table.v1.TableService/"
_CONTROL = "/cardroom.table.v1.TableControlService/"
_MATCHMAKER = "/cardroom.matchmaker.v1.MatchmakerService/"
_ROOM = "/cardroom.matchmaker.v1.RoomService/"
_POD = "/cardroom.matchmaker.v1.PodService/"
_SEAT = "/cardroom.matchmaker.v1.SeatService/"
_SCORING = "/cardroom.scoring.v1.ScoringService/"
_LEDGER = "/cardroom.ledger.v1.LedgerService/"
_ACCOUNT = "/cardroom.ledger.v1.AccountService/"
_ADMIN = "/cardroom.ledger.v1.AccountAdminService/"
_AUDIT = "/cardroom.ledger.v1.AuditService/"

_ROOM_READERS = frozenset({"player", "operator", "login", "matchmaker", "table"})
_SCORERS = frozenset({"scoring-caller", "table", "operator", ANONYMOUS})

METHOD_ROLES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        _TABLE + "Watch": frozenset({"seat", "spectator"}),
        _TABLE + "Act": frozenset({"seat"}),
        _TABLE + "SetReady": frozenset({"seat"}),
        _TABLE + "SetTrustee": frozenset({"seat"}),
        _TABLE + "Heartbeat": frozenset({"seat"}),
        _TABLE + "Leave": frozenset({"seat"}),
        _TABLE + "GetSnapshot": frozenset({"seat", "spectator"}),
        _TABLE + "GetReplay": frozenset({"seat", "spectator", "operator"}),
        _CONTROL + "CreateTable": frozenset({"matchmaker"}),
        _CONTROL + "ListTables": frozenset({"operator", "matchmaker"}),
        _MATCHMAKER + "JoinQueue": frozenset({"player"}),
        _MATCHMAKER + "WatchTicket": frozenset({"player"}),
        _MATCHMAKER + "CancelTicket": frozenset({"player"}),
        _MATCHMAKER + "GetMySeat": frozenset({"player"}),
        _MATCHMAKER + "GetSpectatorToken": frozenset({"player"}),
        _ROOM + "ListRooms": _ROOM_READERS,
        _ROOM + "GetRoom": _ROOM_READERS,
        _POD + "ListPods": frozenset({"operator"}),
        _SEAT + "ReleaseSeats": frozenset({"table"}),
        _SCORING + "ScoreWin": _SCORERS,
        _SCORING + "BatchScoreWins": _SCORERS,
        _SCORING + "ScoreWins": _SCORERS,
        _SCORING + "ListWaits": _SCORERS,
        _SCORING + "AdviseDiscard": _SCORERS,
        _SCORING + "ReadCards": _SCORERS,
        _SCORING + "ListPlays": _SCORERS,
        _SCORING + "SettleDeal": _SCORERS,
        _SCORING + "ReplayDeal": _SCORERS,
        _SCORING + "ListRulesets": _SCORERS,
        _SCORING + "GetRuleset": _SCORERS,
        _LEDGER + "OpenAccount": frozenset({"login"}),
        _LEDGER + "GetBalances": frozenset({"table", "matchmaker", "login", "operator"}),
        _LEDGER + "ReserveStake": frozenset({"table"}),
        _LEDGER + "ReleaseStake": frozenset({"table", "operator"}),
        _LEDGER + "Claim": frozenset({"table"}),
        _LEDGER + "Settle": frozenset({"table"}),
        _LEDGER + "Void": frozenset({"table"}),
        _LEDGER + "Penalize": frozenset({"table"}),
        _ACCOUNT + "GetAccount": frozenset({"player", "operator"}),
        _ACCOUNT + "ListStatement": frozenset({"player", "operator"}),
        _ADMIN + "Grant": frozenset({"operator"}),
        _ADMIN + "GrantRelief": frozenset({"operator"}),
        _ADMIN + "FreezeAccount": frozenset({"operator"}),
        _ADMIN + "UnfreezeAccount": frozenset({"operator"}),
        _ADMIN + "Reverse": frozenset({"operator"}),
        _ADMIN + "ResumeBooks": frozenset({"operator"}),
        _AUDIT + "VerifyBooks": frozenset({"operator"}),
        _AUDIT + "GetTotals": frozenset({"operator"}),
        _AUDIT + "ExportJournal": frozenset({"operator"}),
        _AUDIT + "WatchDeals": frozenset({"operator"}),
    }
)
"""Full method name -> roles that may call it. A method without a row is refused.

``anonymous`` is a caller without a token, where the setting ``anonymous_allowed`` is on.
"""

OPEN_SERVICES = frozenset({"grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"})
"""Services anybody may ask, without a token and a deadline."""
