"""What an extension says of itself: `extension.toml`, read strictly, and what it may do in words.

Everything that a person is shown before installing stands here, and nothing here is taken from running code.
`api` is one integer. Version 1 is promised until the end of 2028: what it has stays, additions only.
"""

from __future__ import annotations

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from desktop.errors import UserFacing
from desktop.extensions.reasons import ExtensionReason
from desktop.paths import read_own
from desktop.reasons import Reason

NAME = "extension.toml"
API = 1
LARGEST_BYTES, LONGEST_LINE_BYTES = 64_000, 4_000
PROMPT_TOKENS = 200
# Without a model nobody can count. Three bytes a token is few for prose, so what is let in is never too long.
TOKEN_BYTES = 3
MOST_TOOLS, MOST_HOSTS, MOST_TAGS, MOST_SETTINGS = 8, 16, 16, 32
ID_CHARACTERS = 32
SETTING_CHARACTERS, SETTING_NUMBER = 10_000, 1_000_000_000
DESCRIPTION_WORDS = 15

_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
_WORD = re.compile(r"[a-z][a-z0-9_]*")
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+){0,3}")
_HOST = re.compile(r"(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}")
_ENTRY = re.compile(r"[a-z_][a-z0-9_]*\.py")
# Those beyond ASCII too: some terminals are steered by them.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_KINDS = {"string": str, "integer": int, "number": float, "boolean": bool}


class Hook(StrEnum):
    """The callbacks of the contract; each is a function of this name in the entry file."""

    INPUT = "on_input_messages"
    PLAIN = "on_plain_text"
    TAG = "on_tag"
    OUTPUT = "on_llm_output"
    EVENT = "on_event"


TOOL = "tool_"  # begins the name of the function behind a tool


@dataclass(frozen=True)
class ToolParameter:
    """`kind` is a word of JSON schema: string, integer, number or boolean."""

    name: str
    kind: str
    description: str = ""
    required: bool = True


@dataclass(frozen=True)
class ToolDeclaration:
    """A tool of an extension, before anything of it runs."""

    name: str
    description: str
    parameters: tuple[ToolParameter, ...] = ()


@dataclass(frozen=True)
class SettingDeclaration:
    """A value that the user may set; its kind is that of `default`."""

    name: str
    default: str | int | float | bool
    description: str = ""

    def takes(self, value: object) -> bool:
        """Whether it may be set to `value`: of its kind, and nothing that no form could show."""
        if type(value) is not type(self.default):
            return False
        if isinstance(value, str):
            return is_plain(value) and len(value) <= SETTING_CHARACTERS
        # Written so that it refuses what is no number either: nothing compares with that.
        return isinstance(value, int | float) and abs(value) <= SETTING_NUMBER


@dataclass(frozen=True)
class Permissions:
    """What it may ask us for. `hosts` are asked for pages by GET alone; `shared`: state of a team."""

    hosts: tuple[str, ...] = ()
    state: bool = False
    shared: bool = False


@dataclass(frozen=True)
class Manifest:
    """One `extension.toml`. `priority` 0 to 100: higher ones come first in a chain."""

    id: str
    version: str
    entry: str
    name: str
    description: str = ""
    author: str = ""
    priority: int = 50
    hooks: frozenset[Hook] = frozenset()
    tags: tuple[str, ...] = ()
    tools: tuple[ToolDeclaration, ...] = ()
    settings: tuple[SettingDeclaration, ...] = ()
    permissions: Permissions = field(default_factory=Permissions)
    prompt: str = ""

    def abilities(self) -> tuple[Reason, ...]:
        """What it may do, in the order of what it means to a person."""
        return tuple(self._abilities())

    def _abilities(self) -> Iterator[Reason]:
        may = self.permissions
        if Hook.INPUT in self.hooks:
            yield ExtensionReason.CHANGES_QUESTIONS.of()
        if self.hooks & {Hook.PLAIN, Hook.OUTPUT}:
            yield ExtensionReason.CHANGES_ANSWERS.of()
        if Hook.TAG in self.hooks:
            yield ExtensionReason.DRAWS_TAGS.of(tags=", ".join(f"<{tag}>" for tag in self.tags))
        if self.tools:
            yield ExtensionReason.BRINGS_TOOLS.of(tools=", ".join(tool.name for tool in self.tools))
        if may.hosts:
            yield ExtensionReason.ASKS_HOSTS.of(hosts=", ".join(may.hosts))
        if self.prompt:
            yield ExtensionReason.ADDS_TO_PROMPT.of(text=self.prompt)
        if Hook.EVENT in self.hooks:
            yield ExtensionReason.HEARS_EVENTS.of()
        if may.state:
            yield ExtensionReason.KEEPS_STATE.of()
        if may.shared:
            yield ExtensionReason.SHARES_STATE.of()


