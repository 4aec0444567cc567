"""A ledger with an archive, without a wire and without tasks of its own."""

from dataclasses import dataclass, field
from pathlib import Path

from services.ledger.adapters.segments import SegmentArchive
from services.ledger.app.archiving import Archiver
from services.ledger.app.audit import Auditor
from services.ledger.app.books import Books
from services.ledger.app.corrections import Corrections
from services.ledger.app.fold import BooksState
from services.ledger.app.funds import Funds
from services.ledger.app.journal import Journal
from services.ledger.app.statements import Statements
from services.ledger.app.stops import Stops
from services.ledger.values import Leg
from tests.services.ledger.rig import Rig

SEGMENT = 10
KEPT = 5


@dataclass(slots=True)
class Vault:
    """The books of one asset and their archive, in one process of the ledger."""

    rig: Rig
    asset: str
    folder: Path
    stops: Stops = field(default_factory=Stops)
    archive: SegmentArchive = field(init=False)
    """Ten entries a segment."""

    def __post_init__(self) -> None:
        self.archive = SegmentArchive(self.folder, segment_count=SEGMENT)
        assert self.archive.hold()

    @property
    def archiver(self) -> Archiver:
        """Copies; five entries stay in the store."""
        return Archiver(self.rig.store, self.archive, self.stops, kept_count=KEPT)

    @property
    def journal(self) -> Journal:
        """Reads both."""
        return Journal(self.rig.store, self.archive)

    @property
    def books(self) -> Books:
        """What services do."""
        return Books(self.rig.store, Funds({self.asset: 0}), journal=self.journal, stops=self.stops)

    @property
    def corrections(self) -> Corrections:
        """What operators do."""
        funds = Funds({self.asset: 0})
        return Corrections(self.rig.store, funds, journal=self.journal, archive=self.archive, stops=self.stops)

    @property
    def statements(self) -> Statements:
        """What players see."""
        return Statements(self.rig.store, self.journal, (self.asset,))

    async def verify(self) -> BooksState:
        """The state of the books, the archive included."""
        return await Auditor(self.rig.store, (self.asset,), 7, journal=self.journal).verify(self.asset)

    async def found(self) -> set[tuple[str, str, int]]:
        """Kinds, accounts and numbers of what is wrong with them."""
        return {(fault.kind, fault.account, fault.number) for fault in (await self.verify()).faults}

    async def play(self, first: int, last: int) -> None:
        """Settlements with these numbers: Ann pays Bob as much as the number says."""
        for seq in range(first, last + 1):
            await self.rig.settle(self.asset, seq, [Leg("ann", "bob", seq % 5, "win"), Leg("bob", "ann", 1, "rain")])

    async def stored(self) -> list[int]:
        """Numbers of the entries in the store."""
        return [entry.number for entry in await self.rig.store.next_entries(self.asset, 0, 1_000)]


async def played_vault(rig: Rig, folder: Path, settlements: int = 40) -> Vault:
    """Ann, Bob (entries 1, 2), their stake (3), and settlements; nothing is archived yet."""
    vault = Vault(rig, await rig.seated("t1", {"ann": 500, "bob": 500}), folder)
    await vault.play(1, settlements)
    return vault
