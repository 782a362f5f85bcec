"""Settings of a coding agent: the hook entries that go in, where, and what becomes of the text around them.

A `HookTarget` says which client an entry starts and with which words; what the agents' programs made of the
entries is in docs/agents.md. A file of somebody else's is read whole, kept beside before it is changed, and
put back byte for byte. Each agent names its own place (`Agent.settings_place`).
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import structlog

from desktop.agents import client, jsonc
from desktop.agents.jsonc import UnreadableJson
from desktop.agents.reasons import AgentReason
from desktop.errors import UserFacing
from desktop.paths import native_programs, own_appimage, read_regular, write_atomically
from desktop.reasons import Reason
from desktop.state_file import put_aside, read_object

log = structlog.get_logger(__name__)

HOLDS_S = 600  # the longest that the agents' own documents and types name
TELLS_S = 30  # where nothing is held: what ran, and where a session begins and ends
SPARE_S = 2  # the client gives up before the agent ends it


# For the terminal of an agent whose hooks outlived the program. Without quotation marks: any shell takes it.
LEFT_BEHIND = "Steward was removed, but its hooks are still in the settings of"
_TAKE_OUT = "Install it again and run: steward agents uninstall"

# Where in the settings, by names from the root, and what goes to the end of the list there.
Entry = tuple[tuple[str, ...], Mapping[str, Any]]


@dataclass(frozen=True)
class HookClient:
    """The words that start it, absolute."""

    words: tuple[str, ...]
    windows: bool = False


@dataclass(frozen=True)
class HookTarget:
    """How the hooks of one agent reach the daemon. `closed`: refuse where nobody answers, in any mode."""

    agent: str
    address: str  # what the client is given: the path of the Unix socket, the port, or both
    token_file: Path
    client: HookClient
    closed: bool = False

    def words(self, holds_s: int = HOLDS_S, guards: bool = True) -> tuple[str, ...]:
        """The client's words. `guards`: a tool waits for this answer."""
        flags = ("--guards",) if guards else ()
        flags = (*flags, "--fail-closed") if guards and self.closed else flags
        waits = str(holds_s - SPARE_S)
        return (*self.client.words, self.agent, self.address, f"@{self.token_file}", waits, *flags)

    def line(self, holds_s: int = HOLDS_S, shell: str = "", guards: bool = True) -> str:
        """The same as one line, quoted for the shell that the agent starts it with. Where the client is gone
        it says so and lets the agent's own rules decide, or refuses where everything is to be."""
        line = quoted([*self.words(holds_s, guards)], self.client.windows, shell)
        # The shells of Windows have no words in common for it; its uninstaller takes hooks out.
        if self.client.windows:
            return line
        # For sh, and for fish, which knows no braces: some agents start hooks with the user's own shell. The
        # client stays last, since a flag may be added to it. What only tells says nothing: once is enough.
        says = f'echo "{left_behind(self.agent)}" >&2; exit {2 if self.closed else 1}'
        ends = f"exec sh -c {shlex.quote(says)}" if guards else "exit 0"
        return f"{_is_there(self.client)} || {ends}; exec {line}"

    def handler(self, holds_s: int, shell: str = "", guards: bool = False) -> dict[str, Any]:
        """The handler in the form that most vendors share, its time-out in seconds."""
        return {"type": "command", "command": self.line(holds_s, shell, guards), "timeout": holds_s}


def left_behind(agent: str) -> str:
    """What hooks say whose program is gone."""
    return f"{LEFT_BEHIND} {agent}: nothing was checked. {_TAKE_OUT} {agent}"


def _is_there(client: HookClient) -> str:
    """The condition that the program can be started; of an interpreter that its script is there, too."""
    program, *others = client.words
    files = (f" && test -f {shlex.quote(word)}" for word in others if os.path.isabs(word))
    return f"test -x {shlex.quote(program)}{''.join(files)}"


def quoted(words: list[str], windows: bool, shell: str = "") -> str:
    """For sh; on Windows for cmd and Git's bash, whose common ground is forward slashes, or PowerShell."""
    if not windows:
        return shlex.join(words)
    if shell == "powershell":
        return "& " + " ".join("'" + word.replace("'", "''") + "'" for word in words)
    # Git's bash would take a backslash for an escape.
    return subprocess.list2cmdline([word.replace("\\", "/") for word in words])


