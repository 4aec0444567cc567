"""The catalogue finds variants of every family, and nobody takes one family's for another's."""

import pytest
from cardroom.mahjong.v1 import event_pb2

from games.catalog import UnknownVariant, variant_of, variants, variants_of
from games.kernel import OptionError
from games.landlord.variant import LandlordVariant
from games.mahjong.variant import Variant as MahjongVariant
from wire import mahjong
from wire.words import WireError


def test_every_variant_says_what_it_is() -> None:
    assert {variant.family for variant in variants().values()} >= {"mahjong", "landlord"}
    for name, variant in variants().items():
        assert (variant.variant_id, variant.version > 0) == (name, True)
        assert variant.name_zh
        rules = variant.ruleset({}, 1)
        assert (rules.variant, rules.version, rules.seat_count) == (name, variant.version, variant.seat_count)
        state = variant.game.initial(rules, 0)
        assert variant.game.awaiting(state) == frozenset()


@pytest.mark.parametrize("name", sorted(variants()))
def test_an_option_that_a_variant_has_not_is_refused(name: str) -> None:
    with pytest.raises(OptionError) as refused:
        variant_of(name).ruleset({"no_such_option": 1}, 1)
    assert refused.value.field == "no_such_option"


def test_families_are_told_apart() -> None:
    mine, others = variants_of(LandlordVariant), variants_of(MahjongVariant)
    assert "tingyong" in mine
    assert "bloody4" in others
    assert set(mine).isdisjoint(others)
    assert set(mine) | set(others) == set(variants())


def test_an_unknown_variant_is_named() -> None:
    with pytest.raises(UnknownVariant):
        variant_of("whist")


def test_a_message_of_one_family_does_not_open_anothers_deal() -> None:
    message = event_pb2.Event(opened=event_pb2.Opened(variant="tingyong", rules_version=1, stake=1))
    with pytest.raises(WireError):
        mahjong.event_from_proto(message)
