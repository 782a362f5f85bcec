"""One run of a coding agent with the gate in it, and nothing of it left in the user's own settings.

Two files are written for the run alone: Steward's own, which says what guards it, and a pure one in the
vendor's form, because agents complain of what they do not know. How an agent takes such a file it says itself
(`LaunchableAgent.launch`).
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import shutil
import stat
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop.agents.action import Action
from desktop.agents.agent import LaunchableAgent, LaunchRequest
from desktop.agents.agent_list import AGENTS
from desktop.agents.install import Installer
from desktop.agents.reasons import AgentReason
from desktop.agents.settings_file import HookTarget
from desktop.agents.tokens import Tokens
from desktop.errors import UserFacing
from desktop.paths import Paths, ensure, write_atomically
from desktop.reasons import Reason
from desktop.settings import HookSettings, Judge, PermissionSettings

log = structlog.get_logger(__name__)

RECORD, AGENT, KEY, SEAL_SUFFIX = "run.json", "agent.json", "seal.key", ".seal"

SESSION = "ORCHESTRATOR_SESSION"  # the variable that every process of a run has
OWN_FILE = "steward.json"  # names in `sealed_files` what else is sealed
KEY_BYTES = 32
MEMORY = Path("/dev/shm")  # noqa: S108 - a file system in memory, used only through a folder of our own
ALIVE_S = 1.0
CLOCK_S = 2.0  # a process's start is told to the hundredth of a second, after a restart perhaps otherwise


@dataclass(frozen=True)
class LaunchedRun:
    """One launched agent. `pid` and `started_s` name its launcher, also after that number is reused.

    It lives as long as its launcher or its agent does: a launcher that is killed leaves the agent running,
    which needs the files and the token.
    """

    session: str
    agent: str
    folder: Path
    pid: int
    started_s: float

    @property
    def is_alive(self) -> bool:
        return _is_same(self.pid, self.started_s) or self._agent_is_alive()

    def _agent_is_alive(self) -> bool:
        """The process that the launcher started, or one that has the session from it."""
        try:
            facts = json.loads(self.file(AGENT).read_bytes())
            if _is_same(int(facts["pid"]), float(facts["started_s"])):
                return True
        except (OSError, ValueError, KeyError, TypeError) as error:
            log.info("which process the agent is was not written down", error=str(error))
        return any(_has_session(each, self.session) for each in psutil.process_iter())

    def file(self, name: str) -> Path:
        return self.folder / name

    def seal_of(self, name: str) -> Path:
        return self.folder / f"{name}{SEAL_SUFFIX}"


class LaunchedRuns:
    """All launched runs of a profile. Any thread."""

    def __init__(self, paths: Paths) -> None:
        self._usual = paths.runtime / "launches"
        self._memory = _memory_folder(paths)

    @property
    def folder(self) -> Path:
        """In the runtime folder; where that is on a disk and Linux has one in memory, there."""
        return self._memory if self._memory is not None and _is_ours(self._memory) else self._usual

    def begin(self, agent: str) -> LaunchedRun:
        """A folder for a new run, readable by its owner only, with a key in it. Raises OSError."""
        session = secrets.token_hex(8)
        # `ensure` would make it with the rights that the system's folder gives; this one holds tokens.
        if self._memory is not None:
            self._memory.mkdir(mode=0o700, exist_ok=True)
        run = LaunchedRun(session, agent, self.folder / session, os.getpid(), psutil.Process().create_time())
        ensure(self.folder)
        # Fails where it is there already: nobody can have prepared it for us.
        run.folder.mkdir(mode=0o700)
        # Before the record: a run is one only with its record, and then its key is there.
        write_atomically(run.file(KEY), secrets.token_bytes(KEY_BYTES))
        facts = {**asdict(run), "folder": str(run.folder)}
        write_atomically(run.file(RECORD), json.dumps(facts).encode())
        return run

    def started(self, run: LaunchedRun, pid: int) -> None:
        """The agent runs, as this process. Where that cannot be written, its variables tell."""
        try:
            facts = {"pid": pid, "started_s": psutil.Process(pid).create_time()}
            write_atomically(run.file(AGENT), json.dumps(facts).encode())
        except (OSError, psutil.Error) as error:
            log.warning("which process the agent is could not be written down", error=str(error))

    def write(self, run: LaunchedRun, name: str, text: str) -> Path:
        """Write a file with mode 0600 and its seal beside it. Raises OSError."""
        content = text.encode()
        write_atomically(run.file(name), content)
        write_atomically(run.seal_of(name), _mac(run.file(KEY).read_bytes(), name, content).encode())
        return run.file(name)

    def end(self, run: LaunchedRun) -> None:
        """Remove everything of it; what cannot be removed now goes at the next launch."""
        shutil.rmtree(run.folder, ignore_errors=True)
        # The folder of all runs goes with the last of them.
        with suppress(OSError):  # another run is in it
            run.folder.parent.rmdir()

    def tidy(self) -> tuple[str, ...]:
        """Remove what runs left that ended without cleaning up; returns their sessions."""
        dead = [run for run in self._all() if not run.is_alive]
        for run in dead:
            self.end(run)
        return tuple(run.session for run in dead)

    def alive(self) -> tuple[LaunchedRun, ...]:
        return tuple(run for run in self._all() if run.is_alive)

    def _all(self) -> Iterator[LaunchedRun]:
        with suppress(FileNotFoundError):
            for folder in sorted(self.folder.iterdir()):
                if folder.is_dir() and (run := _recorded(folder)) is not None:
                    yield run


def _is_same(pid: int, started_s: float) -> bool:
    """Whether that very process is there, and not another that got its number."""
    try:
        process = psutil.Process(pid)
        # A zombie has ended; its parent has not asked for it yet.
        is_there = process.status() != psutil.STATUS_ZOMBIE
        return is_there and abs(process.create_time() - started_s) < CLOCK_S
    except psutil.Error:
        return False


def _has_session(process: psutil.Process, session: str) -> bool:
    try:
        return process.environ().get(SESSION) == session
    except (psutil.Error, OSError):  # another user's, or gone meanwhile
        return False


def _recorded(folder: Path) -> LaunchedRun | None:
    """A folder without a record is one that is being made, or was left while it was."""
    try:
        facts = json.loads((folder / RECORD).read_bytes())
        return LaunchedRun(
            folder.name, str(facts["agent"]), folder, int(facts["pid"]), float(facts["started_s"])
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        log.info("no record of this run", folder=str(folder), error=str(error))
        return None


def broken(run: LaunchedRun) -> Reason | None:
    """Why the run's files cannot be believed; None when each of them is as it was sealed."""
    try:
        key = run.file(KEY).read_bytes()
        if not _fits(run, OWN_FILE, key):
            return AgentReason.SEAL_CHANGED.of(files=OWN_FILE)
        names = json.loads(run.file(OWN_FILE).read_bytes())["sealed_files"]
        wrong = [str(name) for name in names if not _fits(run, str(name), key)]
    except (OSError, ValueError, KeyError, TypeError) as error:
        return AgentReason.SEAL_UNREADABLE.of(error=str(error))
    return AgentReason.SEAL_CHANGED.of(files=", ".join(wrong)) if wrong else None


