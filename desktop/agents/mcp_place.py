"""The entry of Steward's tools in an agent's list of MCP servers, in JSON or TOML.

Pure functions of texts; every byte around the entry stays. What cannot be read, or would not read the same
but for the entry afterwards, raises Unreadable: then nothing has been written.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.agents import jsonc
from desktop.agents.jsonc import UnreadableJson

NAME = "steward"
VERB = ("agents", "mcp")
RUNTIME = "--runtime"  # the option of it that names a folder

Entry = Mapping[str, Any]


@dataclass(frozen=True)
class McpPlace:
    """Where the list is, by names from the root, and how the agent writes a server that is started with
    `words`."""

    file: Path
    path: tuple[str, ...]
    entry: Callable[[Sequence[str]], Entry]
    is_toml: bool = False

    @property
    def folder(self) -> Path:
        return self.file.parent

    def with_ours(self, text: str, words: Sequence[str]) -> str:
        """`text` with our entry, in place of an older one of ours."""
        entry = self.entry(words)
        if self.ours(text) == entry:
            return text
        text = self.without_ours(text)
        # Whoever called a server of their own so keeps it.
        if text.strip() and NAME in self._servers(text):
            raise UnreadableJson(f"another server is called {NAME}")
        if not self.is_toml:
            return jsonc.placed(text, self.path, NAME, dict(entry))
        made = f"{text}{_gap(text)}{_toml_table((*self.path, NAME), entry)}"
        self._check(made, {**self._servers(text), NAME: entry})
        return made

    def without_ours(self, text: str) -> str:
        """`text` less our entry, and less a list that held nothing else."""
        if self.ours(text) is None:
            return text
        if not self.is_toml:
            return jsonc.without(text, is_ours)
        left = {name: each for name, each in self._servers(text).items() if name != NAME}
        made = _without_toml_table(text, (*self.path, NAME))
        self._check(made, left)
        return made

    def ours(self, text: str) -> Entry | None:
        """Our entry in it, also one of another Steward; None where there is none."""
        found = self._servers(text).get(NAME) if text.strip() else None
        return found if is_ours(found) else None

    def _servers(self, text: str) -> Mapping[str, Any]:
        value: Any = _toml(text) if self.is_toml else jsonc.parse(text).value if text.strip() else {}
        for name in self.path:
            value = value.get(name, {}) if isinstance(value, dict) else {}
        return value if isinstance(value, dict) else {}

    def _check(self, text: str, servers: Mapping[str, Any]) -> None:
        """An edit by lines cannot see where TOML is inside of something; whoever reads it can."""
        if dict(self._servers(text)) != dict(servers):
            raise UnreadableJson(f"{NAME} cannot be told apart from what stands around it")


def json_servers(file: Path, kind: str = "", **more: Any) -> McpPlace:
    """The list `mcpServers` that most agents share; `kind` where the agent wants a type."""

    def entry(words: Sequence[str]) -> Entry:
        typed = {"type": kind} if kind else {}
        return {**typed, "command": words[0], "args": list(words[1:]), **more}

    return McpPlace(file, ("mcpServers",), entry)


def toml_servers(file: Path) -> McpPlace:
    """Tables `[mcp_servers.NAME]`."""
    return McpPlace(
        file, ("mcp_servers",), lambda words: {"command": words[0], "args": list(words[1:])}, is_toml=True
    )


def words_of(entry: Entry) -> tuple[str, ...]:
    """What an entry starts, as words."""
    command = entry.get("command", ())
    first = command if isinstance(command, list) else [command]
    rest = entry.get("args", ())
    return tuple(map(str, (*first, *(rest if isinstance(rest, list) else ()))))


def is_ours(value: object) -> bool:
    """Whether an entry starts `steward agents mcp`, from wherever that was installed."""
    if not isinstance(value, dict):
        return False
    words = words_of(value)
    # What stands before these words is another one for each way of installing.
    return any(words[at : at + 2] == VERB for at in range(1, len(words) - 2))


def _toml(text: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise UnreadableJson(str(error)) from error


def _gap(text: str) -> str:
    """An empty line before the table, where there is anything before it."""
    if not text.strip():
        return ""
    return "\n" if text.endswith("\n") else "\n\n"


def _toml_table(path: Sequence[str], entry: Entry) -> str:
    # JSON's strings and lists of strings are TOML's too, but for pairs of surrogates.
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in entry.items())
    return f"[{'.'.join(path)}]\n{''.join(lines)}"


def _without_toml_table(text: str, path: Sequence[str]) -> str:
    """Less the lines of the table and of those inside of it, and the empty line before; comments stay."""
    ours = re.compile(rf"[ \t]*\[[ \t]*{re.escape('.'.join(path))}[ \t]*[.\]]")
    kept: list[str] = []
    is_inside = False
    for line in text.splitlines(keepends=True):
        if line.lstrip().startswith("["):
            is_inside = ours.match(line) is not None
            if is_inside and kept and not kept[-1].strip():
                kept.pop()
        # An empty line ends what we wrote; the one before the next table is not ours.
        is_inside = is_inside and bool(line.strip())
        if not is_inside or line.lstrip().startswith("#"):
            kept.append(line)
    return "".join(kept)
