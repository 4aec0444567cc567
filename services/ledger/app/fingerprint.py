"""What makes two requests the same: a digest over a tuple of their fields, not over their bytes on the wire.

The epoch, the actor and the time are no part of it: a new owner that sends a settlement again must not pay twice.
"""

import hashlib
import json

from services.ledger.values import Grant, Settlement

_Field = str | int | tuple["_Field", ...]


def _digest(fields: tuple[_Field, ...]) -> str:
    text = json.dumps(fields, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


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
