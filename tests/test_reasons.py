"""Reasons: values that are worded late, and a sentence for every code in every language."""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import string
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from xml.etree import ElementTree

import pytest

import desktop
from desktop import reasons
from desktop.errors import UserFacing
from desktop.paths import resources
from desktop.reasons import LANGUAGES, PARTS, Reason, ReasonCode, sentences, size_text

MESSAGES = resources() / "messages"
ROOT = Path(__file__).resolve().parents[1]
PLURAL = {"one", "other"}


class Code(ReasonCode):
    """The codes of the table that these tests bring along."""

    PLAIN = "tested.plain"
    COPIES = "tested.copies"
    TOLD = "tested.told"
    DISK_FULL = "tested.disk-full"
    RENAMED = "tested.renamed"
    PORT = "tested.port"


TABLES = {
    "en": """
        plain = "it only reads {not a field"
        port = "port {port:d}: {count} calls, {share} of it, {known}"
        copies = { one = "{count} copy of {name}", other = "{count:,} copies of {name}" }
        told = "{size:bytes}, {share:.0%} of {amount:,.1f} on {day:date}, because {why}"
        renamed = { code = "older-word", cause = "{name} is gone.", not_lost = "", action = "" }
        [disk-full]
        cause = "There is no space left for {name}."
        not_lost = "Nothing was lost."
        action = "Free {size:bytes}."
    """,
    "de": """
        plain = "nur gelesen"
        port = "Port {port:d}: {count} Aufrufe, {share} davon, {known}"
        copies = { one = "{count} Kopie von {name}", other = "{count:,} Kopien von {name}" }
        told = "{size:bytes}, {share:.0%} von {amount:,.1f} am {day:date}, weil {why}"
        renamed = { cause = "{name} ist weg.", not_lost = "", action = "" }
        [disk-full]
        cause = "Für {name} ist kein Platz."
        not_lost = "Nichts ging verloren."
        action = "Mach {size:bytes} frei."
    """,
}


@pytest.fixture
def tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A folder of resources with one table."""
    for language, text in TABLES.items():
        (tmp_path / "messages" / language).mkdir(parents=True)
        (tmp_path / "messages" / language / "tested.toml").write_text(text, encoding="utf-8")
    sentences.cache_clear()
    monkeypatch.setattr(reasons, "resources", lambda: tmp_path)
    yield
    sentences.cache_clear()


@pytest.mark.usefixtures("tables")
@pytest.mark.parametrize(
    ("made", "english", "german"),
    [
        (Code.COPIES.of(count=1, name="a"), "1 copy of a", "1 Kopie von a"),
        (Code.COPIES.of(count=1234, name="{b}"), "1,234 copies of {b}", "1.234 Kopien von {b}"),
        (
            Code.TOLD.of(
                size=1_100_000_000,
                share=0.4,
                amount=1234.56,
                day=date(2026, 3, 2),
                why=(Code.COPIES.of(count=1, name="a"), Code.COPIES.of(count=2, name="b")),
            ),
            "1.1 GB, 40% of 1,234.6 on 2 March 2026, because 1 copy of a, 2 copies of b",
            "1,1 GB, 40\N{NO-BREAK SPACE}% von 1.234,6 am 2. März 2026, weil 1 Kopie von a, 2 Kopien von b",
        ),
        (
            Code.DISK_FULL.of(name="a.gguf", size=640_000),
            "There is no space left for a.gguf. Nothing was lost. Free 640 kB.",
            "Für a.gguf ist kein Platz. Nichts ging verloren. Mach 640 kB frei.",
        ),
        (Code.PLAIN.of(), "it only reads {not a field", "nur gelesen"),
        (
            Code.PORT.of(port=47615, count=4096, share=0.5, known="2026"),
            "port 47615: 4,096 calls, 0.5 of it, 2026",
            "Port 47615: 4.096 Aufrufe, 0.5 davon, 2026",
        ),
    ],
)
def test_a_reason_is_worded_in_the_language_asked_for(made: Reason, english: str, german: str) -> None:
    """Numbers, sizes, days and reasons among the values are written as the language does."""
    assert str(made) == made.in_language("en") == english
    assert made.in_language("de") == german


@pytest.mark.usefixtures("tables")
def test_a_reason_is_a_value_with_a_plain_form() -> None:
    """Equal where code and values are; JSON carries the code, the values and the English sentence."""
    inner = Code.COPIES.of(count=2, name="b")
    assert inner == Code.COPIES.of(count=2, name="b") != Code.COPIES.of(count=3, name="b")
    assert len({inner, Code.COPIES.of(count=2, name="b")}) == 1
    assert inner.value("name") == "b"
    outer = Reason(
        Code.TOLD, (("day", date(2026, 3, 2)), ("why", inner), ("size", 1), ("share", 0.0), ("amount", 1))
    )
    assert outer.as_json() == {
        "code": "tested.told",
        "values": {"day": "2026-03-02", "why": inner.as_json(), "size": 1, "share": 0.0, "amount": 1},
        "text": "1 bytes, 0% of 1.0 on 2 March 2026, because 2 copies of b",
    }


@pytest.mark.usefixtures("tables")
def test_an_error_made_of_a_reason_has_its_three_sentences() -> None:
    """In English on the error; the stable word is the code's key unless the table names an older one."""
    error = UserFacing(Code.DISK_FULL.of(name="a", size=12))
    assert (error.cause, error.not_lost) == ("There is no space left for a.", "Nothing was lost.")
    assert (error.action, error.code) == ("Free 12 bytes.", "disk-full")
    assert UserFacing(Code.RENAMED.of(name="a")).code == "older-word"
    assert str(UserFacing(Code.RENAMED.of(name="a"))) == "a is gone."


