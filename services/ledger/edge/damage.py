"""A damaged journal, as callers are told of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from refusals import Reason, Refusal
from services.ledger.ports import ArchiveAway, JournalFault


@contextmanager
def damage_told() -> Iterator[None]:
    """In the place of a fault of the journal.

    Raises: Refusal JOURNAL_DAMAGED: with the entry's number where it is known; STORE_UNAVAILABLE: the archive is
        another process's, or its disk does not answer.
    """
    try:
        yield
    except ArchiveAway as error:
        raise Refusal(Reason.STORE_UNAVAILABLE, detail=str(error)) from error
    except JournalFault as error:
        metadata = {"journal_number": str(error.number)} if error.number else {}
        raise Refusal(Reason.JOURNAL_DAMAGED, detail=str(error), metadata=metadata) from error