def more_than(new: Manifest, old: Manifest) -> tuple[Reason, ...]:
    """What `new` may do that `old` could not: shown before an update is accepted."""
    known = set(old.abilities())
    return tuple(each for each in new.abilities() if each not in known)


def read_manifest(folder: Path) -> Manifest:
    """The manifest in `folder`. Raises UserFacing with what is wrong with it."""
    file = folder / NAME
    try:
        if file.is_symlink() or not file.is_file():
            raise _refused(ExtensionReason.NO_MANIFEST.of())
        text = read_own(file)
    except OSError as error:
        raise _refused(ExtensionReason.UNREADABLE.of(error=error.strerror or str(error))) from error
    return parse_manifest(text)


def parse_manifest(text: bytes) -> Manifest:
    """The same of bytes. Raises UserFacing."""
    # A key of twenty thousand parts takes the square of that to read.
    if len(text) > LARGEST_BYTES or max(map(len, text.split(b"\n"))) > LONGEST_LINE_BYTES:
        raise _refused(ExtensionReason.TOO_LONG.of(key=NAME))
    try:
        return _Reader(tomllib.loads(text.decode("utf-8"))).manifest()
    except (ValueError, RecursionError) as error:
        raise _refused(ExtensionReason.NO_TOML.of(error=str(error))) from error


class _Reader:
    """Takes key after key; what is left over is unknown, and refused: a typing error is no permission."""

    def __init__(self, said: Mapping[str, Any]) -> None:
        self._said = dict(said)

    def manifest(self) -> Manifest:
        api = self._said.pop("api", None)
        if api != API or isinstance(api, bool):
            raise _refused(ExtensionReason.OTHER_API.of(api=str(api), known=API))
        own_id = self._text("id", ID_CHARACTERS, _ID)
        hooks = frozenset(Hook(word) for word in self._words("hooks", len(Hook), tuple(Hook)))
        made = Manifest(
            id=own_id,
            version=self._text("version", 32, _VERSION),
            entry=self._text("entry", 64, _ENTRY, "extension.py"),
            name=self._line("name", 60, own_id),
            description=self._line("description", 200, ""),
            author=self._line("author", 100, ""),
            priority=self._number("priority", 0, 100, 50),
            hooks=hooks,
            tags=self._words("tags", MOST_TAGS, _WORD),
            tools=tuple(self._tools(own_id)),
            settings=tuple(self._settings()),
            permissions=self._permissions(),
            prompt=self._prompt(),
        )
        if self._said:
            raise _refused(ExtensionReason.UNKNOWN_KEY.of(key=next(iter(self._said))))
        if (Hook.TAG in hooks) != bool(made.tags):
            raise _refused(ExtensionReason.WRONG_VALUE.of(key="tags"))
        if not made.hooks and not made.tools and not made.prompt:
            raise _refused(ExtensionReason.DOES_NOTHING.of())
        return made

    def _tools(self, own_id: str) -> Iterator[ToolDeclaration]:
        # Under the extension's own name, so that none can stand in for one of Steward's tools.
        prefix = own_id.replace("-", "_") + "_"
        for said in self._tables("tools", MOST_TOOLS):
            inner = _Reader(said)
            name = inner._text("name", 48, _WORD)
            description = inner._line("description", 200)
            if not name.startswith(prefix):
                raise _refused(ExtensionReason.TOOL_NAME.of(name=name, prefix=prefix))
            if not description or len(description.split()) > DESCRIPTION_WORDS:
                raise _refused(ExtensionReason.TOO_LONG.of(key=f"{name}.description"))
            parameters = tuple(_parameter(_Reader(each)) for each in inner._tables("parameters", 8))
            inner._nothing_left(name)
            yield ToolDeclaration(name, description, parameters)

    def _settings(self) -> Iterator[SettingDeclaration]:
        for said in self._tables("settings", MOST_SETTINGS):
            inner = _Reader(said)
            name = inner._text("name", 32, _WORD)
            default = inner._said.pop("default", None)
            description = inner._line("description", 200, "")
            inner._nothing_left(f"settings.{name}")
            is_known = isinstance(default, str | int | float | bool)
            if not is_known or not (made := SettingDeclaration(name, default, description)).takes(default):
                raise _refused(ExtensionReason.WRONG_VALUE.of(key=f"settings.{name}.default"))
            yield made

    def _permissions(self) -> Permissions:
        said = self._said.pop("permissions", {})
        if not isinstance(said, dict):
            raise _refused(ExtensionReason.WRONG_VALUE.of(key="permissions"))
        inner = _Reader(said)
        # Kept in the contract for a later version: today nobody gets a file, whatever is written here.
        if inner._words("reads", 0, _WORD):
            raise _refused(ExtensionReason.READS_NOTHING.of())
        made = Permissions(
            inner._words("hosts", MOST_HOSTS, _HOST), inner._flag("state"), inner._flag("shared")
        )
        inner._nothing_left("permissions")
        return made

    def _prompt(self) -> str:
        said = self._said.pop("prompt", "")
        if not isinstance(said, str) or not is_seen(said):
            raise _refused(ExtensionReason.WRONG_VALUE.of(key="prompt"))
        prompt = said.strip()
        if len(prompt.encode()) > PROMPT_TOKENS * TOKEN_BYTES:
            raise _refused(ExtensionReason.PROMPT_TOO_LONG.of(tokens=PROMPT_TOKENS))
        return prompt

    def _text(self, key: str, most: int, form: re.Pattern[str], default: str | None = None) -> str:
        said = self._said.pop(key, default)
        if not isinstance(said, str) or len(said) > most or form.fullmatch(said) is None:
            raise _refused(ExtensionReason.WRONG_VALUE.of(key=key))
        return said

    def _line(self, key: str, most: int, default: str | None = None) -> str:
        said = self._said.pop(key, default)
        if not isinstance(said, str) or not is_seen(said) or "\n" in said:
            raise _refused(ExtensionReason.WRONG_VALUE.of(key=key))
        if len(said) > most:
            raise _refused(ExtensionReason.TOO_LONG.of(key=key))
        return said.strip()

    def _number(self, key: str, least: int, most: int, default: int) -> int:
        said = self._said.pop(key, default)
        if not isinstance(said, int) or isinstance(said, bool) or not least <= said <= most:
            raise _refused(ExtensionReason.WRONG_VALUE.of(key=key))
        return said

    def _flag(self, key: str, default: bool = False) -> bool:
        said = self._said.pop(key, default)
        if not isinstance(said, bool):
            raise _refused(ExtensionReason.WRONG_VALUE.of(key=key))
        return said

    def _words(self, key: str, most: int, form: re.Pattern[str] | tuple[str, ...]) -> tuple[str, ...]:
        said = self._said.pop(key, [])
        fits = form.__contains__ if isinstance(form, tuple) else form.fullmatch
        is_list = isinstance(said, list) and all(isinstance(each, str) and fits(each) for each in said)
        if not is_list or len(said) > max(most, 0) or len(set(said)) != len(said):
            # An empty list is the one value that a key without permitted words may have.
            raise _refused(ExtensionReason.WRONG_VALUE.of(key=key))
        return tuple(said)

    def _tables(self, key: str, most: int) -> list[dict[str, Any]]:
        said = self._said.pop(key, [])
        if not isinstance(said, list) or len(said) > most or not all(isinstance(each, dict) for each in said):
            raise _refused(ExtensionReason.WRONG_VALUE.of(key=key))
        names = [each.get("name") for each in said]
        if len(set(map(str, names))) != len(names):
            raise _refused(ExtensionReason.WRONG_VALUE.of(key=key))
        return said

    def _nothing_left(self, where: str) -> None:
        if self._said:
            raise _refused(ExtensionReason.UNKNOWN_KEY.of(key=f"{where}.{next(iter(self._said))}"))


