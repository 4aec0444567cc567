"""The locks: hashed, without addresses, the same releases in all three, made from what pyproject.toml declares."""

import re
import tomllib

import pytest

from deploy.build.prepare import USES, lock_of, requirements_in
from tests.tidy.tree import ROOT

DECLARED = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = DECLARED["optional-dependencies"]
WANTED = {
    "services": DECLARED["dependencies"],
    "local": [*DECLARED["dependencies"], *EXTRAS["local"]],
    "all": [*DECLARED["dependencies"], *EXTRAS["local"], *EXTRAS["dev"]],
}


def pins(use: str) -> dict[str, str]:
    """Pinned release by package of one lock."""
    found = (re.match(r"([a-z0-9-]+)==(\S+)", requirement) for requirement in requirements_in(lock_of(use)))
    return {match.group(1): match.group(2) for match in found if match}


@pytest.mark.parametrize("use", USES)
def test_every_requirement_is_pinned_and_hashed(use: str) -> None:
    requirements = requirements_in(lock_of(use))
    assert len(pins(use)) == len(requirements) > 0
    assert [each for each in requirements if "--hash=sha256:" not in each] == []
    assert "://" not in lock_of(use).read_text()


@pytest.mark.parametrize("use", USES)
def test_a_lock_holds_what_is_declared(use: str) -> None:
    names = {re.split(r"[\[<>=!~ ;]", declared)[0] for declared in WANTED[use]}
    assert names - set(pins(use)) == set()


def test_a_narrower_lock_is_part_of_the_wider() -> None:
    assert pins("services").items() <= pins("local").items() <= pins("all").items()
