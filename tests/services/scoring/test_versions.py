"""A ruleset's versions live side by side: each request gets the one it pins, and the answer says which."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cardroom.mahjong.v1 import event_pb2
from cardroom.scoring.v1 import scoring_pb2

from games import catalog
from games import variants as variants_room
from refusals import Reason
from tests.services.scoring.rig import RICH_RECORD, refused

SECOND = '''"""四人血战 as it might be played one day: 归 adds two."""

from dataclasses import replace

from games.mahjong.hand import Score, WinningHand
from games.mahjong.ruleset import Ruleset
from games.variants.bloody import VARIANTS as FIRST
from games.variants.bloody import fans


def _score(rules: Ruleset, hand: WinningHand) -> Score | None:
    score = fans.score(rules, hand)
    if score is None:
        return None
    more = tuple(replace(fan, value=2 * fan.value) if fan.fan_id == "gui" else fan for fan in score.fans)
    total = sum(fan.value for fan in more)
    return Score(more, total, fans.amount_of(rules, total, hand.by))


def _second(options, stake, escape_penalty):
    rules = FIRST[0].make_ruleset(options, stake, escape_penalty)
    return replace(rules, version=2, judgement=replace(rules.judgement, score=_score))


VARIANTS = (replace(FIRST[0], version=2, make_ruleset=_second),)
'''
FOUR_ALIKE = "111123456p345s9s"


@pytest.fixture
def second_version(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A room beside the others in which bloody4 has a second version."""
    (tmp_path / "bloody_second.py").write_text(SECOND)
    monkeypatch.setattr(variants_room, "__path__", [*variants_room.__path__, str(tmp_path)])
    catalog.editions.cache_clear()
    catalog.variants.cache_clear()
    yield
    monkeypatch.undo()
    sys.modules.pop("games.variants.bloody_second", None)
    catalog.editions.cache_clear()
    catalog.variants.cache_clear()


def asking(version: int) -> scoring_pb2.ScoreWinRequest:
    request = scoring_pb2.ScoreWinRequest(win_notation="9s", by=event_pb2.WIN_BY_SELF)
    request.ruleset.variant, request.ruleset.version = "bloody4", version
    request.hand.notation = FOUR_ALIKE
    return request


@pytest.mark.usefixtures("second_version")
async def test_two_versions_of_a_ruleset_are_answered_side_by_side(scoring: Any) -> None:
    """A pinned version is answered by its rules, an unpinned one by the newest; the reply names it."""
    first, second, newest = [await scoring.ScoreWin(asking(version)) for version in (1, 2, 0)]
    assert [answer.version for answer in (first, second, newest)] == [1, 2, 2]
    assert (first.win.fan_total, second.win.fan_total) == (1, 2)
    assert newest == second
    listed = await scoring.ListRulesets(scoring_pb2.ListRulesetsRequest())
    assert next(list(one.versions) for one in listed.rulesets if one.variant == "bloody4") == [1, 2]
    described = await scoring.GetRuleset(scoring_pb2.GetRulesetRequest(variant="bloody4", version=1))
    assert (described.version, list(described.versions)) == (1, [1, 2])
    refusal = await refused(scoring.ScoreWin(asking(3)))
    assert (refusal.reason, refusal.field) == (Reason.RULESET_UNKNOWN, "ruleset.version")
    assert "1, 2" in refusal.detail


@pytest.mark.usefixtures("second_version")
async def test_an_old_record_is_settled_and_replayed_by_the_version_it_was_played_by(scoring: Any) -> None:
    """A record names its version: the newer one changes nothing about it."""
    settled = await scoring.SettleDeal(scoring_pb2.SettleDealRequest(events=RICH_RECORD))
    replayed = await scoring.ReplayDeal(scoring_pb2.ReplayDealRequest(events=RICH_RECORD))
    assert (settled.version, replayed.version) == (1, 1)
    assert not replayed.HasField("difference")


async def test_rulesets_are_described_with_all_that_a_caller_needs(scoring: Any) -> None:
    """Options with kinds and defaults; the fan table with names, values, rules and what excludes what."""
    names = [one.variant for one in (await scoring.ListRulesets(scoring_pb2.ListRulesetsRequest())).rulesets]
    assert names == sorted(catalog.variants())
    for name in names:
        described = await scoring.GetRuleset(scoring_pb2.GetRulesetRequest(variant=name))
        assert {option.name for option in described.options} == set(catalog.variant_of(name).options)
        assert all(option.kind in ("boolean", "number", "word") for option in described.options)
    dazhong = await scoring.GetRuleset(scoring_pb2.GetRulesetRequest(variant="dazhong"))
    assert [row.number for row in dazhong.fans] == list(range(1, 82))
    winds = dazhong.fans[0]
    assert (winds.name_zh, winds.name_en, winds.value, winds.rule) == ("大四喜", "Big four winds", 88, "DZ#1")
    assert set(winds.excluded_fan_ids) == {"prevalent_wind", "seat_wind", "big_three_winds", "all_pungs"}
    options = {option.name: option for option in dazhong.options}
    assert (options["minimum_fan"].least, options["minimum_fan"].greatest) == (0, 100)
    assert options["base_points"].default_value.number_value == 8
    assert [value.string_value for value in options["chow_from"].allowed_values] == ["before", "any"]


async def test_rulesets_are_listed_page_by_page(scoring: Any) -> None:
    found, token = [], ""
    while True:
        page = await scoring.ListRulesets(scoring_pb2.ListRulesetsRequest(page_size=2, page_token=token))
        found += [one.variant for one in page.rulesets]
        token = page.next_page_token
        if not token:
            break
    assert found == sorted(catalog.variants())
    refusal = await refused(scoring.ListRulesets(scoring_pb2.ListRulesetsRequest(page_size=201)))
    assert (refusal.reason, refusal.field) == (Reason.INVALID_FIELD, "page_size")


async def test_an_unknown_ruleset_is_refused_by_name(scoring: Any) -> None:
    refusal = await refused(scoring.GetRuleset(scoring_pb2.GetRulesetRequest(variant="whist")))
    assert (refusal.reason, refusal.field) == (Reason.RULESET_UNKNOWN, "variant")
