"""A damaged journal, as callers are told of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from refusals import Reason, Refusal
from services.ledger.ports import JournalFault


@contextmanager
def damage_told() -> Iterator[None]:
    """Raises: Refusal JOURNAL_DAMAGED, with the entry's number, in the place of a fault of the journal."""
    try:
        yield
    except JournalFault as error:
        if error.number:
            detail = f"journal entry {error.number} is missing or cannot be read"
            raise Refusal(
                Reason.JOURNAL_DAMAGED, detail=detail, metadata={"journal_number": str(error.number)}
            ) from error
        raise Refusal(Reason.JOURNAL_DAMAGED, detail="the archive of the journal cannot be read") from error