def _parameter(inner: _Reader) -> ToolParameter:
    name = inner._text("name", 32, _WORD)
    kind = inner._said.pop("type", "string")
    if kind not in _KINDS:
        raise _refused(ExtensionReason.WRONG_VALUE.of(key=f"{name}.type"))
    made = ToolParameter(name, kind, inner._line("description", 120, ""), inner._flag("required", True))
    inner._nothing_left(name)
    return made


def is_id(text: str) -> bool:
    """Whether an extension may be called so."""
    return len(text) <= ID_CHARACTERS and _ID.fullmatch(text) is not None


def is_plain(text: str) -> bool:
    """Whether a text can be shown as it is: whole characters, and no controls but line ends and tabs."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:  # half a pair of surrogates
        return False
    return _CONTROL.search(text) is None


def is_seen(text: str) -> bool:
    """Whether whoever reads a text before he agrees to it sees all of it, in the order in which it stands.

    Marks that nobody sees can spell a sentence, which only a model reads, and others turn a line around.
    """
    if not is_plain(text):
        return False
    before = ""
    for letter in text:
        # What joins two pictures into one, and says in which form one is drawn.
        joins = letter in "\u200d\ufe0f" and (
            unicodedata.category(before or "a") == "So" or before == "\ufe0f"
        )
        is_odd = letter not in "\n\t" and unicodedata.category(letter) in _UNSEEN
        if (is_odd or _BLANK.match(letter)) and not joins:
            return False
        before = letter
    return True


_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Called letters or marks, and drawn as nothing.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)


def _refused(why: Reason) -> UserFacing:
    return UserFacing(ExtensionReason.MANIFEST_REFUSED.of(why=why))
