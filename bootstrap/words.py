"""Which words of the source people read, and the Qt Linguist files that hold their translations.

The windows mark theirs: `tr("…")`, `tr_noop("…")`, `plural("…", "…", n)` of desktop/ui/language.py. The rooms
below know no language; there the sentences of errors, questions, checks and settings are found by the call
that they stand in, f-strings as templates: f"{name} is missing." is found as "{name} is missing.".
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

WINDOWS, CORE = "Steward", "Core"
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
# Calls below the windows whose arguments people read.
SPOKEN = (
    *(
        "UserFacing",
        "ChangedSince",
        "Check",
        "Question",
        "ScopeOffer",
        "Notice",
        "Suggestion",
        "Gone",
        "because",
    ),
    *(
        "setting",
        "group",
        "Display",
        "refuse",
        "refusal",
        "refused",
        "_refusal",
        "_refused",
        "_failed",
        "failed",
    ),
    *("Never", "Failure", "Unreadable", "Standing", "CallRefused", "HotkeyState", "State"),
)
# Rooms that speak to models, shells and terminals, not to windows.
SILENT = (
    *("ui/", "app/", "cli/", "server/", "gate/shell/", "chat/formats/", "engine/chat_template.py"),
    *("chat/tool_mode.py", "chat/tool_choice.py", "chat/prompts.py", "memory/context.py"),
    *("agents/", "mcp/"),
)
# Files all of whose words are read.
WHOLE = (
    *(
        "asking.py",
        "system/doctor.py",
        "system/hotkey/grabber.py",
        "models/progress.py",
    ),
    "agents/questions.py",
    *("system/hotkey/global_hotkey.py", "engine/events.py", "network/failures.py"),
)
# Sentences that are put together of parts, so that no literal holds them.
PUT_TOGETHER = (
    *("the limit of {limit} steps was reached", "it took longer than {wall_clock_s} seconds"),
    *("the same call was asked for twice", "two calls failed one after another"),
    "Remind you: {text}. {now}{note}",
    *("Read {name}?", "Write {name}?", "Change {name}?", "Delete {name}?", "Overwrite {name}?"),
    *("tokens", "minutes", "seconds", "milliseconds", "percent"),
    *("Can be undone.", "Cannot be undone.", "Uses the network.", "Does not use the network."),
)
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
THROUGH = ("tr", "plural", "tr_noop", "told", "get")
NAMES = ("Steward", "CPU", "CUDA", "Metal", "Vulkan", "JSON", "PDF", "hf_…")  # the same in every language
LEAST_LETTERS = 5  # that are fixed in a template: with fewer it would fit anything
_FIELD = re.compile(r"\{(\w+)(?:[:!][^{}]*)?\}")
_SENTENCE = re.compile(r"[A-Z“‘{][^\n]*\s[^\n]*[.?…:]$|[A-Z][\w’'-]+( [\w’'-]+){1,6}$")
_NO_PROSE = re.compile(
    r"\b(SELECT|INSERT|UPDATE|DELETE FROM|CREATE|ALTER TABLE|DROP TABLE|ORDER BY|HTTP/|PRAGMA|BEGIN)\b"
    r"|[\\|<>=^$]|__|^[A-Z0-9_]+$|^(Ctrl|Alt)\+|^%"
)
# What is told to the model stands beside what is told to people.
TO_MODELS = (
    *("You summarise", "Summarise this part", "{earlier}The conversation", "Attached {kind}"),
    *("Go on with the", "Write a title for", "{nonce} {words}. Now count"),
)


@dataclass
class Word:
    """One text to be translated, and where it stands."""

    context: str
    source: str
    files: set[str] = field(default_factory=set)
    is_plural: bool = False

    @property
    def key(self) -> tuple[str, str]:
        return self.context, self.source


Words = dict[tuple[str, str], Word]


def collect(root: Path) -> Words:
    """Every word of the source, in the order of files and lines."""
    words: Words = {}
    for file in sorted((root / "desktop").rglob("*.py")):
        name = file.relative_to(root / "desktop").as_posix()
        tree = ast.parse(file.read_text(encoding="utf-8"))
        if name.startswith(("ui/", "app/", "qt/", "system/")):
            _add(words, WINDOWS, name, _marked(tree))
        if name == DECLARED:
            _add(words, WINDOWS, name, ((text, False) for text in _declared(tree)))
        if not name.startswith(SILENT) or name in (*WHOLE, "app/gate_parts.py"):
            _add(words, CORE, name, ((text, False) for text in _spoken(tree, name in WHOLE)))
    _add(
        words,
        CORE,
        "",
        ((text, False) for text in PUT_TOGETHER),
    )
    _add(words, WINDOWS, "", ((name, False) for name in _preset_names(root)))
    return words


def _add(words: Words, context: str, name: str, found: Iterable[tuple[str, bool]]) -> None:
    for text, is_plural in found:
        word = words.setdefault((context, text), Word(context, text, is_plural=is_plural))
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


def _spoken(tree: ast.Module, whole: bool) -> Iterator[str]:
    """Sentences of a room below the windows."""
    docs = {id(node) for node in _documentation(tree)}
    said = set(_said(tree))
    for node in _outermost_texts(tree):
        if id(node) in docs:
            continue
        text = template_of(node)
        if text is not None and (id(node) in said or whole or _SENTENCE.match(text)) and _is_prose(text):
            yield text


def _said(tree: ast.AST) -> Iterator[int]:
    """Ids of all nodes inside a call whose arguments people read."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _name_of(node.func) in SPOKEN:
            for argument in (
                *node.args,
                *(keyword.value for keyword in node.keywords if keyword.arg != "code"),
            ):
                yield from map(id, ast.walk(argument))


