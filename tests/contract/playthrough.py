"""Golden playthroughs: a deal as a text that a person can read, from arranged tiles to its payments.

    Two winners on one discard.
    rules BB-12 BB-13
    variant bloody4
    option stake 2
    dealer 3
    hand 0 122335567789p2s
    ...
    draws 5p8s1s
    balances 2 50 50 50

    > 3 discard 8p
        3 discards 8p
        0 draws 5p

A line with ">" is an action, the lines below it what it caused. `close` closes the question
that stands open (who has not answered passes); one that nobody is asked about closes by itself.
`deal` in the head is the number of deals played before, `dice` the first dice; those left out show 1; `doubled` the
exhaustive draws just before (SH-33); `option escape_penalty` what a player pays who leaves.
`python -m tests.contract.playthrough --write` writes the caused lines of all files anew: then
read the difference beside the rules.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from games.catalog import variants_of
from games.kernel import IllegalAction, pay
from games.mahjong import actions as asked
from games.mahjong.actions import Action
from games.mahjong.events import Ended, Event, Won
from games.mahjong.game import GAME
from games.mahjong.ruleset import Ruleset
from games.mahjong.script import VERBS, Arranged, check_arranged
from games.mahjong.state import QUESTIONS
from games.mahjong.tiles import parse
from games.mahjong.variant import FAMILY, Variant
from games.mahjong.wall import arrange
from tests.contract.golden_texts import golden_texts
from tests.contract.words import lines_of

HEAD_WORDS = (
    "rules",
    "variant",
    "option",
    "dealer",
    "hand",
    "draws",
    "replacements",
    "balances",
    "deal",
    "dice",
    "doubled",
)
TABLE_VERBS = {"timeout": asked.Timeout}


@dataclass
class Playthrough:
    """A golden file.

    Attributes:
        name: the file's, without its ending.
        head: the lines before the first action, as written.
        actions: as written, such as "3 discard 8p" or "close".
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
    draws: tuple[int, ...] = ()
    replacements: tuple[int, ...] = ()
    deal_index: int = 0
    dice: tuple[int, ...] = ()
    draws_in_row: int = 0
    balances: tuple[int, ...] = ()

    def ruleset(self) -> Ruleset:
        """The rules it is played by."""
        options = dict(self.options)
        stake, penalty = options.pop("stake", 1), options.pop("escape_penalty", 0)
        assert isinstance(stake, int) and isinstance(penalty, int)
        return variants_of(Variant)[self.variant].ruleset(options, stake, penalty)

    def arranged(self) -> Arranged:
        """Its tiles."""
        hands = tuple(self.hands[seat] for seat in sorted(self.hands))
        return Arranged(self.dealer, hands, self.draws, self.replacements, self.draws_in_row)

    def moves(self) -> tuple[Action, ...]:
        """Its actions as values."""
        return tuple(action_of(line) for line in self.actions)


def golden_files() -> list[Path]:
    """All playthroughs of all variants of the family."""
    return golden_texts(FAMILY)


def read(path: Path) -> Playthrough:
    """A golden file as a value."""
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines()
    start = next(index for index, line in enumerate(lines) if line.startswith(">"))
    head = lines[:start]
    actions = [line[1:].strip() for line in lines[start:] if line.startswith(">")]
    found = Playthrough(path.stem, head, actions, text)
    for line in head:
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
        found.options[name] = {"true": True, "false": False}.get(value, int(value) if value.isdigit() else value)
    elif word == "dealer":
        found.dealer = int(rest)
    elif word == "hand":
        seat, tiles = rest.split()
        found.hands[int(seat)] = parse(tiles)
    elif word == "draws":
        found.draws = parse(rest)
    elif word == "replacements":
        found.replacements = parse(rest)
    elif word == "deal":
        found.deal_index = int(rest)
    elif word == "doubled":
        found.draws_in_row = int(rest)
    elif word == "dice":
        found.dice = tuple(map(int, rest.split()))
    else:
        found.balances = tuple(map(int, rest.split()))


def action_of(line: str) -> Action:
    """The action that a line asks for."""
    if line == "close":
        return asked.CloseQuestion()
    seat, verb, *tiles = line.split()
    if verb in TABLE_VERBS:
        return TABLE_VERBS[verb](int(seat))
    return VERBS[verb](int(seat), *parse("".join(tiles)))


def played(golden: Playthrough) -> tuple[list[str], list[Event]]:
    """The text of a playthrough as the rules play it now, and its events."""
    table = _Table(golden)
    lines = [*golden.head]
    for line, action in zip(golden.actions, golden.moves(), strict=True):
        lines.append(f"> {line}")
        lines += [f"    {word}" for word in table.act(action)]
    return lines, table.events


class _Table:
    """A deal under way, with the balances of its players."""

    def __init__(self, golden: Playthrough) -> None:
        rules, arranged = golden.ruleset(), golden.arranged()
        check_arranged(rules, arranged)
        self.balances: Sequence[int] = golden.balances
        self.events: list[Event] = []
        self.state = GAME.initial(
            rules, arranged.dealer, deal_index=golden.deal_index, draws_in_row=arranged.draws_in_row
        )
        dice = (*golden.dice, *(1,) * (GAME.dice_count(rules) - len(golden.dice)))
        wall = arrange(rules, arranged.dealer, arranged.hands, arranged.draws, dice, arranged.replacements)
        self._happen(GAME.open(self.state, wall, dice, tail_count=len(arranged.replacements)))
        self._happen(GAME.decide(self.state, asked.Deal()))
        list(self._close_unasked())

    def act(self, action: Action) -> Iterator[str]:
        """Play an action; what it causes, in words."""
        try:
            events = GAME.decide(self.state, action)
        except IllegalAction as refusal:
            yield f"refused: {refusal}"
            return
        yield from self._happen(events)
        yield from self._close_unasked()

    def _close_unasked(self) -> Iterator[str]:
        """A question that nobody is asked about closes by itself."""
        while self.state.phase in QUESTIONS and not GAME.awaiting(self.state):
            yield from self._happen(GAME.decide(self.state, asked.CloseQuestion()))

    def _happen(self, events: Sequence[Event]) -> list[str]:
        words: list[str] = []
        rain = bool(self.state.ruleset.rain_bases)
        for event in events:
            self.state = GAME.evolve(self.state, event)
            self.events.append(event)
            if not isinstance(event, Won | Ended):
                words += lines_of(event, rain=rain)
                continue
            paid = pay(self.balances, event.payments)
            self.balances = paid.balances
            words += lines_of(event, paid.lines, rain=rain)
            if isinstance(event, Ended):
                following = "nobody" if event.next_dealer is None else event.next_dealer
                words.append(f"balances {' '.join(map(str, self.balances))}; {following} deals next")
        return words


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
