"""Golden playthroughs: a deal as a text that a person can read, from arranged cards to its payments.

    A blind call, and spring.
    rules TY-12 TY-32
    variant tingyong
    option room 5000
    dealer 1
    hand 0 S4 H4 S5 ...
    ...
    bottom SQ HQ D4
    balances 5000 6000 7000

    > 1 pass
        1 passes the bidding

A line with ">" is an action (`0 timeout`: the turn clock ran out), the lines below it what it
caused. `python -m tests.contract.landlord.playthrough --write` writes the caused lines of all
files anew: then read the difference beside the rules.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from games.kernel import IllegalAction, pay
from games.landlord import actions as asked
from games.landlord.actions import Action
from games.landlord.cards import parse
from games.landlord.events import Ended, Event
from games.landlord.game import GAME
from games.landlord.script import Arranged, dealt, parse_action
from games.landlord.variant import FAMILY
from tests.contract.golden_texts import golden_texts
from tests.contract.landlord.deals import rules_of
from tests.contract.landlord.words import lines_of

HEAD_WORDS = ("rules", "variant", "option", "dealer", "hand", "bottom", "balances")
TIMEOUT = "timeout"


@dataclass
class Playthrough:
    """A golden file.

    Attributes:
        name: the file's, without its ending.
        head: the lines before the first action, as written.
        actions: as written, such as "0 play S4 H4".
        text: the whole file.
    """

    name: str
    head: list[str]
    actions: list[str]
    text: str
    rules: list[str] = field(default_factory=list)
    variant: str = ""
    options: dict[str, object] = field(default_factory=dict)
    dealer: int = 0
    hands: dict[int, tuple[int, ...]] = field(default_factory=dict)
    bottom: tuple[int, ...] = ()
    balances: tuple[int, ...] = ()

    def arranged(self) -> Arranged:
        """Its cards."""
        return Arranged(self.dealer, tuple(self.hands[seat] for seat in sorted(self.hands)), self.bottom)


def golden_files() -> list[Path]:
    """All playthroughs of the family."""
    return golden_texts(FAMILY)


def read(path: Path) -> Playthrough:
    """A golden file as a value."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(">"))
    found = Playthrough(path.stem, lines[:start], [line[1:].strip() for line in lines if line.startswith(">")], text)
    for line in found.head:
        word, _, rest = line.partition(" ")
        if word in HEAD_WORDS and rest:
            _read_head(found, word, rest.strip())
    return found


def _read_head(found: Playthrough, word: str, rest: str) -> None:
    if word == "rules":
        found.rules += rest.split()
    elif word == "variant":
        found.variant = rest
    elif word == "option":
        name, value = rest.split()
        found.options[name] = value if name == "room" else int(value)
    elif word == "dealer":
        found.dealer = int(rest)
    elif word == "hand":
        seat, _, cards = rest.partition(" ")
        found.hands[int(seat)] = parse(cards)
    elif word == "bottom":
        found.bottom = parse(rest)
    else:
        found.balances = tuple(map(int, rest.split()))


def action_of(line: str) -> Action:
    """The action that a line asks for."""
    seat, verb = line.split()[:2]
    return asked.Timeout(int(seat)) if verb == TIMEOUT else parse_action(0, line)


def played(golden: Playthrough) -> tuple[list[str], list[Event]]:
    """The text of a playthrough as the rules play it now, and its events."""
    table = _Table(golden)
    lines = [*golden.head]
    for line in golden.actions:
        lines.append(f"> {line}")
        lines += [f"    {word}" for word in table.act(line)]
    return lines, table.events


class _Table:
    """A deal under way, with the balances of its players."""

    def __init__(self, golden: Playthrough) -> None:
        self.balances: Sequence[int] = golden.balances
        self.state, self.events = dealt(rules_of(golden.options), golden.arranged())

    def act(self, line: str) -> Iterator[str]:
        """Play an action; what it causes, in words."""
        try:
            events = GAME.decide(self.state, action_of(line))
        except IllegalAction as refusal:
            yield f"refused: {refusal}"
            return
        for event in events:
            paid = pay(self.balances, event.payments) if isinstance(event, Ended) else None
            yield from lines_of(self.state, event, () if paid is None else paid.lines)
            self.state = GAME.evolve(self.state, event)
            self.events.append(event)
            if paid is not None and isinstance(event, Ended):
                self.balances = paid.balances
                yield f"balances {' '.join(map(str, self.balances))}; {event.next_dealer} bids first next"


def main() -> int:
    """Write the caused lines of all files anew."""
    if sys.argv[1:] != ["--write"]:
        print(__doc__)
        return 2
    for path in golden_files():
        golden = read(path)
        text = "\n".join(played(golden)[0]) + "\n"
        if text != golden.text:
            path.write_text(text, encoding="utf-8")
            print(f"written: {path.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