def grouped(root: str, events: Mapping[str, Mapping[str, Any]], matcher: str = "") -> tuple[Entry, ...]:
    """Entries in the form that most vendors share: for each event a group with one handler in it."""
    group = {"matcher": matcher} if matcher else {}
    return tuple(((root, event), {**group, "hooks": [handler]}) for event, handler in events.items())


def ours(agent: str) -> Callable[[Any], bool]:
    """Whether a value is a handler of ours for this agent, also from another folder or an older version."""
    # By its look, not by where it lies: Steward may have been moved, and its own old entries must still go.
    url = re.compile(rf"http://(127\.0\.0\.1|localhost|\[::1\]):\d+/hooks/{re.escape(agent)}")
    line = re.compile(rf"(agents[/\\]client\.py|steward-hook(\.exe)?)[\"']* +[\"']*{re.escape(agent)}[\"']* ")

    def is_ours(value: Any) -> bool:
        if not isinstance(value, dict):
            return False
        if url.fullmatch(str(value.get("url", ""))):
            return True
        return any(line.search(str(value.get(name, ""))) for name in ("command", "bash", "powershell"))

    return is_ours


def hook_client(folder: Path) -> HookClient:
    """A program that is there also while Steward is not: an AppImage puts its own into `folder`.

    Raises UserFacing in a bundle that lacks its client, and where a copy cannot be written.
    """
    windows = sys.platform == "win32"
    native = native_programs() / ("steward-hook.exe" if windows else "steward-hook")
    # Quicker to start than an interpreter, and it is started before every tool.
    if native.is_file():
        lasting = native if own_appimage() is None else _lasting_copy(native, folder / native.name)
        return HookClient((str(lasting),), windows)
    if getattr(sys, "frozen", False):
        raise UserFacing(AgentReason.NO_HOOK_CLIENT.of(file=native))
    return HookClient((sys.executable, "-I", "-S", str(Path(client.__file__).resolve())), windows)


def _lasting_copy(native: Path, copy: Path) -> Path:
    """`copy`, the same as `native`; replaced whole, because an agent may be starting it just now."""
    content = native.read_bytes()
    try:
        if not copy.is_file() or copy.read_bytes() != content:
            write_atomically(copy, content)
        copy.chmod(0o700)
    except OSError as error:
        raise UserFacing(
            AgentReason.HOOK_CLIENT_NOT_COPIED.of(folder=copy.parent, error=str(error))
        ) from error
    return copy


BACKUP_SUFFIX = ".before-steward"
REMEMBERED = 4  # versions of ours that are known again; more than one only after a crash
LARGEST_SETTINGS_BYTES = 16_000_000  # Claude Code keeps a history of all projects in one of its files
MOST_ABOVE = 40  # folders above that of an agent; a loop of mounts must not hold a hook up


@dataclass(frozen=True)
class Computer:
    """Where agents are looked for, and their settings."""

    home: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    windows: bool = False

    @classmethod
    def this(cls) -> Computer:
        return cls(Path.home(), dict(os.environ), sys.platform == "win32")

    def folder(self, variable: str, otherwise: str) -> Path:
        """The folder that a variable names, or one in the user's home."""
        named = self.environment.get(variable, "")
        return Path(named) if Path(named).is_absolute() else self.home / otherwise

    def program(self, names: tuple[str, ...]) -> str | None:
        """The first of `names` on the PATH of that environment: a launched run may have another than this
        process."""
        path = self.environment.get("PATH")
        return next(filter(None, (shutil.which(name, path=path) for name in names)), None)


@dataclass(frozen=True)
class SharedFile:
    """Settings of the user's in JSON, in which our entries stand beside others.

    `folder` is there when the agent was ever started. `why_off` says from the settings, in words, why the
    agent would pass over its hooks. What reads a text raises Unreadable.
    """

    agent: str
    file: Path
    entries: Callable[[HookTarget], tuple[Entry, ...]]
    why_off: Callable[[Mapping[str, Any]], Reason | None] = lambda _settings: None
    wants_version: bool = False

    @property
    def folder(self) -> Path:
        return self.file.parent

    def with_ours(self, text: str, target: HookTarget) -> str:
        """`text` with our hooks, in place of older ones of ours."""
        changed = entries_text(self.entries(target), self.without_ours(text) if text.strip() else text)
        return jsonc.set_if_missing(changed, "version", 1) if self.wants_version else changed

    def without_ours(self, text: str) -> str:
        """`text` less our hooks; empty where the file was ours alone."""
        return jsonc.without(text, ours(self.agent))

    def hooks(self, text: str) -> tuple[Mapping[str, Any], ...]:
        """Our handlers in it."""
        return jsonc.find(text, ours(self.agent)) if text.strip() else ()

    def off(self, text: str) -> Reason | None:
        """Why the agent would pass over its hooks; None where nothing says so."""
        value = jsonc.parse(text).value if text.strip() else {}
        return self.why_off(value if isinstance(value, dict) else {})


