"""Documents that cannot go stale silently."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
import typer.main

from desktop.chat.messages import MessageStatus
from desktop.cli import app
from desktop.settings import Settings, display_of

PICTURE = re.compile(r"images/([\w-]+\.png)")
DOCS = Path(__file__).parents[1] / "docs"
FLOWS = Path(__file__).parent / "flows"
README = DOCS.parent / "README.md"
CONTRIBUTING = DOCS.parent / "CONTRIBUTING.md"
RESOURCES = DOCS.parent / "resources"


def _settings() -> dict[str, object]:
    names: dict[str, object] = {}
    for section, field in Settings.model_fields.items():
        if section != "version":
            defaults = field.default
            names |= {f"{section}.{name}": getattr(defaults, name) for name in type(defaults).model_fields}
    return names


def _hidden() -> set[str]:
    """What the program keeps for itself."""
    return {
        name
        for name in _settings()
        if display_of(type(Settings.model_fields[name.split(".")[0]].default), name.split(".")[1]).hidden
    }


def test_every_setting_is_in_the_guide() -> None:
    """A setting that users may edit is explained where they look for it."""
    guide = (DOCS / "guide.md").read_text(encoding="utf-8")
    missing = [name for name in _settings() if f"`{name}`" not in guide and name not in _hidden()]
    assert missing == []


def test_the_guide_names_no_setting_that_does_not_exist() -> None:
    """What the documents tell people to set can be set."""
    known = set(_settings())
    for page in (*DOCS.glob("*.md"), README):
        text = page.read_text(encoding="utf-8")
        for name in re.findall(r"`((?:model|chat|window|network)\.(?!py`)[a-z_]+)`", text):
            assert name in known, f"{page.name}: {name}"


@pytest.mark.parametrize(
    "page", [README, CONTRIBUTING, *sorted(DOCS.glob("*.md"))], ids=lambda page: page.name
)
def test_commands_in_the_documents_exist(page: Path) -> None:
    """Each `steward VERB` and each option beside it is one that the program knows."""
    known = _verbs()
    text = page.read_text(encoding="utf-8")
    for match in re.finditer(
        r"(?:steward|dev\.py run) ((?:[a-z]+ ?){1,2})((?:--[a-z-]+[ =]?[\w./…\"]* ?)*)", text
    ):
        words = match.group(1).split()
        verb = next((v for n in (2, 1) if (v := " ".join(words[:n])) in known), None)
        if verb is None:
            continue
        for option in re.findall(r"--[a-z-]+", match.group(2)):
            assert option in known[verb] | known[""], f"{page.name}: {match.group(0)}"


def test_every_verb_is_in_the_guide() -> None:
    """A verb that `steward --help` lists is in the guide's table."""
    guide = (DOCS / "guide.md").read_text(encoding="utf-8")
    for verb in _verbs():
        if verb and verb not in ("demo", "models"):
            assert verb.split()[-1] in guide, verb


def _verbs() -> dict[str, set[str]]:
    root = typer.main.get_command(app)
    verbs = {"": {option for parameter in root.params for option in parameter.opts}}
    for name, command in root.commands.items():
        verbs[name] = {option for parameter in command.params for option in parameter.opts}
        for sub, inner in getattr(command, "commands", {}).items():
            verbs[f"{name} {sub}"] = {option for parameter in inner.params for option in parameter.opts}
    return verbs


def test_every_picture_is_made_by_a_script_or_told_how() -> None:
    """Whoever changes a window finds what makes its pictures anew; none stands on no page."""
    shown = {match for page in (*DOCS.glob("*.md"), README) for match in PICTURE.findall(page.read_text())}
    kept = {file.name for file in (DOCS / "images").iterdir()}
    assert kept == shown
    scripts = "".join(file.read_text() for file in FLOWS.glob("*pictures.py"))
    by_hand = set(re.findall(r'"([\w-]+\.png)":', scripts))
    by_script = set(re.findall(r'"([\w-]+\.png)"[,)]', scripts))
    assert not by_hand & by_script, "made by a script after all"
    assert kept == by_hand | by_script


def _said(entry: object) -> Iterator[str]:
    """Every sentence of a table of messages."""
    if isinstance(entry, dict):
        for each in entry.values():
            yield from _said(each)
    else:
        yield str(entry)


def _sentences() -> Iterator[str]:
    """What people can see: of the rooms, of the windows, and of the set-up, whose words are in its code."""
    for table in (RESOURCES / "messages" / "en").glob("*.toml"):
        yield from _said(tomllib.loads(table.read_text(encoding="utf-8")))
    words = ElementTree.parse(RESOURCES / "translations" / "steward_de.ts")
    yield from (source.text or "" for source in words.iter("source"))
    for code in (RESOURCES.parent / "bootstrap").glob("*.py"):
        yield re.sub(r'"\s*f?"', "", code.read_text(encoding="utf-8"))


def test_every_state_of_a_message_is_in_the_description_of_the_file() -> None:
    """Who reads an export elsewhere meets none that is not there."""
    page = (DOCS / "keeping.md").read_text(encoding="utf-8")
    assert [each for each in MessageStatus if f"`{each}`" not in page] == []


VALUE = "\0"  # in a sentence; a document has something there


def test_what_troubleshooting_quotes_is_said() -> None:
    """Who looks for the words on the screen finds them: each quoted heading is a sentence of the program."""
    said = "\n".join(re.sub(r"\{[^{}]*\}", VALUE, each) for each in _sentences()).casefold()
    text = (DOCS / "troubleshooting.md").read_text(encoding="utf-8")
    quoted = re.findall(r'"([^"]+)"', " ".join(re.findall(r'^\*\*(".+?)\*\*', text, re.MULTILINE)))
    parts = [part for each in quoted for part in re.split(r"\s*[…():]\s*", each.casefold()) if part]
    unsaid = [part for part in parts if not _is_said(part.split(), said)]
    assert len(parts) > 20
    assert unsaid == []


def _is_said(words: list[str], said: str) -> bool:
    """With a value in the place of some of them, but not of most."""
    pattern = r"\s".join(rf"(?:{re.escape(word)}|\S*{VALUE}\S*)" for word in words)
    return any(2 * found.group().count(VALUE) <= len(words) for found in re.finditer(pattern, said))


def test_decisions_are_numbered_in_their_order() -> None:
    """Two branches that took the same number are told apart before anybody refers to it."""
    text = (DOCS / "decisions.md").read_text(encoding="utf-8")
    numbers = [int(number) for number in re.findall(r"^## (\d+)\. ", text, re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
