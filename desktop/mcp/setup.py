"""Adding and taking away servers: the settings, the keyring and the pins of one server change together."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from desktop.errors import UserFacing
from desktop.mcp.access import Access
from desktop.mcp.pins import PinnedTool
from desktop.mcp.reasons import McpReason
from desktop.mcp.servers import SECRET, Servers, wanted_secrets
from desktop.mcp.wire import DEPTH, LINE_BYTES, is_deeper, one_line
from desktop.paths import read_regular
from desktop.reasons import Reason
from desktop.sandbox import environment
from desktop.settings import SettingsFile

LINES_TOLD = 3  # of the log of a server that could not be added
NAME = re.compile(r"[a-z0-9][a-z0-9_-]{0,31}")


@dataclass(frozen=True)
class Keyring:
    """The part of the keyring that is needed. Both block."""

    set: Callable[[str, str], object]
    delete: Callable[[str], object]


class ServerSetup:
    """Methods block; any thread but the main one."""

    def __init__(self, settings: SettingsFile, servers: Servers, keyring: Keyring) -> None:
        self._settings = settings
        self._servers = servers
        self._keyring = keyring

    def add(
        self, name: str, entry: Mapping[str, Any], secrets: Mapping[str, str], look: bool = True
    ) -> tuple[PinnedTool, ...]:
        """Write it down and, with `look`, start it once to see its tools. Of one that can't be started
        nothing is kept. Raises UserFacing."""
        self._refuse_unfit(name, entry)
        for secret, value in secrets.items():
            self._keyring.set(secret, value)
        self._settings.put("mcp", "servers", name, entry)
        if not look:
            return ()
        # A server that cannot be started would be offered to the model, and fail there.
        try:
            return self._servers.look(name)
        except UserFacing as error:
            # Removing it removes its log, which may be all that says what is wrong with its command.
            told = self._end_of_log(name, error)
            self.remove(name)
            if not told:
                raise
            raise UserFacing(McpReason.NOT_ADDED.of(server=name, why=error.reason, lines=told)) from error

    def _end_of_log(self, name: str, error: UserFacing) -> str:
        """What the log of one that could not be started says beyond the error itself."""
        moments_and_lines = (each.partition(" ") for each in self._servers.lines(name))
        lines = [line for _, _, line in moments_and_lines if line != str(error)]
        return " / ".join(lines[-LINES_TOLD:])

    def take(self, server: ImportedServer) -> None:
        """One of another program's list, switched off."""
        self.add(server.name, server.entry, server.secrets, look=False)

    def change(self, name: str, **fields: Any) -> None:
        """Other settings of a server that is there. One that runs is ended, as what it may do may be
        another."""
        before = self._servers.view(name).settings.model_dump(exclude_defaults=True)
        self._settings.put("mcp", "servers", name, {**before, **fields})
        self._servers.stop(name)

    def switch(self, name: str, on: bool) -> tuple[PinnedTool, ...]:
        """Let its tools be called, or not; they are returned. One whose tools nobody has seen yet, as of an
        imported list, is started once, since the model is only offered what is known; where that fails it
        stays off. Raises UserFacing."""
        self.change(name, enabled=on)
        known = self._servers.pins.tools(name)
        if known or not on:
            return known
        try:
            return self._servers.look(name)
        except UserFacing as error:
            told = self._end_of_log(name, error)
            self.change(name, enabled=False)
            if not told:
                raise
            raise UserFacing(McpReason.STAYS_OFF.of(server=name, why=error.reason, lines=told)) from error

    def allow(self, name: str, folders: Sequence[str], has_network: bool) -> Access:
        """Let it write to `folders`, absolute and no others, and talk to other computers or not. A yes that
        lasted was given to what it could do before, and ends. Raises UserFacing."""
        if self._servers.view(name).settings.url:
            raise UserFacing(McpReason.ACCESS_OF_HOST.of(server=name))
        missing = next((each for each in folders if not Path(each).is_dir()), None)
        if missing is not None:
            raise UserFacing(McpReason.FOLDER_MISSING.of(server=name, folder=missing))
        self.change(name, folders=list(folders), network=has_network)
        self._servers.end_grants(name)
        return self._servers.access(name)

    def switch_tool(self, name: str, tool: str, on: bool) -> None:
        """Let one of its tools be called, or not."""
        off = set(self._servers.view(name).settings.tools_off)
        off = off - {tool} if on else off | {tool}
        before = self._servers.view(name).settings.model_dump(exclude_defaults=True)
        self._settings.put("mcp", "servers", name, {**before, "tools_off": sorted(off)})

    def remove(self, name: str) -> None:
        """Take it away: settings, secrets and what is known of its tools. Raises UserFacing."""
        # The secrets first: what a locked keyring kept could not be removed any more without the entry.
        for secret in wanted_secrets(self._servers.view(name).settings):
            self._keyring.delete(secret)
        self._servers.forget(name)
        self._settings.drop("mcp", "servers", name)

    def _refuse_unfit(self, name: str, entry: Mapping[str, Any]) -> None:
        if not NAME.fullmatch(name):
            raise UserFacing(McpReason.NAME_UNFIT.of(server=name))
        if name in self._settings.current.mcp.servers:
            raise UserFacing(McpReason.NAME_TAKEN.of(server=name))
        if bool(entry.get("command")) == bool(entry.get("url")):
            raise UserFacing(McpReason.NEEDS_COMMAND.of())
        url = str(entry.get("url", ""))
        if url and not _is_address(url):
            open_to_all = url.startswith("http://") and _is_address(f"https://{url.removeprefix('http://')}")
            reason = McpReason.ADDRESS_OPEN if open_to_all else McpReason.ADDRESS_UNFIT
            raise UserFacing(reason.of(url=url))