@pytest.mark.parametrize(
    ("size_bytes", "text"),
    [(0, "0 bytes"), (999, "999 bytes"), (1_000, "1.0 kB"), (999_600, "1.0 MB"), (98_000_000, "98 MB")],
)
def test_sizes_are_written_as_file_managers_do(size_bytes: int, text: str) -> None:
    """In units of a thousand; what rounds up to the next unit is written in it."""
    assert size_text(size_bytes) == text


# Numbers by these names are names themselves, in every sentence: groups would tear them apart.
IDENTIFIERS = {"port", "pid", "status", "code", "abi", "api"}


def fields(text: str) -> Iterator[tuple[str, str]]:
    """Name and form of everything in braces."""
    try:
        found = [(name, form or "") for _, name, form, _ in string.Formatter().parse(text) if name]
    except ValueError:  # a sentence without values, in which braces mean nothing
        return
    yield from found


def sentences_of_windows() -> Iterator[str]:
    """What stands in `tr(…)`, `plural(…)` and `tr_noop(…)`, of files that name an identifier."""
    for file in sorted((ROOT / "desktop").rglob("*.py")):
        text = file.read_bytes()
        if not any(name in text for name in (b"tr(", b"plural(", b"tr_noop(")):
            continue
        # Few files have such a name in braces, and to parse all takes seconds.
        if not any(b"{%s" % name.encode() in text for name in IDENTIFIERS):
            continue
        for node in ast.walk(ast.parse(text)):
            name = getattr(getattr(node, "func", None), "id", "")
            if isinstance(node, ast.Call) and name in ("tr", "plural", "tr_noop"):
                yield from (
                    a.value for a in node.args if isinstance(a, ast.Constant) and type(a.value) is str
                )


def test_numbers_that_are_names_keep_their_digits_together() -> None:
    """A port is written 47615 in every sentence of tables and windows, in every language."""
    entries = (
        entry
        for language in LANGUAGES
        for file in (MESSAGES / language).glob("*.toml")
        for entry in sentences(language, file.stem).values()
    )
    told = [text for entry in entries for text in (entry.values() if isinstance(entry, dict) else [entry])]
    torn = [
        text
        for text in [*told, *sentences_of_windows()]
        if any(name in IDENTIFIERS and form != "d" for name, form in fields(str(text)))
    ]
    assert torn == []


# -- all codes of the program --------------------------------------------------------------------


def all_codes() -> list[ReasonCode]:
    for module in pkgutil.walk_packages(desktop.__path__, "desktop."):
        if b"(ReasonCode)" in _source(module.name):
            importlib.import_module(module.name)
    rooms = (room for room in ReasonCode.__subclasses__() if room.__module__.startswith("desktop."))
    return [code for room in rooms for code in room]


def _source(name: str) -> bytes:
    file = ROOT.joinpath(*name.split("."))
    file = file / "__init__.py" if file.is_dir() else file.with_suffix(".py")
    return file.read_bytes()


def placeholders(entry: object) -> set[str]:
    """Names in braces, of all sentences of an entry."""
    if isinstance(entry, dict):
        return set().union(*(placeholders(text) for part, text in entry.items() if part != "code"))
    return {name for _, name, _, _ in string.Formatter().parse(str(entry)) if name}


def test_every_code_has_a_sentence_in_every_language_and_every_sentence_a_code() -> None:
    """Nothing is said in one language only, and no sentence is left that nobody says."""
    codes = {str(code) for code in all_codes()}
    for language in LANGUAGES:
        known = {
            f"{file.stem}.{key}"
            for file in (MESSAGES / language).glob("*.toml")
            for key in sentences(language, file.stem)
        }
        assert known - codes == set(), f"said by nobody, in {language}"
        assert codes - known == set(), f"without a sentence in {language}"