def _fits(run: LaunchedRun, name: str, key: bytes) -> bool:
    sealed = run.seal_of(name).read_text(encoding="ascii", errors="replace")
    # Compared in constant time, like every proof here.
    return hmac.compare_digest(_mac(key, name, run.file(name).read_bytes()).encode(), sealed.encode())


def _mac(key: bytes, name: str, content: bytes) -> str:
    """Over the name too, so that two files cannot be exchanged."""
    return hmac.new(key, f"{name}\0".encode() + content, hashlib.sha256).hexdigest()


class Seals:
    """Whether launched runs may be believed. Looks at the files again only when one of them has changed."""

    def __init__(self, runs: LaunchedRuns) -> None:
        self._runs = runs
        self._lock = threading.Lock()
        self._checked: dict[str, tuple[tuple[object, ...], Reason | None]] = {}
        self._seen: tuple[object, float, tuple[LaunchedRun, ...]] = (None, 0.0, ())

    def broken(self, action: Action) -> Reason | None:
        """Why everything of this agent must be asked; None when every run of it is whole. Any thread.

        A hook does not say which run it belongs to, so one broken run makes all of that agent's ask.
        """
        found = {run.session: self._why(run) for run in self._alive() if run.agent == action.agent}
        with self._lock:
            self._checked = {name: each for name, each in self._checked.items() if name in found}
        why = next((why for why in found.values() if why is not None), None)
        return AgentReason.RUN_NOT_AS_SEALED.of(why=why) if why is not None else None

    def _alive(self) -> tuple[LaunchedRun, ...]:
        """Looked at again when a run begins or ends, and now and then, because some are killed."""
        try:
            folder = self._runs.folder
            stamp: object = (str(folder), os.stat(folder).st_mtime_ns)
        except FileNotFoundError:
            return ()
        now = time.monotonic()
        known, at, runs = self._seen
        if known != stamp or now - at > ALIVE_S:
            runs = self._runs.alive()
            self._seen = (stamp, now, runs)
        return runs

    def _why(self, run: LaunchedRun) -> Reason | None:
        stamp = _stamp(run.folder)
        with self._lock:
            known = self._checked.get(run.session)
        if known is not None and known[0] == stamp:
            return known[1]
        why = broken(run)
        with self._lock:
            # Once broken stays broken: putting the old bytes back does not undo what was done meanwhile.
            why = why or (known[1] if known is not None else None)
            self._checked[run.session] = (stamp, why)
        return why


