"""Every clause of the platform has a test that cites it: in its name, its docstring or beside what it proves."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tidy.test_rules_cited import defined
from tests.tidy.tree import ROOT, texts

_CITED = re.compile(r"pf[-_](\d+)(?!\d)", re.IGNORECASE)


def clauses() -> set[str]:
    """Numbers of the clauses of docs/rules/platform.md."""
    return {number for number in defined() if number.startswith("PF-")}


def proofs(source: str) -> Iterator[tuple[str, str]]:
    """Clause and test for each citation inside a test function, or in the docstring of a module of tests."""
    tree = ast.parse(source)
    tests = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
    ]
    whole = ast.get_docstring(tree) or ""
    lines = source.splitlines()
    for test in tests:
        body = " ".join(lines[test.lineno - 1 : test.end_lineno])
        text = f"{test.name} {body} {whole if test is tests[0] else ''}"
        for number in set(_CITED.findall(text)):
            yield f"PF-{number}", test.name


def cited() -> dict[str, set[str]]:
    """Clauses, each with the tests that cite it."""
    found: dict[str, set[str]] = {}
    for path, source in texts(".py").items():
        if path.parts[0] == "tests" and path.name.startswith("test_") and path.parts[1] != "tidy":
            for number, test in proofs(source):
                found.setdefault(number, set()).add(test)
    return found


def test_every_clause_of_the_platform_is_cited_by_a_test() -> None:
    known = cited()
    assert {number for number in clauses() if number not in known} == set()


def test_a_clause_nobody_cites_is_found() -> None:
    source = 'def test_one_pf_10() -> None:\n    """PF-11 holds."""\n'
    assert {number for number, _ in proofs(source)} == {"PF-10", "PF-11"}
    assert "PF-1" not in {number for number, _ in proofs(source)}


@pytest.mark.parametrize("page", ["docs/rules/platform.md"])
def test_the_page_of_the_platform_is_there(page: str) -> None:
    assert (ROOT / Path(page)).is_file()
    assert len(clauses()) >= 26
