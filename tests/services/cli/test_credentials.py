"""`cardroom token` and `cardroom keys`: what they make is what the services accept."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from clients.cli.main import COMMANDS, cardroom
from serving.roles import PURPOSE_OF_ROLE
from serving.tokens import Verifier

PLACES = {"seat": ["--table", "t-1", "--seat", "0"], "spectator": ["--table", "t-1"]}


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cardroom, [str(argument) for argument in arguments])


@pytest.mark.parametrize("role", sorted(PURPOSE_OF_ROLE))
def test_a_token_of_every_role_is_accepted(keys: Path, role: str) -> None:
    result = run("token", "ann", "--role", role, "--keys", keys, *PLACES.get(role, []))
    assert result.exit_code == 0, result.output
    caller = Verifier(keys / "jwks.json").verify(result.output.strip())
    assert (caller.role, caller.subject) == (role, "ann")
    if role == "seat":
        assert (caller.claims["table_id"], caller.claims["seat"]) == ("t-1", 0)


def test_a_scoring_callers_token_may_carry_a_quota_of_its_own(keys: Path) -> None:
    result = run("token", "team-a", "--role", "scoring-caller", "--hands-per-second", "50000", "--keys", keys)
    caller = Verifier(keys / "jwks.json").verify(result.output.strip())
    assert (caller.role, caller.claims["hands_per_second"]) == ("scoring-caller", 50_000)
    refused = run("token", "ann", "--hands-per-second", "1", "--keys", keys)
    assert refused.exit_code == 2
    assert "takes no --hands-per-second" in refused.output


def test_the_default_is_a_player_for_an_hour(keys: Path) -> None:
    caller = Verifier(keys / "jwks.json").verify(run("token", "ann", "--keys", keys).output.strip())
    assert caller.role == "player"
    assert caller.claims["exp"] - caller.claims["iat"] == 3600


def test_ttl_is_in_seconds(keys: Path) -> None:
    caller = Verifier(keys / "jwks.json").verify(run("token", "ann", "--keys", keys, "--ttl", 7).output.strip())
    assert caller.claims["exp"] - caller.claims["iat"] == 7


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--role", "seat"], "needs --table"),
        (["--role", "seat", "--table", "t-1"], "needs --seat"),
        (["--role", "seat", "--table", "", "--seat", "1"], "needs --table"),
        (["--role", "spectator"], "needs --table"),
        (["--role", "spectator", "--table", "t-1", "--seat", "1"], "takes no --seat"),
        (["--table", "t-1"], "takes no --table"),
        (["--role", "king"], "king"),
        (["--ttl", "0"], "--ttl"),
        (["--seat", "-1", "--role", "seat"], "--seat"),
    ],
)
def test_a_token_nobody_would_accept_is_not_made(keys: Path, arguments: list[str], words: str) -> None:
    result = run("token", "ann", "--keys", keys, *arguments)
    assert result.exit_code == 2
    assert words in result.output


def test_missing_keys_are_told_in_one_line(tmp_path: Path) -> None:
    result = run("token", "ann", "--keys", tmp_path / "none")
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert "none/player.pem" in result.output
    assert "CARDROOM_KEYS" in result.output


def test_the_keys_of_a_local_run_are_found_by_its_state_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CARDROOM_STATE_DIRECTORY", str(tmp_path))
    assert run("keys", tmp_path / "keys").exit_code == 0
    result = run("token", "ann")
    assert Verifier(tmp_path / "keys" / "jwks.json").verify(result.output.strip()).subject == "ann"


def test_keys_that_are_there_stay(tmp_path: Path) -> None:
    assert run("keys", tmp_path / "new").exit_code == 0
    before = (tmp_path / "new" / "player.pem").read_bytes()
    assert run("keys", tmp_path / "new").exit_code == 0
    assert (tmp_path / "new" / "player.pem").read_bytes() == before


def test_a_place_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    result = run("keys", tmp_path / "file" / "keys")
    assert result.exit_code == 2
    assert "cannot write keys" in result.output


def test_a_misspelt_command_is_told_with_the_one_meant_and_help_lists_them_all() -> None:
    assert "Did you mean 'token'?" in run("tokn").output
    listed = run("--help").output
    assert all(f"\n  {name}" in listed for name in COMMANDS)