def _stamp(folder: Path) -> tuple[object, ...]:
    found: list[object] = []
    with suppress(FileNotFoundError), os.scandir(folder) as entries:
        for entry in entries:
            facts = entry.stat(follow_symlinks=False)
            # The change time too, which no program can set back.
            found.append((entry.name, facts.st_mtime_ns, facts.st_size, facts.st_ino, facts.st_ctime_ns))
    return tuple(sorted(found, key=str))


def _memory_folder(paths: Paths) -> Path | None:
    """A folder for this profile alone in the file system in memory, which other users can write to."""
    if sys.platform != "linux" or _is_in_memory(paths.runtime) or not _is_in_memory(MEMORY):
        return None
    profile = hashlib.sha256(str(paths.runtime).encode()).hexdigest()[:16]
    return MEMORY / f"steward-{os.geteuid()}-{profile}"


def _is_ours(folder: Path) -> bool:
    """There, made by this user, and closed to all others."""
    if sys.platform == "win32":
        return folder.is_dir()
    try:
        facts = os.lstat(folder)
    except FileNotFoundError:
        return False
    return stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.geteuid() and not facts.st_mode & 0o077


def _is_in_memory(folder: Path) -> bool:
    """Whether the longest mount point above it is a file system in memory."""
    try:
        mounts = Path("/proc/self/mounts").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return False
    kinds: Mapping[Path, str] = {
        # So the kernel writes a blank in the name of a mount point (proc(5)).
        Path(words[1].replace("\\040", " ")): words[2]
        for words in map(str.split, mounts.splitlines())
    }
    above = [each for each in (folder, *folder.parents) if each in kinds]
    return bool(above) and kinds[above[0]] in ("tmpfs", "ramfs")


VERSION = 1
HERE = ("127.0.0.1", "localhost", "::1")

# What the judge is asked with: one token, the likeliest.
SAMPLING = {"temperature": 0.1, "max_tokens": 10, "top_k": 40, "top_p": 0.95, "repeat_penalty": 1.1}


@dataclass(frozen=True)
class ModelFacts:
    """The model that judges; all empty where none does."""

    name: str = ""
    path: str = ""
    size_bytes: int = 0
    quantization: str = ""
    loaded: bool = False


@dataclass(frozen=True)
class Prepared:
    """A run that can be started: the command and its environment. `end` of the launcher ends it."""

    run: LaunchedRun
    command: tuple[str, ...]
    environment: Mapping[str, str]


