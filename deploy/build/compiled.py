"""Compiles the hot rules, from their own source, into the environment's packages: python -m deploy.build.compiled.

The sources stay what they are and run as well without this (docs/decisions/rules-compiled.md). What is built lies in
one folder beside the other packages, never in the tree; `make clean` removes it with the environment.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
import os
import shutil
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "cardroom_compiled"
COMPILERS = ("cc", "gcc", "clang")
MODULES = (
    "games.mahjong.scoring",
    *(f"games.variants.dazhong.{name}" for name in ("sets", "waiting", "fans", "worth", "scoring")),
)
"""What is compiled: everything that a hand of 大众麻将 goes through when it is scored or asked for its waits."""
OPTIMISE = os.environ.get("CARDROOM_OPTIMISE") or "3"
"""Of the C compiler; 0 builds in half the time and runs half as fast."""
_INIT = """from os.path import dirname

from .finder import install

FILES = {{
{files}}}
SOURCES = {{
{sources}}}
install(dirname(__file__), FILES, SOURCES)
"""
_FINDER = Path(__file__).with_name("compiled_finder.py")


class NotCompiled(Exception):
    """The plain sources run; the text says why in a few words."""


def source_of(module: str) -> Path:
    """Where a module of the tree is written, relative to the root."""
    plain = Path(*module.split("."))
    package = plain / "__init__.py"
    return package if (ROOT / package).exists() else plain.with_suffix(".py")


def sources() -> list[Path]:
    """Files, relative to the root, that have a say in what is built: the modules and all of ours they import."""
    found: set[Path] = set()
    waiting = list(MODULES)
    while waiting:
        source = source_of(waiting.pop())
        if source not in found:
            found.add(source)
            waiting += _imported(ast.parse((ROOT / source).read_text(encoding="utf-8")).body)
    return sorted(found)


def _imported(statements: Iterable[ast.stmt]) -> Iterator[str]:
    """Modules of the rules that a module imports when it runs; those imported for types alone build nothing."""
    for statement in statements:
        if isinstance(statement, ast.ImportFrom) and (statement.module or "").startswith("games."):
            yield str(statement.module)


def compiler() -> str:
    """The C compiler, by path; empty if there is none."""
    return next(filter(None, map(shutil.which, COMPILERS)), "")


def has_headers() -> bool:
    """Whether Python's own headers are there to compile against."""
    return (Path(sysconfig.get_path("include")) / "Python.h").exists()


def build(packages: Path) -> None:
    """Compiles into a package of its own under that folder, in place of one that was there.

    Raises:
        NotCompiled: there is no compiler, no headers, or the compiler did not take the sources.
    """
    remove(packages)
    if not compiler():
        raise NotCompiled(f"no C compiler: one of {', '.join(COMPILERS)}")
    if not has_headers():
        raise NotCompiled("no Python.h: install Python's development package (Debian, Ubuntu: python3-dev)")
    digests = {str(source): hashlib.sha256((ROOT / source).read_bytes()).hexdigest() for source in sources()}
    with tempfile.TemporaryDirectory() as name:
        made = _compile(Path(name))
        fresh = packages / f".{PACKAGE}.new"
        shutil.rmtree(fresh, ignore_errors=True)
        fresh.mkdir()
        for place, file in made.values():
            (fresh / place).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, fresh / place)
    shutil.copy2(_FINDER, fresh / "finder.py")
    lines = [f"    {module!r}: {place.as_posix()!r},\n" for module, (place, _) in sorted(made.items())]
    hashed = [f"    {source!r}: {digest!r},\n" for source, digest in digests.items()]
    (fresh / "__init__.py").write_text(_INIT.format(files="".join(lines), sources="".join(hashed)))
    os.replace(fresh, packages / PACKAGE)
    (packages / f"{PACKAGE}.pth").write_text(f"import {PACKAGE}\n")


def remove(packages: Path) -> None:
    """Takes away what was built before; the sources run then."""
    (packages / f"{PACKAGE}.pth").unlink(missing_ok=True)
    shutil.rmtree(packages / PACKAGE, ignore_errors=True)


def _compile(folder: Path) -> dict[str, tuple[Path, Path]]:
    """Extension file by module, the library they share among them: where it belongs, and where it lies now."""
    mypycify = importlib.import_module("mypyc.build").mypycify
    distribution = importlib.import_module("setuptools").Distribution
    os.environ["CC"] = os.environ.get("CC") or compiler()
    os.chdir(ROOT)
    flags = ["--config-file=", f"--cache-dir={os.devnull}", "--follow-imports=silent", "--explicit-package-bases"]
    try:
        extensions = mypycify(
            [*flags, *(str(source_of(module)) for module in MODULES)],
            opt_level=OPTIMISE,
            debug_level="0",
            multi_file=True,
            target_dir=str(folder / "c"),
        )
        command = distribution({"name": PACKAGE, "ext_modules": extensions}).get_command_obj("build_ext")
        command.build_lib, command.build_temp = str(folder / "lib"), str(folder / "temporary")
        command.ensure_finalized()
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            command.build_extensions = lambda: _side_by_side(command, pool)
            command.run()
    except (Exception, SystemExit) as error:
        # Whatever does not suit mypyc or the compiler: the sources run as they are, so this is no reason to stop.
        raise NotCompiled(f"compiling failed: {type(error).__name__} {error}".splitlines()[0]) from error
    suffix = str(sysconfig.get_config_var("EXT_SUFFIX"))
    built = {file.relative_to(folder / "lib"): file for file in (folder / "lib").rglob(f"*{suffix}")}
    return {".".join(place.parts).removesuffix(suffix): (place, file) for place, file in built.items()}


def _side_by_side(command: Any, pool: Executor) -> None:
    """Builds the extensions with a compiler that takes several files at once: nearly all of the time goes into one."""
    compile_files = command.compiler.compile

    def compile_each(files: Sequence[str], **given: Any) -> list[str]:
        return [made for part in pool.map(lambda file: compile_files([file], **given), files) for made in part]

    command.compiler.compile = compile_each
    type(command).build_extensions(command)


def main() -> int:
    """Entry: 0 if the compiled rules are in place, 1 after one line on standard output that says why they are not."""
    try:
        build(Path(sysconfig.get_path("purelib")))
    except NotCompiled as reason:
        print(reason)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
