"""The measures of the source, on a package that is small enough to count by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.code_metrics import Source, report

FILES = {
    "__init__.py": '"""The package."""\n',
    "top.py": "from desktop.room import used\n\nprint(used.VALUE)\n",
    "room/__init__.py": '"""A room."""\n',
    "room/used.py": "# Why it is one.\nVALUE = 1  # no comment of its own\n",
    "room/first.py": "from desktop.room.second import two\n\n\ndef one():\n    return two()\n",
    "room/second.py": "from desktop.room import first\n\n\ndef two():\n    return first.one()\n",
    "room/third.py": (
        "import json\n\nfrom desktop.room.alone import Alone\n\n\n"
        "class Many:\n    def __init__(self, a, b, c, d, e, f, g):\n        self.all = json, Alone\n"
    ),
    "room/alone.py": "class Alone:\n    pass\n",
}


@pytest.fixture
def source(tmp_path: Path) -> Source:
    for name, text in FILES.items():
        file = tmp_path / "desktop" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return Source.read(tmp_path)


def test_what_is_counted_is_what_stands_there(source: Source) -> None:
    """Modules, lines, functions, imports and comments of the small package."""
    assert dict(report(source)) == {
        "modules": "8",
        "lines": "27",
        "module, median / 90th percentile": "2 / 8",
        "function, median / 90th percentile / mean": "2 / 2 / 2.0",
        "import lines in the code": "18.5%",
        "own-line comments per 1,000 lines": "37.0",
        "cycles inside rooms": "1",
        "single-user modules under 150 lines": "3",
        "constructors with more than 6 arguments": "1",
    }


def test_circles_and_single_users_are_named(source: Source) -> None:
    """A circle is told whole; a module with a user elsewhere is nobody's crumb."""
    assert source.cycles() == [("desktop.room.first", "desktop.room.second")]
    assert [module.name for module in source.single_user()] == [
        "desktop.room.alone",
        "desktop.room.first",
        "desktop.room.second",
    ]
    assert [name for module in source.modules.values() for name in module.long_constructors()] == [
        "desktop.room.third.Many (7)"
    ]


HERE = Source.read(Path(__file__).resolve().parents[1])
MOST_SINGLE_USERS = 40


def test_no_modules_of_a_room_import_each_other_in_a_circle() -> None:
    """Modules in a circle are one module that is cut in two."""
    assert HERE.cycles() == []


def test_small_modules_that_serve_one_neighbour_stay_few() -> None:
    """What only the module beside it needs belongs there, unless it is a subject of its own."""
    assert len(HERE.single_user()) <= MOST_SINGLE_USERS


def test_no_constructor_has_more_than_six_arguments() -> None:
    """One that had would miss a value that holds what belongs together."""
    assert [name for module in HERE.modules.values() for name in module.long_constructors()] == []