def test_all_languages_say_the_same_values() -> None:
    """A translation names the values of the English sentence, in the same shape, and is not empty."""
    for code in map(str, all_codes()):
        table, _, key = code.partition(".")
        entries = [sentences(language, table)[key] for language in LANGUAGES]
        assert len({frozenset(placeholders(entry)) for entry in entries}) == 1, code
        assert len({type(entry) for entry in entries}) == 1, code
        for entry in entries:
            if isinstance(entry, dict):
                assert set(entry) - {"code"} in (PLURAL, set(PARTS)), code
                assert entry.get("cause", entry.get("one")), code
            else:
                assert entry.strip() == entry != "", code


def said_in_both() -> Iterator[tuple[str, str]]:
    """English and German of all that Steward says: in windows, of the rooms, and after a request."""
    for code in map(str, all_codes()):
        table, _, key = code.partition(".")
        yield tuple(str(sentences(language, table)[key]) for language in ("en", "de"))  # type: ignore[misc]
    for message in ElementTree.parse(resources() / "translations" / "steward_de.ts").iter("message"):
        source, translation = message.find("source"), message.find("translation")
        assert source is not None
        assert translation is not None
        yield str(source.text), "".join(translation.itertext())
    requests = tomllib.loads((resources() / "requests.toml").read_text(encoding="utf-8"))
    for said in (*requests["told"].values(), *requests["named"].values()):
        yield said["en"], said["de"]


# What German has two words for that are used for two things here, or for one: the word, and its English.
ONE_WORD = (
    ("rinnerung", r"remind"),  # a memory is an entry of the "Gedächtnis", or what is "gemerkt"
    (r"(?i)\bdies\w* Rechner", r"this worker"),  # "Rechner" are workers, and this one is a "Computer"
    (r"Infobereich|Symbolleiste", r"toolbar"),  # Steward waits in the "Taskleiste"
)


@pytest.mark.parametrize(("german", "english"), ONE_WORD)
def test_german_has_one_word_for_each_thing(german: str, english: str) -> None:
    """The same in every window, in the terminal, and after a request."""
    said = list(said_in_both())
    assert len(said) > 2000
    mixed = [de for en, de in said if re.search(german, de) and not re.search(english, en, re.IGNORECASE)]
    assert not mixed, "\n".join(mixed)


def calls_with_codes() -> Iterator[tuple[str, str, set[str]]]:
    """Where, the code's name (`GateReason.READS_ONLY`), and the names of the values given."""
    for file in sorted((ROOT / "desktop").rglob("*.py")):
        if b".of(" not in (text := file.read_bytes()):
            continue
        tree = ast.parse(text)
        taking = set(functions_that_take_codes(tree))
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call):
                continue
            place = f"{file.relative_to(ROOT)}:{node.lineno}"
            if isinstance(node.func, ast.Attribute) and node.func.attr == "of":
                named = {keyword.arg for keyword in node.keywords if keyword.arg}
                if all(keyword.arg for keyword in node.keywords):
                    yield place, ast.unparse(node.func.value), named
            elif isinstance(node.func, ast.Name) and node.func.id in taking:
                yield from ((place, ast.unparse(each), set()) for each in node.args)


def functions_that_take_codes(tree: ast.Module) -> Iterator[str]:
    """Their names: they take a code for its reason, `Reason | DoctorReason`, and give it no values."""
    aliases = {
        ast.unparse(node.targets[0])
        for node in tree.body
        if isinstance(node, ast.Assign) and re.fullmatch(r"Reason \| \w+Reason", ast.unparse(node.value))
    }
    for node in tree.body:
        if isinstance(node, ast.FunctionDef):
            annotations = (each.annotation for each in node.args.args if each.annotation is not None)
            if any(ast.unparse(each) in aliases for each in annotations):
                yield node.name


def test_every_reason_is_given_the_values_that_its_sentence_names() -> None:
    """A call that names its code gives exactly the values between the sentence's braces."""
    by_name = {f"{type(code).__name__}.{code.name}": str(code) for code in all_codes()}
    wrong = []
    for place, name, given in calls_with_codes():
        table, _, key = by_name.get(name, "").partition(".")
        if not table:
            continue
        wanted = placeholders(sentences("en", table)[key])
        entry = sentences("en", table)[key]
        wanted |= {"count"} if isinstance(entry, dict) and "one" in entry else set()
        if given != wanted:
            wrong.append(f"{place} {name}: given {sorted(given)}, the sentence names {sorted(wanted)}")
    assert not wrong, "\n".join(wrong)
