"""The keys of an asset's books: all under one hash tag, so that one script reaches them on a cluster too."""

from dataclasses import dataclass
from typing import Final

REQUEST_IDS: Final = "{ledger}:requests"
"""Hash: request id -> fingerprint, over all assets."""


@dataclass(frozen=True, slots=True)
class Keys:
    """Key names of one asset.

    ``balance`` hash: account -> units. ``lock`` hash: account -> table. ``frozen`` set of accounts.
    ``head`` hash: number and hash of the last entry. ``journal`` stream: entry n has the id n-0.
    ``last`` hash: account -> number of its last entry.
    ``requests`` hash: request id -> fingerprint and result of an operator's call; '#' and an entry's number -> what
    reversed it.
    """

    tag: str

    @classmethod
    def of(cls, asset: str) -> "Keys":
        """The keys of an asset."""
        return cls(f"{{ledger:{asset}}}")

    @property
    def balance(self) -> str:
        """Hash: account -> units."""
        return f"{self.tag}:balance"

    @property
    def lock(self) -> str:
        """Hash: account -> table that has it locked."""
        return f"{self.tag}:lock"

    @property
    def frozen(self) -> str:
        """Set of frozen accounts."""
        return f"{self.tag}:frozen"

    @property
    def head(self) -> str:
        """Hash: number and hash of the last journal entry; whether the books are wrong; where the archive ends."""
        return f"{self.tag}:head"

    @property
    def journal(self) -> str:
        """Stream: entry n has the id n-0 and the fields body and hash."""
        return f"{self.tag}:journal"

    @property
    def last(self) -> str:
        """Hash: account -> number of its last journal entry."""
        return f"{self.tag}:last"

    @property
    def requests(self) -> str:
        """Hash: request id -> fingerprint and result; '#' and an entry's number -> number of its reversal."""
        return f"{self.tag}:requests"

    def table(self, table: str) -> str:
        """Hash: a table's epoch, last seq and entry, stake held, a ring of its last results and their fingerprints."""
        return f"{self.tag}:table:{table}"

    def scripted(self, record: str) -> tuple[str, ...]:
        """The keys as every script takes them; ``record`` is a table's record, or the requests."""
        return (self.balance, self.lock, self.frozen, self.head, self.journal, self.last, record)
