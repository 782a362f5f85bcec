"""The import contracts of pyproject.toml hold, and each of them catches what it is there to catch."""

from __future__ import annotations

import ast
import json
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytest.importorskip("importlinter", reason="checking import contracts belongs to development")

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "desktop"
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
# One process for all rooms that break a contract: starting the linter takes longer than what it looks at.
LINT = """
import contextlib, io, json, pathlib, sys
from importlinter.cli import lint_imports
told = []
for place, line in json.load(sys.stdin):
    bad = pathlib.Path("desktop", place) if place else None
    if bad is not None:
        bad.write_text(line, encoding="utf-8")
    with contextlib.redirect_stdout(io.StringIO()) as output:
        code = lint_imports(no_cache=True, no_logo=True)
    if bad is not None:
        bad.unlink()
    told.append((code, output.getvalue()))
print(json.dumps(told))
"""
CLIENTS = ("urllib.request", "http.client", "ftplib", "xmlrpc.client")  # of the standard library
HARMLESS = {"urllib.request.url2pathname", "urllib.request.pathname2url"}  # they only rewrite text
# Packages whose module has another name than they, and modules whose types are part of another's interface.
PACKAGE_OF = {
    "PySide6": "PySide6-Essentials",
    "shiboken6": "PySide6-Essentials",
    "annotated_types": "pydantic",
    "pydantic_core": "pydantic",
    "httpcore": "httpx",
    "llama_cpp": "llama-cpp-python",
    "lxml": "trafilatura",
    "markdown_it": "markdown-it-py",
    "multidict": "aiohttp",
}


def rooms() -> Iterator[str]:
    """Every room that the layers name and do not put in parentheses."""
    for layer in CONTRACTS["contracts"][0]["layers"]:
        yield from (name.strip() for name in layer.split("|") if "(" not in name)


BREAKING = [
    ("models/bad.py", "import desktop.engine", "Imports point down"),
    ("settings/bad.py", "def later():\n    import desktop.database", "Imports point down"),
    ("system/bad.py", "import desktop.qt", "Imports point down"),
    ("stray.py", "", "Imports point down"),
    ("chat/bad.py", "from PySide6.QtCore import QObject", "Qt stays in the rooms that draw"),
    ("cli/bad.py", "import qasync", "Qt stays in the rooms that draw"),
    ("engine/bad.py", "from llama_cpp import Llama", "llama_cpp is imported in one file"),
    ("chat/bad.py", "import sqlite3", "sqlite3 is imported in one file"),
    ("models/bad.py", "import keyring.errors", "keyring is imported in one file"),
    ("system/bad.py", "from httpx import Client", "An HTTP client is imported in one file"),
    ("ui/bad.py", "import requests", "An HTTP client is imported in one file"),
]


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], tuple[int, str]]:
    """What the linter says of the rooms without their furniture under the real contracts, and of each of
    BREAKING put into them alone."""
    root = tmp_path_factory.mktemp("skeleton")
    shutil.copy(ROOT / "pyproject.toml", root)
    for room in ("", *rooms()):
        (root / "desktop" / room).mkdir(parents=True)
        (root / "desktop" / room / "__init__.py").touch()
    asked = [("", ""), *((place, line) for place, line, _ in BREAKING)]
    command = [sys.executable, "-c", LINT]
    done = subprocess.run(command, cwd=root, input=json.dumps(asked), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {each: (code, output) for each, (code, output) in zip(asked, json.loads(done.stdout), strict=True)}


def test_empty_rooms_keep_every_contract(told: dict[tuple[str, str], tuple[int, str]]) -> None:
    """The skeleton itself is in order, so that what the next test finds comes from the line it adds."""
    code, output = told["", ""]
    assert code == 0, output
    assert f"{len(CONTRACTS['contracts'])} kept, 0 broken" in output


@pytest.mark.parametrize(("place", "line", "contract"), BREAKING)
def test_contract_catches(
    told: dict[tuple[str, str], tuple[int, str]], place: str, line: str, contract: str
) -> None:
    """A forbidden import, also one inside a function, breaks the contract that forbids it and no other."""
    code, output = told[place, line]
    assert code != 0
    if "stray" in place:
        assert "desktop.stray" in output
        return
    broken = [text.split(" BROKEN")[0] for text in output.splitlines() if " BROKEN" in text]
    assert broken == [contract], output


def imports(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def imported(path: Path) -> frozenset[str]:
    return frozenset(imports(parsed(path)))


def test_what_is_imported_is_declared() -> None:
    """No package is there by chance only, because another needs it today."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    lines = [*project["dependencies"], *project["optional-dependencies"]["team"]]
    declared = {canonicalize_name(Requirement(line).name) for line in lines}
    later = {"_sha2"}  # of Python 3.12; the hook client takes what the interpreter at hand has
    ours = {"desktop", *later, *sys.stdlib_module_names}
    modules = {name.partition(".")[0] for path in PACKAGE.rglob("*.py") for name in imported(path)}
    undeclared = {
        module
        for module in modules - ours
        if canonicalize_name(PACKAGE_OF.get(module, module)) not in declared
    }
    assert not undeclared


def test_the_standard_library_opens_no_second_way_out() -> None:
    """Clients of the standard library, too, are imported in the room `network` only."""
    users = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if any(name.startswith(CLIENTS) for name in imported(path) - HARMLESS)
    }
    assert {user.partition("/")[0] for user in users} <= {"network"}, users


@pytest.mark.parametrize("name", ["__main__", "cli", "app"])
def test_what_starts_without_a_window_imports_no_qt(name: str) -> None:
    """The modules that every verb passes through import Qt and the rooms that draw only inside functions."""
    paths = [*PACKAGE.glob(f"{name}.py"), *(PACKAGE / name).rglob("*.py")]
    assert paths
    top = [node for path in paths for node in parsed(path).body]
    outside: list[ast.stmt] = [node for node in top if isinstance(node, ast.Import | ast.ImportFrom)]
    found = set(imports(ast.Module(body=outside, type_ignores=[])))
    drawing = ("PySide6", "qasync", "desktop.qt", "desktop.ui")
    assert not {each for each in found if each.startswith(drawing)}