@dataclass(frozen=True)
class OwnFile:
    """A file that the agent loads with others of its folder, ours from the first byte to the last.

    The same promises as of SharedFile.
    """

    agent: str
    folder: Path
    file: Path
    content: Callable[[HookTarget], str]
    read: Callable[[str], tuple[Mapping[str, Any], ...]]
    why_off: Callable[[Mapping[str, Any]], Reason | None] = lambda _settings: None

    def with_ours(self, text: str, target: HookTarget) -> str:
        self._check(text)
        return self.content(target)

    def without_ours(self, text: str) -> str:
        self._check(text)
        return ""

    def hooks(self, text: str) -> tuple[Mapping[str, Any], ...]:
        return self.read(text) if text.strip() else ()

    def off(self, text: str) -> Reason | None:  # noqa: ARG002 - nothing of it is in our own file
        return self.why_off({})

    def _check(self, text: str) -> None:
        if text.strip() and not self.read(text):
            raise UnreadableJson("the file is not Steward's")


SettingsPlace = SharedFile | OwnFile


def entries_text(entries: Iterable[Entry], text: str = "") -> str:
    """`text` with these entries at the end of the lists that they name. Raises Unreadable."""
    for path, entry in entries:
        text = jsonc.appended(text, path, entry)
    return text


# -- reading ----------------------------------------------------------------------------------


def folders_above(folder: Path) -> tuple[Path, ...]:
    """The folder and those above it, in each of which an agent may look for settings of a project."""
    return (folder, *folder.parents)[:MOST_ABOVE]


def text_of_settings(file: Path) -> str:
    """What cannot be read holds nothing that its agent could read."""
    try:
        # Whoever works in a folder may have put anything there, and the gate's one thread reads it.
        return read_regular(file, LARGEST_SETTINGS_BYTES).decode("utf-8")
    except (OSError, ValueError):
        return ""


def json_settings(file: Path) -> Mapping[str, Any]:
    """With the comments that agents allow in their settings; empty for what cannot be read."""
    text = text_of_settings(file) if os.path.lexists(file) else ""
    if not text.strip():
        return {}
    try:
        return table(json.loads(text))
    except RecursionError:
        return {}
    except ValueError:  # comments, then: the slower reader knows them
        pass
    try:
        return table(jsonc.parse(text).value)
    except (UnreadableJson, RecursionError):
        return {}


def toml_settings(file: Path) -> Mapping[str, Any]:
    """Empty for what cannot be read."""
    try:
        return tomllib.loads(text_of_settings(file))
    except (tomllib.TOMLDecodeError, RecursionError):
        return {}


def table(value: object) -> Mapping[str, Any]:
    """The object; empty for a value of another kind, which the user may have written."""
    return value if isinstance(value, dict) else {}


def texts(value: object) -> tuple[str, ...]:
    """The texts of a list; empty for a value of another kind."""
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else ()


# -- writing ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Content:
    """The file as it is. `mode` is None where there is no file."""

    text: str = ""
    mode: int | None = None

    @property
    def exists(self) -> bool:
        return self.mode is not None


def read(file: Path) -> Content:
    """Through links. Raises UserFacing for what is no file, and for what cannot be read as text."""
    try:
        facts = file.stat()
        content = read_regular(file, LARGEST_SETTINGS_BYTES)
        return Content(content.decode("utf-8"), stat.S_IMODE(facts.st_mode))
    except FileNotFoundError:
        return Content()
    except UnicodeDecodeError as error:
        raise UserFacing(AgentReason.SETTINGS_NOT_TEXT.of(file=file)) from error
    except OSError as error:
        raise unusable(file, error) from error


def write(file: Path, content: Content) -> None:
    """Replace the file whole or not at all; where it did not exist, it goes. Raises UserFacing.

    A link stays one: people keep their settings in a folder of their own and link to it. What it leads to is
    written, or goes.
    """
    try:
        # A rename onto the link would replace it, and the user's own folder of settings would go stale.
        file = end_of(file)
        if not content.exists:
            file.unlink(missing_ok=True)
            return
        # A rename needs no right to the file itself; whoever protected it meant it.
        if file.exists() and not os.access(file, os.W_OK):
            raise PermissionError(13, "it is write-protected", str(file))
        write_atomically(file, content.text.encode())
        file.chmod(content.mode if content.mode is not None else 0o600)
    except OSError as error:
        raise unusable(file, error) from error