class Launcher:
    """Prepares runs and cleans up behind them. Any thread; may block."""

    def __init__(
        self,
        runs: LaunchedRuns,
        tokens: Tokens,
        installer: Installer,
        hooks: HookSettings,
        permissions: PermissionSettings,
    ) -> None:
        self._runs = runs
        self._tokens = tokens
        self._installer = installer
        self._hooks = hooks
        self._permissions = permissions

    def tidy(self) -> None:
        """Remove what runs left whose launcher and agent are gone, and their tokens."""
        for session in self._runs.tidy():
            self._end_token(session)

    def prepare(
        self, name: str, arguments: tuple[str, ...], environment: Mapping[str, str], model: ModelFacts
    ) -> Prepared:
        """Write and seal the files of a run of `name` (`claude`, `claude-code` …). Raises UserFacing.

        The port is the one in the settings; whoever starts the daemon makes sure that it answers there.
        """
        agent = launchable(name)
        program = self._installer.program(agent.name)
        try:
            run = self._runs.begin(agent.name)
        except OSError as error:
            raise _no_folder(self._runs.folder, error) from error
        try:
            target = self._door(agent, run)
            given = agent.launch(target, LaunchRequest(run.folder, program, arguments, environment))
            self._write(run, given.files, model)
        except OSError as error:
            self.end(run)
            raise _no_folder(run.folder, error) from error
        except BaseException:
            self.end(run)
            raise
        # The user's words first: what the run needs must win.
        variables = {**environment, **direct(environment), **given.environment, **self._variables(run)}
        return Prepared(run, (program, *given.arguments), variables)

    def started(self, run: LaunchedRun, pid: int) -> None:
        """The agent runs, as this process; should the launcher be killed, the run lives as long as it."""
        self._runs.started(run, pid)

    def end(self, run: LaunchedRun) -> None:
        """Remove the run's files and end its token."""
        # The token before the files: what remains of a run after a kill opens nothing.
        self._end_token(run.session)
        self._runs.end(run)

    def _end_token(self, session: str) -> None:
        """On a disk that takes nothing it is left: the file that held it goes, and nobody has it then."""
        try:
            self._tokens.end(session)
        except UserFacing as refusal:
            log.warning(
                "the token of a run that is over could not be ended", session=session, why=str(refusal)
            )

    def _door(self, agent: LaunchableAgent, run: LaunchedRun) -> HookTarget:
        token = self._tokens.lend(agent.name, run.session)
        file = self._runs.write(run, "hook.token", agent.token_file_text(token))
        return self._installer.target(agent.name, file)

    def _write(self, run: LaunchedRun, files: Mapping[str, str], model: ModelFacts) -> None:
        for name, text in files.items():
            self._runs.write(run, name, text)
        own = self._own(run, tuple(files), model)
        self._runs.write(run, OWN_FILE, json.dumps(own, indent=2) + "\n")
        if why := broken(run):
            raise UserFacing(AgentReason.SEAL_BROKEN.of(why=why))

    def _own(self, run: LaunchedRun, files: tuple[str, ...], model: ModelFacts) -> dict[str, Any]:
        url = self._url
        callback = f"{url}/hooks/{run.agent}"
        seals = {"agents": str(run.seal_of(files[0])), "rules": str(run.seal_of(OWN_FILE))}
        return {
            "version": VERSION,
            "orchestration": {"enabled": self._hooks.enabled, "api_url": url, "session": run.session},
            "agents": {
                "name": run.agent,
                "settings": str(run.file(files[0])),
                "sealed_file": seals["agents"],
            },
            "rules": {"sealed_file": seals["rules"]},
            "hooks": {
                "enabled": self._hooks.enabled,
                "sealed_file": seals["rules"],
                **_model(model, self._hooks.judge),
                "inference_timeout_ms": self._hooks.inference_timeout_ms,
                **SAMPLING,
                "active_hooks": ["pre_command", "post_command", "post_execution"],
                "callbacks": dict.fromkeys(("pre_command", "post_command", "post_execution"), callback),
            },
            "permissions": self._permissions.model_dump(),
            "temp_dir": str(run.folder),
            "sealed_files": ["hook.token", *files],
        }

    @property
    def _url(self) -> str:
        return f"http://127.0.0.1:{self._hooks.port}"

    def _variables(self, run: LaunchedRun) -> dict[str, str]:
        return {
            "ORCHESTRATOR_API_URL": self._url,
            "ORCHESTRATOR_SETTINGS": str(run.file(OWN_FILE)),
            SESSION: run.session,
        }


def launchable(word: str) -> LaunchableAgent:
    """By its name or its program's. Raises UserFacing for an agent that takes no settings for one run."""
    agents = [each for each in AGENTS if isinstance(each, LaunchableAgent)]
    found = next((each for each in agents if word in (each.name, *each.programs)), None)
    if found is None:
        names = ", ".join(each.programs[0] for each in agents)
        raise UserFacing(AgentReason.NOT_LAUNCHABLE.of(agent=word, names=names))
    return found


def direct(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables by which programs of the run reach this computer without a proxy; what they name stays."""
    named = [environment.get(name, "") for name in ("NO_PROXY", "no_proxy")]
    words = [word.strip() for each in named for word in each.split(",")]
    hosts = ",".join(dict.fromkeys(word for word in (*words, *HERE) if word))
    return {"NO_PROXY": hosts, "no_proxy": hosts}


def _model(model: ModelFacts, judge: Judge) -> dict[str, Any]:
    used = model if judge is not Judge.NONE else ModelFacts()
    return {
        "model_type": "embedded" if used.name else "none",
        "model_name": used.name,
        "model_path": used.path,
        "model_size": used.size_bytes,
        "quantization": used.quantization,
        "loaded": used.loaded,
    }


def _no_folder(folder: Path, error: OSError) -> UserFacing:
    return UserFacing(AgentReason.NO_RUN_FOLDER.of(folder=folder, error=error.strerror or str(error)))
