"""Adding and taking away servers: the settings, the keyring and the pins of one server change together."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from desktop.errors import UserFacing
from desktop.mcp.access import Access
from desktop.mcp.config_import import ImportedServer
from desktop.mcp.pins import PinnedTool
from desktop.mcp.reasons import McpReason
from desktop.mcp.servers import Servers, wanted_secrets
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
