"""Which words of the windows people read, and the Qt Linguist files that hold their translations.

They are marked: `tr("…")`, `tr_noop("…")`, `plural("…", "…", n)` of desktop/ui/language.py. The settings
declare theirs, and presets are named in their file. What the rooms below say does not belong here: they hand
up reasons, whose sentences lie in tables of their own (desktop/reasons.py).
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree
from xml.sax.saxutils import escape

CONTEXT = "Steward"  # one for all words: a word means the same in every window
DECLARED = "settings/declared.py"  # the words of a form of the windows, beside each setting
MARKS = ("tr", "tr_noop")
# Which arguments of a declaration people read: by place, and by name.
DECLARING = {
    "setting": ((1, 2), ()),
    "group": ((1, 2), ()),
    "Display": ((), ("unit", "least", "empty", "danger")),
    "Field": ((), ("title", "description")),
    "ValueError": ((0,), ()),
}
# Calls that show their text, and the functions that a text may go through before.
SHOWING = (
    *(
        "setText",
        "setWindowTitle",
        "setToolTip",
        "setPlaceholderText",
        "setTitle",
        "setStatusTip",
        "setWhatsThis",
    ),
    *("setAccessibleName", "setAccessibleDescription", "setInformativeText", "setDetailedText", "addAction"),
    *("addMenu", "addTab", "show_text", "show_words", "set_words", "offer", "say", "QPushButton", "QLabel"),
    *("QAction", "QMenu", "QCheckBox", "QToolButton", "QMessageBox", "CheckBox", "Label", "button", "Badge"),
    *("IconButton", "Chip", "ErrorCard", "UserFacing", "Notice", "ask", "QListWidgetItem", "MoreButton"),
)
THROUGH = ("tr", "plural", "tr_noop", "get")
NAMES = ("Steward", "CPU", "CUDA", "Metal", "Vulkan", "JSON", "PDF", "hf_…")  # the same in every language
_FIELD = re.compile(r"\{(\w+)(?:[:!][^{}]*)?\}")


@dataclass
class Word:
    """One text to be translated, and where it stands."""

    source: str
    files: set[str] = field(default_factory=set)
    is_plural: bool = False


Words = dict[str, Word]


def collect(root: Path) -> Words:
    """Every word of the source, in the order of files and lines."""
    words: Words = {}
    for file in sorted((root / "desktop").rglob("*.py")):
        name = file.relative_to(root / "desktop").as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if name.startswith(("ui/", "app/", "qt/", "system/")):
            _add(words, name, _marked(tree))
        if name == DECLARED:
            _add(words, name, ((text, False) for text in _declared(tree)))
    _add(words, "", ((name, False) for name in _preset_names(root)))
    return words


def _add(words: Words, name: str, found: Iterable[tuple[str, bool]]) -> None:
    for text, is_plural in found:
        word = words.setdefault(text, Word(text, is_plural=is_plural))
        word.is_plural |= is_plural
        if name:
            word.files.add(name)


def _marked(tree: ast.AST) -> Iterator[tuple[str, bool]]:
    """Texts in `tr`, `tr_noop` and `plural`; of a plural the second, which stands for all forms."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args:
            if node.func.id in MARKS:
                yield from ((each, False) for each in _texts(node.args[0]))
            elif node.func.id == "plural" and len(node.args) > 1:
                yield from ((each, True) for each in _texts(node.args[1]))


def _declared(tree: ast.AST) -> Iterator[str]:
    """Titles, help and choices of the settings, and what is said of a rule that cannot be."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            read = DECLARING.get(_name_of(node.func))
            if read is not None:
                places, names = read
                shown = [node.args[place] for place in places if place < len(node.args)]
                shown += [each.value for each in node.keywords if each.arg in names]
                yield from (text for each in shown for text in _texts(each))
        elif isinstance(node, ast.ClassDef) and any(_name_of(base) == "Worded" for base in node.bases):
            for line in node.body:
                if isinstance(line, ast.Assign) and isinstance(line.value, ast.Tuple):
                    yield from _texts(line.value.elts[1])


def _texts(node: ast.AST) -> Iterator[str]:
    """The literals that an argument may be: `"a" if x else "b"` is two."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        if node.value:
            yield node.value
    elif isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)