def _is_address(url: str) -> bool:
    """Without a password in it, and without encryption only on this computer."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return False
    here = parts.hostname in ("localhost", "127.0.0.1", "::1")
    is_web = parts.scheme == "https" or (parts.scheme == "http" and here)
    return is_web and bool(parts.hostname) and "@" not in parts.netloc


# -- lists that other programs keep ------------------------------------------------------------

# Lists of servers that other programs keep, read into ours: each is shown before, and all of them are
# off.
#
# Known are `mcpServers` (Claude Desktop, Claude Code's `.mcp.json`, LM Studio, Cursor), `servers` (VS
# Code) and `context_servers` (Zed), each a table of names. Nothing is started by reading one. A value
# that looks like a secret goes to the keyring, and the settings get its name.
#
# Pure but for reading the file; any thread.

TABLES = ("mcpServers", "servers", "context_servers")
MOST_SERVERS = 100
_UNFIT = re.compile(r"[^a-z0-9_-]+")


@dataclass(frozen=True)
class ImportedServer:
    """One server of somebody's list. `entry` is what the settings get, `secrets` what the keyring gets."""

    name: str
    entry: Mapping[str, Any]
    secrets: Mapping[str, str] = field(default_factory=dict)

    @property
    def shown(self) -> str:
        """What would run, or where it is: every word, for the user to read before it is ever started. Its
        variables stand before it, as one runs it in a shell: some make a program run another one's code."""
        words = self.entry.get("command") or [self.entry.get("url", "")]
        variables = [f"{key}={_quoted(value)}" for key, value in self.entry.get("environment", {}).items()]
        return one_line(" ".join([*variables, *map(_quoted, words)]), 2000)


@dataclass(frozen=True)
class ServerList:
    """What another program's list holds. `left_out` names the entries that cannot be used."""

    servers: tuple[ImportedServer, ...]
    left_out: tuple[str, ...] = ()

    @property
    def note(self) -> Reason | None:
        """Which were left out, and why; None where all can be used."""
        return McpReason.LIST_LEFT_OUT.of(names=", ".join(self.left_out)) if self.left_out else None


def read_list(file: Path) -> ServerList:
    """All usable servers of `file`. Raises UserFacing where it is no such list, or names none."""
    shown = str(file)
    try:
        text = read_regular(file, LINE_BYTES)
    except OSError as error:
        raise _unreadable(shown, error.strerror or str(error)) from error
    # Before it is parsed: what is nested deeply enough ends the parser and not with an error that could be
    # told.
    if is_deeper(text, DEPTH):
        raise _unreadable(shown, "it is nested deeper than such a list can be")
    try:
        content = json.loads(text)
    except ValueError as error:
        raise _unreadable(shown, str(error)) from error
    table = next((content[name] for name in TABLES if isinstance(content, dict) and name in content), None)
    if not isinstance(table, dict):
        raise UserFacing(McpReason.LIST_EMPTY.of(file=shown))
    found: dict[str, ImportedServer] = {}
    left_out: list[str] = []
    for name, said in table.items():
        is_fit = len(found) < MOST_SERVERS and isinstance(said, dict) and _is_text(said)
        made = _server(_free(_name(name), found), said) if is_fit else None
        if made is None:
            left_out.append(one_line(str(name).encode("utf-8", "replace").decode(), 40))
        else:
            found[made.name] = made
    if not found:
        raise UserFacing(McpReason.LIST_EMPTY.of(file=shown))
    return ServerList(tuple(found.values()), tuple(left_out))