def end_of(file: Path) -> Path:
    """Where the links lead, if it is one. Raises OSError where they lead in a circle."""
    return file.resolve(strict=file.exists()) if file.is_symlink() else file


@dataclass(frozen=True)
class Receipt:
    """How a file was before our hooks, and how with them; no token and no text, only hashes."""

    file: str
    before: str  # SHA-256, empty where there was no file
    mode: int | None
    after: tuple[str, ...] = ()
    folder: str = ""  # the outermost one that was made for it; empty where all were there

    def fits(self, file: Path, content: Content) -> bool:
        """Whether nobody but us has changed the file since."""
        return self.file == str(file) and content.exists and digest(content.text) in self.after


class Receipts:
    """One for each installed agent, in Steward's own folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, agent: str) -> Receipt | None:
        path, what = self._path(agent), "What an installation looked like"
        facts = read_object(path, what)
        try:
            return _receipt(facts) if facts else None
        except (ValueError, KeyError, TypeError) as error:
            put_aside(path, what, f"an entry is of another kind ({error})")
            return None

    def write(self, agent: str, receipt: Receipt) -> None:
        write_atomically(self._path(agent), json.dumps(asdict(receipt)).encode())

    def drop(self, agent: str) -> None:
        self._path(agent).unlink(missing_ok=True)

    def _path(self, agent: str) -> Path:
        return self._folder / f"{agent}.json"


def _receipt(facts: Mapping[str, Any]) -> Receipt:
    mode = facts["mode"]
    if not (mode is None or isinstance(mode, int)):
        raise TypeError("a mode is a number")
    after = tuple(str(each) for each in facts["after"])
    return Receipt(str(facts["file"]), str(facts["before"]), mode, after, str(facts.get("folder", "")))


def original(file: Path, content: Content, receipt: Receipt | None) -> Content | None:
    """The file as it was before our hooks; None where that cannot be said for certain."""
    if receipt is None or not receipt.fits(file, content):
        return None
    if not receipt.before:
        return Content()
    kept = _kept(file)
    # A backup that is not what was kept would put somebody else's bytes back.
    if kept is None or digest(kept.text) != receipt.before:
        return None
    return replace(kept, mode=receipt.mode)


def keep(file: Path, before: Content) -> None:
    """Write the backup beside the file; nothing where there was no file. Raises UserFacing."""
    if before.exists:
        write(backup_of(file), before)


def drop_backup(file: Path) -> None:
    backup_of(file).unlink(missing_ok=True)


def backup_of(file: Path) -> Path:
    return file.with_name(file.name + BACKUP_SUFFIX)


def receipt_for(file: Path, before: Content, after: str, older: Receipt | None) -> Receipt:
    """To be written before the file: whichever of the two a crash leaves, it is known again."""
    again = older if older is not None and older.file == str(file) else None
    known = again.after if again is not None else ()
    folder = again.folder if again is not None else _missing_folder(file)
    # The newest last: a crash leaves the file with one of these, and both must be known again.
    kept = tuple(each for each in known if each != digest(after))[-(REMEMBERED - 1) :]
    first = digest(before.text) if before.exists else ""
    return Receipt(str(file), first, before.mode, (*kept, digest(after)), folder)


def _missing_folder(file: Path) -> str:
    """The outermost folder above it that is not there; empty where the file only has to be written."""
    missing = ""
    for folder in file.parents:
        if folder.exists():
            break
        missing = str(folder)
    return missing


def drop_folders(receipt: Receipt) -> None:
    """Take away the folders that were made for the file, as far as they are empty again: an agent whose
    folder is there counts as being on this computer."""
    if not receipt.folder:
        return
    for folder in Path(receipt.file).parents:
        if not folder.is_relative_to(receipt.folder):
            return
        try:
            folder.rmdir()
        except OSError:  # something is in it, or it has gone already
            return


def digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _kept(file: Path) -> Content | None:
    try:
        kept = read(backup_of(file))
    except UserFacing as error:
        log.warning("the backup cannot be read", error=str(error))
        return None
    return kept if kept.exists else None


def unusable(file: Path, error: OSError) -> UserFacing:
    """The error where the system refuses the file or its folder."""
    return UserFacing(AgentReason.SETTINGS_UNUSABLE.of(file=file, error=error.strerror or str(error)))
