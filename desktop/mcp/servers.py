"""The servers of a profile: started when one of their tools is first called, ended when nobody calls any
more.

With any number of servers set up nothing runs and nothing is loaded until then: what their tools are is
known from the pins. A server that keeps ending is off after the fourth time within an hour. None of them
can take another one, or a conversation, with it.
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import Enum
from pathlib import Path
from typing import Any

import structlog

from desktop import cancellation
from desktop.errors import Cancelled, UserFacing
from desktop.events import Bus, Event
from desktop.gate.grants import Grants
from desktop.gate.snapshots import Snapshots
from desktop.mcp import pins as pin_rules
from desktop.mcp.access import Access, ServerReach, access_of
from desktop.mcp.as_tool import ServedTool, as_tool
from desktop.mcp.client import MOST_TOOLS, Connect, Inbox, McpClient, Transport
from desktop.mcp.pins import PinnedTool, Pins, PinState
from desktop.mcp.reasons import McpReason
from desktop.mcp.wire import one_line
from desktop.network import Network
from desktop.paths import Paths, read_own, write_atomically
from desktop.reasons import Reason
from desktop.sandbox import confiner, environment
from desktop.sandbox.confiner import Confiner
from desktop.settings import McpServer
from desktop.tools.calls import Call, CallResult
from desktop.tools.executor import Executor
from desktop.tools.tool import Running, Toolbox


@dataclass(frozen=True)
class ServersChanged(Event):
    """A server was started or ended, or says something else of its tools; `server` "": any of them."""

    server: str = ""


log = structlog.get_logger(__name__)

IDLE_S = 300.0
OPEN_S = 30.0  # to be started and to greet: real ones take up to six seconds on a slow computer
RESTARTS, RESTART_SPAN_S = 3, 3600.0
LOG_LINES = 200
SECRET = "keyring:"  # noqa: S105  # how a reference to a secret begins


class ServerState(Enum):
    """What a server is doing."""

    OFF = "off"  # by the settings
    WAITS = "waits"  # it is started when one of its tools is called
    RUNS = "runs"
    FAILED = "failed"  # it has ended too often


@dataclass(frozen=True)
class ServerView:
    """One server for a list. `trouble` is why it ended the last time, where that was not wanted."""

    name: str
    settings: McpServer
    state: ServerState
    access: Access
    tools: tuple[PinnedTool, ...]
    trouble: Reason | None = None


@dataclass(frozen=True)
class ServerParts:
    """What servers work with. `folder` is where one works that has no folder of its own; `secret` gives a
    secret of the keyring by its name, and blocks."""

    paths: Paths
    network: Network
    grants: Grants
    snapshots: Snapshots
    secret: Callable[[str], str | None]
    folder: Callable[[], Path]
    redacted: Callable[[str], str]


@dataclass
class _Server:
    """What is known of one server since the start. `lock` is held while it is started or ended."""

    lock: threading.RLock = field(default_factory=threading.RLock)
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=LOG_LINES))
    starts: deque[float] = field(default_factory=lambda: deque(maxlen=RESTARTS + 1))
    client: McpClient | None = None
    made_of: McpServer | None = None  # the settings that the running one was started with
    trouble: Reason | None = None
    calls: int = 0  # under way
    timer: threading.Timer | None = None


class Servers:
    """Methods may be called on any thread but the main one, unless they say that they don't block."""

    def __init__(
        self,
        settings: Callable[[], Mapping[str, McpServer]],
        parts: ServerParts,
        pins: Pins,
        bus: Bus,
        clock: Callable[[], float] = time.monotonic,
        idle_s: float = IDLE_S,
    ) -> None:
        self._settings = settings
        self._parts = parts
        self._bus = bus
        self._clock = clock
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._known: dict[str, _Server] = {}
        self._confiner = Confiner(parts.paths)
        self.pins = pins

    # -- looking; none of these blocks --------------------------------------------------------

    def views(self) -> tuple[ServerView, ...]:
        """All servers of the settings, in their order."""
        return tuple(self.view(name) for name in self._settings())

    def view(self, name: str) -> ServerView:
        """Raises UserFacing where there is no such server."""
        settings, known = self._of(name), self._server(name)
        tools = self.pins.tools(name)
        return ServerView(
            name, settings, self._state(settings, known), self.access(name), tools, known.trouble
        )

    def access(self, name: str) -> Access:
        return access_of(self._of(name), confiner.why_not())

    def lines(self, name: str) -> tuple[str, ...]:
        """The last lines of its log: what it wrote to standard error, and what happened to it."""
        self._of(name)
        return tuple(self._server(name).lines) or self._kept_lines(name)

    def offered(self) -> tuple[ServedTool, ...]:
        """Every tool that may be called now: of servers that are on, agreed to, and not switched off."""
        return tuple(
            served
            for name, settings in self._settings().items()
            if settings.enabled
            for served in self._served(name, settings)
        )

    def served(self, name: str, tool: str) -> ServedTool:
        """One of them. Raises UserFacing that says why it may not be called."""
        settings = self._of(name)
        found = next((each for each in self.pins.tools(name) if each.name == tool and each.now), None)
        if not settings.enabled:
            raise UserFacing(McpReason.SERVER_OFF.of(server=name))
        if found is None:
            raise UserFacing(McpReason.NO_TOOL.of(server=name, tool=tool))
        if tool in settings.tools_off:
            raise UserFacing(McpReason.TOOL_OFF.of(server=name, tool=tool))
        if found.state is not PinState.SAME:
            raise UserFacing(McpReason.TOOL_CHANGED.of(server=name, tool=tool))
        return next(each for each in self._served(name, settings) if each.pin.name == tool)

    def can_keep(self, access: Access) -> bool:
        """Whether what its folders hold can be kept before a call. Walks them: some milliseconds."""
        return all(map(self._parts.snapshots.can_keep, access.folders))

    # -- acting -------------------------------------------------------------------------------

    def look(self, name: str) -> tuple[PinnedTool, ...]:
        """Ask the server for its tools, starting it where it does not run; the list as it is now."""
        before = self._server(name).client
        with self._used(name) as client:
            if client is before:  # one that was started just now has been asked already
                self._list(name, client)
        return self.pins.tools(name)

    def agree(self, name: str) -> None:
        """The user has looked at what is new or another, and takes it."""
        self._of(name)
        self.pins.agree(name)
        self._bus.publish(ServersChanged(name))

    def end_grants(self, name: str) -> None:
        """Whatever was allowed of its tools asks again, as the server may do something else now."""
        for tool in self.pins.tools(name):
            self._parts.grants.end_tool(f"mcp__{name}__{tool.name}")

    def call(self, name: str, tool: str, arguments: Mapping[str, Any], running: Running) -> Mapping[str, Any]:
        """The result of the protocol. For the executor, which has asked the gate. Raises UserFacing."""
        self.served(name, tool)
        with self._used(name) as client:
            # A server that says its list is another is looked at before it is trusted with a call.
            if client.tools_changed.is_set():
                self._list(name, client)
            access = self.served(name, tool).access  # again: what it says may just have become another
            with cancellation.effect():
                self._keep(access, running.call_id)
                try:
                    result = client.call(tool, arguments, running.timeout_s, running.on_stop)
                except (Cancelled, UserFacing) as error:
                    if isinstance(error, Cancelled) or error.reason.code is McpReason.SILENT:
                        self._end_what_may_act(name, access)
                    raise
                finally:
                    self._settle(access, running.call_id)
        self.pins.used(name, tool)
        return result

    def _end_what_may_act(self, name: str, access: Access) -> None:
        """Nobody waits for its answer any more, and whether a server heeds the notice of that cannot be seen.

        One that only reads is left alone: it can change nothing and send nothing.
        """
        if access.reach not in (ServerReach.READS, ServerReach.REMOTE):
            self._end(name, McpReason.NOTE_GIVEN_UP.of())

    def start(self, name: str) -> None:
        """As the user wishes, also after it has ended too often."""
        self._server(name).starts.clear()
        self.look(name)

    def stop(self, name: str) -> None:
        """End it, where it runs; the next call starts it again."""
        self._end(name, McpReason.NOTE_ENDED.of(server=name))

    def forget(self, name: str) -> None:
        """It was taken out of the settings."""
        self.stop(name)
        self.pins.forget(name)
        try:
            self._log_file(name).unlink(missing_ok=True)
        except OSError as error:  # a log is no reason to keep a server
            log.warning("the log of a server could not be removed", server=name, reason=str(error))
        with self._lock:
            self._known.pop(name, None)
        self._bus.publish(ServersChanged(name))

    def close(self) -> None:
        """End all of them."""
        with self._lock:
            names = tuple(self._known)
        ending = [threading.Thread(target=self.stop, args=(name,), name=f"mcp {name} end") for name in names]
        # All at once: each may take its half second to end, and the program waits for the last.
        for each in ending:
            each.start()
        for each in ending:
            each.join()

    # -- starting and ending ------------------------------------------------------------------

    @contextmanager
    def _used(self, name: str) -> Iterator[McpClient]:
        """The running server; it is not ended for idleness meanwhile."""
        known = self._server(name)
        # Counted under the lock, or an idle end between the look and the call would take the server away.
        with known.lock:
            client = self._running(name, known)
            known.calls += 1
            if known.timer is not None:
                known.timer.cancel()
                known.timer = None
        try:
            yield client
        finally:
            with known.lock:
                known.calls -= 1
                if client.ended is not None:
                    self._note_end(name, known, client)
                elif not known.calls:
                    self._end_later(name, known)

    def _running(self, name: str, known: _Server) -> McpClient:
        settings = self._of(name)
        if not settings.enabled:
            raise UserFacing(McpReason.SERVER_OFF.of(server=name))
        client = known.client
        if client is not None and client.ended is None and known.made_of == settings:
            return client
        if client is not None:
            self._drop(name, known)
        self._refuse_restart(name, known)
        known.starts.append(self._clock())
        return self._started(name, known, settings)

    def _started(self, name: str, known: _Server, settings: McpServer) -> McpClient:
        begun = time.monotonic()
        client = McpClient(name, self._connect(name, settings), lambda line: self._note(name, line))
        known.client, known.made_of, known.trouble = client, settings, None
        try:
            client.open(OPEN_S)
            self._list(name, client)
        except UserFacing as error:
            known.trouble = error.reason
            self._note(name, str(error))
            self._drop(name, known)
            raise
        self._note(name, str(McpReason.NOTE_STARTED.of(seconds=time.monotonic() - begun)))
        self._bus.publish(ServersChanged(name))
        return client

    def _refuse_restart(self, name: str, known: _Server) -> None:
        since = self._clock() - RESTART_SPAN_S
        # The first start and three more; ends that were wanted are taken out of the count by `_end`.
        if sum(at > since for at in known.starts) > RESTARTS:
            raise UserFacing(McpReason.TOO_MANY_RESTARTS.of(server=name))

    def _note_end(self, name: str, known: _Server, client: McpClient) -> None:
        """It has ended while it was used."""
        if known.client is client:
            known.trouble = client.ended
            self._note(name, str(client.ended))
            self._drop(name, known)
            self._bus.publish(ServersChanged(name))

    def _drop(self, name: str, known: _Server) -> None:
        client, known.client = known.client, None
        if client is not None:
            client.close(client.ended or McpReason.NOTE_ENDED.of(server=name))
            self._keep_lines(name, known)
            self.pins.keep()

    def _end_later(self, name: str, known: _Server) -> None:
        timer = threading.Timer(self._idle_s, self._end_idle, (name,))
        timer.name, timer.daemon = f"mcp {name} idle", True
        known.timer = timer
        timer.start()

    def _end_idle(self, name: str) -> None:
        known = self._server(name)
        with known.lock:
            if known.calls or known.client is None:
                return
        self._end(name, McpReason.NOTE_ENDED_IDLE.of())

    def _end(self, name: str, why: Reason) -> None:
        known = self._server(name)
        with known.lock:
            if known.timer is not None:
                known.timer.cancel()
                known.timer = None
            if known.client is None:
                return
            if known.starts and known.client.ended is None:
                known.starts.pop()  # an end that was wanted is no sign of a server that cannot live
            self._note(name, str(why))
            self._drop(name, known)
        self._bus.publish(ServersChanged(name))

    # -- its tools ----------------------------------------------------------------------------

    def _list(self, name: str, client: McpClient) -> None:
        listing = client.tools(OPEN_S)
        if listing.cut:
            self._note(name, str(McpReason.NOTE_CUT.of(count=MOST_TOOLS)))
        found = []
        for sent in listing.tools:
            made = pin_rules.pin(sent)
            if made is None:
                shown = one_line(sent.get("name"), 60)
                self._note(name, str(McpReason.NOTE_UNFIT.of(tool=shown)))
            else:
                found.append(made)
        # Ended and not only void by the other hash: no list of permissions names what holds no more.
        for other in self.pins.see(name, found):
            self._parts.grants.end_tool(f"mcp__{name}__{other.name}")
            self._note(name, str(McpReason.NOTE_CHANGED.of(tool=other.name)))
        self._bus.publish(ServersChanged(name))

    def _served(self, name: str, settings: McpServer) -> Iterator[ServedTool]:
        access = self.access(name)
        home = "\0".join(settings.command) or settings.url
        for each in self.pins.tools(name):
            if each.state is PinState.SAME and each.now is not None and each.name not in settings.tools_off:
                yield ServedTool(name, each.now, access, settings.arguments, home)

    # -- what is kept before a call -----------------------------------------------------------

    def _keep(self, access: Access, call: str) -> None:
        """Copies of all that it may write to. Where that is too much the question has said so."""
        if access.reach not in (ServerReach.WRITES, ServerReach.SENDS):
            return
        for number, folder in enumerate(access.folders):
            try:
                self._parts.snapshots.take_folder(folder, f"{call}/{number}")
            except UserFacing as error:
                log.info("a server's folder is not kept", folder=str(folder), reason=str(error))

    def _settle(self, access: Access, call: str) -> None:
        if access.reach not in (ServerReach.WRITES, ServerReach.SENDS):
            return
        for number, folder in enumerate(access.folders):
            for entry in self._parts.snapshots.settle_folder(folder, f"{call}/{number}"):
                cancellation.changed(entry)

    # -- how it is reached --------------------------------------------------------------------

    def _connect(self, name: str, settings: McpServer) -> Connect:
        if settings.url:
            headers = self._with_secrets(name, settings.headers)

            def over_http(inbox: Inbox) -> Transport:
                from desktop.mcp.http import HttpTransport

                return HttpTransport(name, self._parts.network, settings.url, headers, inbox)

            return over_http
        launch = self._launch(name, settings)

        def over_pipes(inbox: Inbox) -> Transport:
            from desktop.mcp.stdio import StdioTransport

            return StdioTransport(launch, inbox.on_line, inbox.on_end, inbox.note)

        return over_pipes

    def _launch(self, name: str, settings: McpServer) -> Any:
        from desktop.mcp.stdio import Launch

        given = environment.clean(os.environ) | self._with_secrets(name, settings.environment)
        program = shutil.which(os.path.expanduser(settings.command[0]), path=given.get("PATH"))
        if program is None:
            raise UserFacing(McpReason.PROGRAM_MISSING.of(server=name, program=settings.command[0]))
        access = self.access(name)
        folder = self._folder(name, settings, access)
        argv = (program, *settings.command[1:])
        # What nothing holds may use the network as it likes, so it counts as one that does.
        if access.reach is ServerReach.ALL or settings.network:
            self._parts.network.refuse_offline()
            self._parts.network.note_open_command()
        if access.reach is not ServerReach.ALL:
            held = confiner.in_folders(self._parts.paths, access.folders, settings.network)
            scratch = self._parts.paths.cache / "confined" / "mcp" / name
            argv = self._confiner.words(replace(held, temporary=scratch), argv)
        return Launch(name, argv, folder, given)

    def _folder(self, name: str, settings: McpServer, access: Access) -> Path:
        if settings.folder:
            folder = Path(os.path.expanduser(settings.folder))
        else:
            # A relative path in a call then means something in the folder that the server may write to.
            folder = access.folders[0] if access.folders else self._parts.folder()
        for each in (folder, *access.folders):
            if not each.is_dir():
                raise UserFacing(McpReason.FOLDER_MISSING.of(server=name, folder=str(each)))
        return folder

    def _with_secrets(self, name: str, values: Mapping[str, str]) -> dict[str, str]:
        """The values with what the references to the keyring stand for."""
        return {key: self._revealed(name, value) for key, value in values.items()}

    def _revealed(self, name: str, value: str) -> str:
        if not value.startswith(SECRET):
            return value
        secret = value.removeprefix(SECRET)
        found = self._parts.secret(secret)
        if found is None:
            raise UserFacing(McpReason.SECRET_MISSING.of(server=name, secret=secret))
        return found

    # -- the rest -----------------------------------------------------------------------------

    def _of(self, name: str) -> McpServer:
        found = self._settings().get(name)
        if found is None:
            raise UserFacing(McpReason.NO_SERVER.of(server=name))
        return found

    def _server(self, name: str) -> _Server:
        with self._lock:
            return self._known.setdefault(name, _Server())

    def _state(self, settings: McpServer, known: _Server) -> ServerState:
        if not settings.enabled:
            return ServerState.OFF
        if known.client is not None and known.client.ended is None:
            return ServerState.RUNS
        since = self._clock() - RESTART_SPAN_S
        return ServerState.FAILED if sum(at > since for at in known.starts) > RESTARTS else ServerState.WAITS

    def _note(self, name: str, line: str) -> None:
        moment = f"{datetime.now().astimezone():%H:%M:%S}"
        self._server(name).lines.append(f"{moment} {self._parts.redacted(line)}")

    # Each server's last lines outlive it, so that another process can show them: `steward mcp log`.

    def _log_file(self, name: str) -> Path:
        return self._parts.paths.logs / "servers" / f"{name}.log"

    def _kept_lines(self, name: str) -> tuple[str, ...]:
        try:
            text = read_own(self._log_file(name)).decode("utf-8", "replace")
        except OSError:  # it has never been started
            return ()
        return tuple(text.splitlines()[-LOG_LINES:])

    def _keep_lines(self, name: str, known: _Server) -> None:
        try:
            write_atomically(self._log_file(name), "\n".join(known.lines).encode("utf-8", "replace"))
        except OSError as error:
            log.warning("the log of a server could not be kept", server=name, reason=str(error))


def wanted_secrets(settings: McpServer) -> Sequence[str]:
    """The names of the secrets that a server's settings refer to."""
    values = (*settings.environment.values(), *settings.headers.values())
    return [each.removeprefix(SECRET) for each in values if each.startswith(SECRET)]


def run_tool(servers: Servers, executor: Executor, server: str, tool: str, arguments: str) -> CallResult:
    """What came of it. `arguments` is a JSON object as text; nothing: none. Blocks. Raises UserFacing
    where the tool may not be called, or the arguments are none."""
    given = _arguments_of(arguments)
    if not servers.pins.is_known(server):
        servers.look(server)
    served = servers.served(server, tool)
    made = as_tool(tool, served, servers.call, can_keep=lambda: servers.can_keep(served.access))
    return executor.run(Call(secrets.token_hex(6), tool, given), Toolbox((made,)))


def _arguments_of(text: str) -> Mapping[str, Any]:
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise UserFacing(McpReason.ARGUMENTS_UNREADABLE.of(why=str(error))) from error
    if not isinstance(given, dict):
        raise UserFacing(McpReason.ARGUMENTS_UNREADABLE.of(why="no object"))
    return given