def _is_text(said: Mapping[str, Any]) -> bool:
    """Whether all of it can be written down: JSON may hold halves of characters, which settings may not."""
    try:
        json.dumps(said, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def secret_name(server: str, variable: str) -> str:
    """Under which the keyring has a value of a server's."""
    return f"mcp-{server}-{variable}".lower()


def with_references(server: str, values: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Values for the settings, and secrets for the keyring: what looks like one becomes a reference to it."""
    kept: dict[str, str] = {}
    secrets: dict[str, str] = {}
    for key, value in values.items():
        # Lists hold keys in plain text; the settings, which are backed up, must not.
        if value.startswith(SECRET) or not _is_secret(key, value):
            kept[key] = value
            continue
        name = secret_name(server, key)
        kept[key], secrets[name] = f"{SECRET}{name}", value
    return kept, secrets


def _server(name: str, said: Mapping[str, Any]) -> ImportedServer | None:
    """None where it names neither a command nor an address."""
    command, url = _command(said), _url(said)
    if bool(command) == bool(url):
        return None
    variables, secrets = with_references(name, _texts(said.get("env")))
    headers, more = with_references(name, _texts(said.get("headers")))
    folder = said.get("cwd")
    entry = {
        "command": command,
        "url": url,
        "folder": folder if isinstance(folder, str) else "",
        "environment": variables,
        "headers": headers,
    }
    # All are off: whoever wrote that list had another program in mind, which asked other questions.
    return ImportedServer(name, {k: v for k, v in entry.items() if v} | {"enabled": False}, secrets | more)


def _command(said: Mapping[str, Any]) -> list[str]:
    inner = said.get("command")
    if isinstance(inner, Mapping):  # Zed's older form
        return _command({"command": inner.get("path"), "args": inner.get("args")})
    command, words = inner, said.get("args")
    if isinstance(command, str) and command:
        command = [command]
    if not isinstance(command, list):
        return []
    return [str(each) for each in (*command, *(words if isinstance(words, list) else ()))]


def _url(said: Mapping[str, Any]) -> str:
    named = (said.get(key) for key in ("url", "serverUrl", "httpUrl"))
    # Programs differ in the word for it.
    found = next((each for each in named if isinstance(each, str)), "")
    return found if found.startswith(("http://", "https://")) else ""


def _texts(values: object) -> dict[str, str]:
    if not isinstance(values, dict):
        return {}
    return {str(key): str(value) for key, value in values.items() if isinstance(value, str | int | float)}


def _is_secret(key: str, value: str) -> bool:
    return environment.is_secret(key, value) or key.casefold() in ("authorization", "x-api-key", "cookie")


def _name(name: object) -> str:
    return _UNFIT.sub("-", str(name).casefold()).strip("-_")[:32] or "server"


def _free(name: str, taken: Mapping[str, object]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name[:28]}-{number}"
    return found


def _quoted(word: object) -> str:
    text = str(word)
    return text if re.fullmatch(r"[\w@%+=:,./-]+", text) else json.dumps(text, ensure_ascii=False)


def _unreadable(file: str, why: str) -> UserFacing:
    return UserFacing(McpReason.LIST_UNREADABLE.of(file=file, why=why))


def usual_places(home: Path) -> tuple[Path, ...]:
    """Where other programs keep such lists, those that are there."""
    config = Path(os.environ.get("XDG_CONFIG_HOME", home / ".config"))
    places = (
        config / "Claude" / "claude_desktop_config.json",
        home / "Library" / "Application Support" / "Claude" / "claude_desktop_config.json",
        home / ".claude.json",
        home / ".cursor" / "mcp.json",
        home / ".lmstudio" / "mcp.json",
        config / "Code" / "User" / "mcp.json",
    )
    return tuple(each for each in places if each.is_file())