def _name_of(function: ast.expr) -> str:
    if isinstance(function, ast.Name):
        return function.id
    return function.attr if isinstance(function, ast.Attribute) else ""


def _documentation(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            yield node.value


def _outermost_texts(tree: ast.AST) -> Iterator[ast.AST]:
    """Literals and f-strings, but not the literals inside an f-string's own text."""
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
        if (is_text or isinstance(node, ast.JoinedStr)) and id(node) not in inside:
            yield node


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


def _is_prose(text: str) -> bool:
    fixed = _FIELD.sub("", text)
    letters = sum(letter.isalpha() for letter in fixed)
    least = LEAST_LETTERS if _FIELD.search(text) else 2
    if text.startswith(TO_MODELS):
        return False
    return letters >= least and not _NO_PROSE.search(fixed) and (" " in text or text[:1].isupper())


def _preset_names(root: Path) -> Iterator[str]:
    """Of the presets that come with the program."""
    listed = tomllib.loads((root / "resources" / "presets.toml").read_text(encoding="utf-8"))
    yield from (each["name"] for each in listed["preset"])


# -- Qt Linguist files ---------------------------------------------------------------------------


Translated = dict[tuple[str, str], tuple[str, ...]]


def read_translations(file: Path) -> Translated:
    """What is translated in a `.ts` file: one text, or the forms of a plural."""
    done: Translated = {}
    if not file.exists():
        return done
    for context in _read(file).iter("context"):
        for message in context.iter("message"):
            translation = message.find("translation")
            if translation is None or translation.get("type"):
                continue
            forms = tuple(form.text or "" for form in translation.iter("numerusform"))
            done[context.findtext("name", ""), message.findtext("source", "")] = forms or (
                translation.text or "",
            )
    return done


def _read(file: Path) -> ElementTree.Element:
    return ElementTree.parse(file).getroot()  # noqa: S314 - a file of ours


def sources(file: Path) -> set[tuple[str, str]]:
    """Everything that a `.ts` file lists, translated or not."""
    root = _read(file)
    return {
        (context.findtext("name", ""), message.findtext("source", ""))
        for context in root.iter("context")
        for message in context.iter("message")
    }


def write_translations(file: Path, words: Words, done: Translated, language: str) -> None:
    """Write the file anew: what is known keeps its translation."""
    lines = [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<!DOCTYPE TS>",
        f'<TS version="2.1" language="{language}" sourcelanguage="en">',
    ]
    for context in (WINDOWS, CORE):
        lines += ["<context>", f"    <name>{context}</name>"]
        for word in sorted(words.values(), key=lambda word: (min(word.files, default=""), word.source)):
            if word.context == context:
                lines += _message(word, done.get(word.key, ()))
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
    return len(words), [word.source for word in words.values() if word.key not in done]


def file_of(root: Path, language: str) -> Path:
    return root / "resources" / "translations" / f"steward_{language}.ts"


def wrong_with(root: Path, language: str = "de") -> Iterator[str]:
    """Sentences about a file that is not what the source asks for."""
    file, words = file_of(root, language), collect(root)
    done, listed = read_translations(file), sources(file)
    for key in sorted(set(words) - listed):
        yield f"{file.name} lacks {key[1]!r}; run: python3 dev.py translate"
    for key in sorted(listed - set(words)):
        yield f"{file.name} holds {key[1]!r}, which nobody says any more; run: python3 dev.py translate"
    for key in sorted((set(words) & listed) - set(done)):
        yield f"{file.name} has no translation of {key[1]!r}; write one there"
    for key, forms in sorted(done.items()):
        if fields_of(forms[-1]) != fields_of(key[1]):
            yield f"{file.name}: {forms[-1]!r} names other values than {key[1]!r}"
