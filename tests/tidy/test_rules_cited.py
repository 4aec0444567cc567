"""Rule numbers: what code, protos and tests cite stands in a rules page of the tree."""

import re
from pathlib import Path

from tests.tidy.tree import texts

PREFIXES = ("BB", "DZ", "PF", "SH", "TY")
_CITED = re.compile(rf"\b((?:{'|'.join(PREFIXES)})-\d+)\b")
_DEFINED = re.compile(rf"^- ((?:{'|'.join(PREFIXES)})-\d+)\b", re.MULTILINE)


def defined() -> dict[str, list[Path]]:
    """Rule numbers of all rules pages, each with the pages that define it."""
    rules: dict[str, list[Path]] = {}
    for path, content in texts(".md").items():
        if path.name == "rules.md" or path.is_relative_to("docs/rules"):
            for number in _DEFINED.findall(content):
                rules.setdefault(number, []).append(path)
    return rules


def cited() -> dict[str, list[Path]]:
    """Rule numbers that sources cite, each with the files that do."""
    rules: dict[str, list[Path]] = {}
    for path, content in texts(".py", ".proto", ".lua", ".json", ".jsonl", ".toml").items():
        for number in set(_CITED.findall(content)):
            rules.setdefault(number, []).append(path)
    return rules


def test_every_rule_that_is_cited_stands_in_the_tree() -> None:
    known = defined()
    # A family whose variant is not in the tree yet may be named by another page, never by code.
    assert {number: paths for number, paths in cited().items() if number not in known} == {}


def test_every_rule_is_defined_once() -> None:
    assert {number: pages for number, pages in defined().items() if len(pages) != 1} == {}