def _name_of(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def template_of(node: ast.AST) -> str | None:
    """A literal as it is, an f-string with a name for each value."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if not isinstance(node, ast.JoinedStr):
        return None
    names: dict[str, str] = {}
    parts = []
    for part in node.values:
        if isinstance(part, ast.Constant):
            parts.append(str(part.value))
        elif isinstance(part, ast.FormattedValue):
            parts.append("{" + _named(part.value, names) + "}")
    return "".join(parts)


def _named(value: ast.expr, names: dict[str, str]) -> str:
    """A short name for a value; the same value has the same name, another one another."""
    expression = ast.unparse(value)
    if expression not in names:
        base = (re.findall(r"[a-z_]+", expression.lower()) or ["value"])[-1].strip("_") or "value"
        taken = set(names.values())
        number = next(n for n in range(1, 99) if (base if n == 1 else f"{base}{n}") not in taken)
        names[expression] = base if number == 1 else f"{base}{number}"
    return names[expression]


def _preset_names(root: Path) -> Iterator[str]:
    """Of the presets that come with the program."""
    listed = tomllib.loads((root / "resources" / "presets.toml").read_text(encoding="utf-8"))
    yield from (each["name"] for each in listed["preset"])


# -- Qt Linguist files ---------------------------------------------------------------------------


Translated = dict[str, tuple[str, ...]]


def read_translations(file: Path) -> Translated:
    """What is translated in a `.ts` file: one text, or the forms of a plural."""
    done: Translated = {}
    if not file.exists():
        return done
    for message in _read(file).iter("message"):
        translation = message.find("translation")
        if translation is None or translation.get("type"):
            continue
        forms = tuple(form.text or "" for form in translation.iter("numerusform"))
        done[message.findtext("source", "")] = forms or (translation.text or "",)
    return done


def _read(file: Path) -> ElementTree.Element:
    return ElementTree.parse(file).getroot()  # noqa: S314 - a file of ours


def sources(file: Path) -> set[str]:
    """Everything that a `.ts` file lists, translated or not."""
    return {message.findtext("source", "") for message in _read(file).iter("message")}


def write_translations(file: Path, words: Words, done: Translated, language: str) -> None:
    """Write the file anew: what is known keeps its translation."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!DOCTYPE TS>",
        f'<TS version="2.1" language="{language}" sourcelanguage="en">',
    ]
    lines += ["<context>", f"    <name>{CONTEXT}</name>"]
    for word in sorted(words.values(), key=lambda word: (min(word.files, default=""), word.source)):
        lines += _message(word, done.get(word.source, ()))
    lines.append("</context>")
    file.parent.mkdir(exist_ok=True)
    file.write_text("\n".join([*lines, "</TS>", ""]), encoding="utf-8")


def _message(word: Word, forms: tuple[str, ...]) -> list[str]:
    plural = ' numerus="yes"' if word.is_plural else ""
    places = [f'        <location filename="../../desktop/{name}"/>' for name in sorted(word.files)]
    unfinished = "" if forms else ' type="unfinished"'
    if word.is_plural:
        shown = forms or ("", "")
        inner = (
            "".join(f"\n            <numerusform>{escape(form)}</numerusform>" for form in shown)
            + "\n        "
        )
    else:
        inner = escape(forms[0]) if forms else ""
    return [
        f"    <message{plural}>",
        *places,
        f"        <source>{escape(word.source)}</source>",
        f"        <translation{unfinished}>{inner}</translation>",
        "    </message>",
    ]


def fields_of(text: str) -> set[str]:
    """Names of the values that a text is filled with."""
    return {hole[1] for hole in _FIELD.finditer(text)}


def unwrapped(root: Path) -> Iterator[str]:
    """Places in the windows where a word is shown that no translator will see."""
    for file in sorted((root / "desktop" / "ui").rglob("*.py")):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and _name_of(node.func) in SHOWING:
                for argument in (*node.args, *(keyword.value for keyword in node.keywords)):
                    for text in _bare(argument):
                        place = f"{file.relative_to(root)}:{argument.lineno}"
                        yield f"{place}: {text!r} is shown, but not in tr()"


def _bare(node: ast.AST) -> Iterator[str]:
    """Words inside an argument that go through none of the functions of language.py."""
    if isinstance(node, ast.Call) and _name_of(node.func) in THROUGH:
        return
    if isinstance(node, ast.Constant | ast.JoinedStr):
        text = template_of(node)
        if text is not None and _is_word(_FIELD.sub("", text)) and text not in NAMES:
            yield text
        if isinstance(node, ast.Constant):
            return
    for child in ast.iter_child_nodes(node):
        if not isinstance(node, ast.JoinedStr) or isinstance(child, ast.FormattedValue):
            yield from _bare(child)


def _is_word(text: str) -> bool:
    if not re.search(r"[A-Za-z]{2}", text) or re.fullmatch(r"[a-z0-9_.:/-]*", text):
        return False  # nothing to read, or the name of an object
    return not re.search(r"\b\d*px\b|^[a-z-]+: |^(Ctrl|Alt|Shift)\+|</?[a-z]+>|\{\{|:;", text)


def update(root: Path, language: str = "de") -> tuple[int, list[str]]:
    """Write the language's file anew; returns how many texts there are, and those without a translation."""
    file = file_of(root, language)
    words, done = collect(root), read_translations(file)
    write_translations(file, words, done, language)
    return len(words), [word for word in words if word not in done]


def file_of(root: Path, language: str) -> Path:
    return root / "resources" / "translations" / f"steward_{language}.ts"


def wrong_with(root: Path, language: str = "de") -> Iterator[str]:
    """Sentences about a file that is not what the source asks for."""
    file, words = file_of(root, language), collect(root)
    done, listed = read_translations(file), sources(file)
    for key in sorted(set(words) - listed):
        yield f"{file.name} lacks {key!r}; run: python3 dev.py translate"
    for key in sorted(listed - set(words)):
        yield f"{file.name} holds {key!r}, which nobody says any more; run: python3 dev.py translate"
    for key in sorted((set(words) & listed) - set(done)):
        yield f"{file.name} has no translation of {key!r}; write one there"
    for key, forms in sorted(done.items()):
        if fields_of(forms[-1]) != fields_of(key):
            yield f"{file.name}: {forms[-1]!r} names other values than {key!r}"
