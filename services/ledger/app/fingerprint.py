"""What makes two requests the same: a digest over a tuple of their fields, not over their bytes on the wire.

The epoch, the actor and the time are no part of it: a new owner that sends a settlement again must not pay twice.
"""

import hashlib

import orjson

from services.ledger.values import Freeze, Grant, Resumption, Reversal, Settlement, Void

_Field = str | int | tuple["_Field", ...]


def _digest(fields: tuple[_Field, ...]) -> str:
    return hashlib.sha256(orjson.dumps(fields)).hexdigest()


def settlement_fingerprint(settlement: Settlement) -> str:
    """64 hex digits; equal for equal content (PF-53). The order of legs counts, that of groups does not."""
    legs = tuple((leg.payer, leg.payee, leg.amount, leg.reason, leg.group) for leg in settlement.legs)
    groups = tuple(sorted((group.id, group.remainder_to) for group in settlement.groups))
    return _digest(
        ("settle/1", settlement.table, settlement.asset, settlement.seq, settlement.deal, legs, groups),
    )


def grant_fingerprint(grant: Grant) -> str:
    """64 hex digits; equal for equal content."""
    return _digest(("grant/1", grant.request_id, grant.account, grant.asset, grant.amount, grant.why))


def relief_fingerprint(relief: Grant) -> str:
    """64 hex digits; equal for equal content, and never that of a grant."""
    return _digest(("relief/1", relief.request_id, relief.account, relief.asset, relief.amount, relief.why))


def void_fingerprint(void: Void) -> str:
    """64 hex digits; equal for equal content, and never that of a settlement."""
    return _digest(("void/1", void.table, void.asset, void.seq, void.deal, void.why))


def freeze_fingerprint(freeze: Freeze) -> str:
    """64 hex digits; equal for equal content."""
    return _digest((f"{freeze.verb}/1", freeze.request_id, freeze.account, freeze.why))


def reversal_fingerprint(reversal: Reversal) -> str:
    """64 hex digits; equal for equal content. The legs follow from the entry and are no part of it."""
    return _digest(("reverse/1", reversal.request_id, reversal.asset, reversal.number, reversal.why))


def resumption_fingerprint(resumption: Resumption) -> str:
    """64 hex digits; equal for equal content."""
    return _digest(("resume/1", resumption.request_id, resumption.asset, resumption.number, resumption.why))
