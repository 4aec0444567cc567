"""When a store that is connected and silent counts as away (reliability 7, 9), in numbers."""

import pytest

from services.table.adapters.patience import GIVE_UP_S, LOOK_EACH_S, Patience, Verdict

PATIENCE_S = 0.15

pytestmark = pytest.mark.fast


def looks(
    patience: Patience, *silences_s: float, usual_s: float = 0.001, slept_s: float = LOOK_EACH_S
) -> list[Verdict]:
    return [patience.look(silent_s=silent_s, usual_s=usual_s, slept_s=slept_s) for silent_s in silences_s]


def test_a_quick_store_that_falls_silent_is_away_at_the_second_look_row_7() -> None:
    verdicts = looks(Patience(PATIENCE_S), 0.05, 0.1, 0.16, 0.21, 0.26)
    assert verdicts == [Verdict.NOTHING] * 3 + [Verdict.AWAY] * 2


def test_one_late_look_says_nothing_row_7() -> None:
    patience = Patience(PATIENCE_S)
    assert looks(patience, 0.2, 0.0, 0.2, 0.0) == [Verdict.NOTHING, Verdict.BACK] * 2


def test_a_store_that_is_always_slow_is_not_away_row_9() -> None:
    """Answers that take longer than the patience with a quick store; three times the usual is too long."""
    patience = Patience(PATIENCE_S)
    assert looks(patience, 0.2, 0.3, 0.4, 0.5, 0.59, usual_s=0.2) == [Verdict.NOTHING] * 5
    assert looks(patience, 0.61, 0.66, usual_s=0.2) == [Verdict.NOTHING, Verdict.AWAY]


def test_a_process_that_did_not_run_itself_has_not_waited_for_the_store_row_9() -> None:
    patience = Patience(PATIENCE_S)
    assert looks(patience, 0.16) == [Verdict.NOTHING]
    assert looks(patience, 5.0, slept_s=5.0) == [Verdict.NOTHING]
    assert looks(patience, 0.16) == [Verdict.NOTHING], "the look before it counts no longer"
    assert looks(patience, 0.21) == [Verdict.AWAY]


def test_a_store_that_has_answered_is_back_row_7() -> None:
    patience = Patience(PATIENCE_S)
    assert looks(patience, 0.2, 0.25, 0.0, 0.2, 0.25)[2:] == [Verdict.BACK, Verdict.NOTHING, Verdict.AWAY]


@pytest.mark.parametrize("patience_s", [PATIENCE_S, 30.0])
def test_a_connection_is_given_up_after_its_time_and_never_within_the_patience_row_7(patience_s: float) -> None:
    longest_s = max(GIVE_UP_S, 2 * patience_s)
    patience = Patience(patience_s)
    assert Verdict.GIVE_UP not in looks(patience, patience_s, longest_s)
    assert looks(patience, longest_s + 0.01, 0.01) == [Verdict.GIVE_UP, Verdict.NOTHING]
