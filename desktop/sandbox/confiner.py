"""A shell line rewritten so that it runs confined: through the native client, which gives up rights first.

    confiner = Confiner(paths)
    line = confiner.rewritten("git log | head", read_only(paths), call="toolu_01")
    ...                      # the agent runs the line
    confiner.did_run("toolu_01")

The client needs no daemon: it enforces by itself what stands in its words, or starts nothing and ends with
126. That it ran is known by the file that it makes before it gives anything up.

What a command may still do is the table of resources/confinement.toml, applied to this computer
(`read_only`, `in_project`, `in_copy`).
"""

from __future__ import annotations

import errno
import glob
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path

from desktop.errors import UserFacing
from desktop.paths import (
    Paths,
    ensure,
    native_programs,
    own_appimage,
    read_regular,
    resources,
    write_atomically,
)
from desktop.reasons import Reason
from desktop.sandbox import landlock, seccomp
from desktop.sandbox.confinement_table import protected_paths, secret_places, table
from desktop.sandbox.refusals import SandboxReason

# Loopback names and addresses that no proxy is asked for.
NO_PROXY = "localhost,127.0.0.1,::1"
PROXY_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
SCRATCH = Path("/tmp")  # noqa: S108 - every user's
# Folders of the root that are no project with all below them, and those that only hold some.
SYSTEM = frozenset({"", "bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "sys", "usr"})
CACHES = "~/.cache/"
QUEUES = "/dev/mqueue"  # who may open one there to read takes its messages away
SHARED = frozenset({"home", "media", "mnt", "opt", "root", "srv", "tmp", "var"})
NAME = "steward-confine"
SHELL = "/bin/bash"
LONGEST_BYTES = 120_000  # Linux takes 128 KiB in one word
KEPT_S = 24 * 3600.0  # reports and temporary folders of commands that only read
TIDY_EVERY_S = 3600.0
TRIAL_TIMEOUT_S = 10.0
READY_S = 5.0  # what a line begins with is made anew, and with it the folders that it names
MOST_READY = 64  # sessions that ask within so short a time
LONGEST_LINK_BYTES = 8192  # of a file of git's that names a folder
FOLDER_DESCRIPTOR = 250  # where the client leaves its report open, for the shell's last folder
# A word of a line that can change the shell's folder; one too many costs a trap, nothing more.
CHANGES_FOLDER = re.compile(r"\b(?:cd|pushd|popd)\b")
APPARMOR_SWITCH = Path("/proc/sys/kernel/apparmor_restrict_unprivileged_userns")
APPARMOR_PLACE = Path("/etc/apparmor.d/steward-confine-own")  # the package's has a name of its own
_HEAD = re.compile(r"^profile \S+ \S+", re.MULTILINE)


class Mode(StrEnum):
    READ_ONLY = "read-only"
    PROJECT = "project"


class NetworkAccess(StrEnum):
    NONE = "none"
    LOOPBACK = "loopback"  # this computer, and of it a proxy of Steward's
    OPEN = "open"


@dataclass(frozen=True)
class Confinement:
    """What a command may still do. Paths are absolute, with links followed."""

    mode: Mode
    network: NetworkAccess
    writable: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()  # may not be read
    readable: tuple[Path, ...] = ()  # may be read, though they lie in what is hidden
    protected: tuple[Path, ...] = ()  # may not be written to, though they lie in what is writable
    scratch: tuple[Path, ...] = ()  # in `SCRATCH`: may be made, changed and removed; nothing else there may
    variables: tuple[str, ...] = ()  # NAME=VALUE
    temporary: Path | None = None  # TMPDIR, where it is not one of the session

    @cached_property
    def options(self) -> tuple[str, bytes]:
        """The name and the content of the file of options; the same content has the same name."""
        # Kept with the value: a hundred paths would have to be hashed to look it up, once for each hook.
        content = "".join(f"{word}\0" for word in self._option_words()).encode("utf-8", "surrogateescape")
        return hashlib.sha256(content).hexdigest()[:32], content

    def _option_words(self) -> Iterator[str]:
        named = {
            "--writable": self.writable,
            "--hide": self.hidden,
            "--show": self.readable,
            "--protect": self.protected,
            "--share": (SCRATCH,) if self.scratch else (),
            "--own": self.scratch,
            "--set": self.variables,
        }
        for name, values in named.items():
            for value in values:
                yield from (name, str(value))


def read_only(paths: Paths, uses_network: bool = False) -> Confinement:
    """Writes nothing, and has no network unless it is known to use one."""
    network = NetworkAccess.OPEN if uses_network else NetworkAccess.NONE
    readable = [each for pattern in table()["secrets"]["readable"] for each in glob.glob(_whole(pattern))]
    shown = tuple(Path(os.path.realpath(each)) for each in readable)
    return Confinement(Mode.READ_ONLY, network, hidden=_hidden(paths), readable=shown)


def in_folders(paths: Paths, folders: Iterable[Path], uses_network: bool = False) -> Confinement:
    """Writes below `folders` and nowhere else: for a program of others that is no command of a project.

    It gets no namespaces and changes no permission bits or times. Raises UserFacing for a folder that is
    missing or too much.
    """
    wanted = tuple(Path(os.path.realpath(each)) for each in folders)
    held = read_only(paths, uses_network)
    for each in wanted:
        _refuse_wide(each, held.hidden)
    return replace(held, writable=wanted)


def in_project(paths: Paths, project: Path, proxy: str = "") -> Confinement:
    """Writes below `project` and to the caches of tools; talks to this computer and to `proxy`, an URL.

    Makes the caches of installed tools where they are missing. Raises UserFacing for a folder that is too
    much to be a project.
    """
    project = Path(os.path.realpath(project))
    hidden = _hidden(paths)
    _refuse_wide(project, hidden)
    temporary = paths.cache / "box" / hashlib.sha256(os.fsencode(project)).hexdigest()[:12]
    made = Confinement(
        Mode.PROJECT,
        NetworkAccess.LOOPBACK,
        writable=(project, *_caches(project)),
        hidden=hidden,
        protected=tuple(_protected(project)),
        variables=(*_proxy_variables(proxy), *_java_variables(proxy, temporary)),
        temporary=temporary,
    )
    return _with_worktree(made, project)


def in_copy(
    paths: Paths, copy: Path, temporary: Path, protected: Iterable[Path] = (), variables: Iterable[str] = ()
) -> Confinement:
    """Writes below `copy`, a folder of Steward's own, and to `temporary`; no network, nor this computer's.

    No cache of a tool is written to: what runs here was never agreed to for more than the copy. Raises
    UserFacing for a folder that is missing or too much.
    """
    copy = Path(os.path.realpath(copy))
    hidden = _hidden(paths)
    _refuse_wide(copy, hidden)
    return Confinement(
        Mode.PROJECT,
        NetworkAccess.NONE,
        writable=(copy,),
        hidden=hidden,
        protected=tuple(protected),
        variables=(*variables, *_java_variables("", temporary)),
        temporary=temporary,
    )


def with_scratch(confinement: Confinement, places: Iterable[str]) -> Confinement:
    """A project's confinement with places of its own in /tmp: entries of it, which need not be there, and
    folders further down, which are.
    """
    paths = tuple(map(Path, places))
    if not paths:
        return confinement
    entries = tuple(each for each in paths if each.parent == SCRATCH)
    folders = tuple(each for each in paths if each.parent != SCRATCH)
    return replace(confinement, scratch=entries, writable=(*confinement.writable, *folders))


def _whole(path: str) -> str:
    return os.path.expanduser(path)


def _by_setting(path: str) -> str:
    """The same where XDG_CACHE_HOME names another place for caches: tools look there, and not at home."""
    own = os.environ.get("XDG_CACHE_HOME", "")
    if os.path.isabs(own) and path.startswith(CACHES):
        return os.path.join(own, path.removeprefix(CACHES))
    return _whole(path)


def _hidden(paths: Paths) -> tuple[Path, ...]:
    """The table's places and Steward's own folders: its tokens for agents, its database, its socket."""
    launched = glob.glob("/dev/shm/steward-*")  # noqa: S108 - where `steward launch` keeps a run's token
    secrets = dict.fromkeys(way(place) for place in secret_places() for way in (_whole, _by_setting))
    named = (*secrets, *map(str, (paths.data, paths.config, paths.runtime)), *launched, QUEUES)
    return tuple(Path(os.path.realpath(name)) for name in named)


def _refuse_wide(project: Path, hidden: tuple[Path, ...]) -> None:
    home = Path(os.path.realpath(Path.home()))
    inside = any(each.is_relative_to(project) or project.is_relative_to(each) for each in hidden)
    top = project.parts[1] if len(project.parts) > 1 else ""
    is_system = top in SYSTEM or (len(project.parts) < 3 and top in SHARED)
    if home.is_relative_to(project) or inside or is_system or not project.is_dir():
        raise UserFacing(SandboxReason.CONFINE_TOO_WIDE.of(project=str(project)))


def _caches(project: Path) -> Iterator[Path]:
    """The caches that are there, or belong to a program that is."""
    for pattern, programs in table()["caches"].items():
        place = Path(_by_setting(pattern))
        if not place.is_dir() and any(map(_is_installed, programs)):
            place.mkdir(parents=True, exist_ok=True)
        whole = Path(os.path.realpath(place))
        if whole.is_dir() and not project.is_relative_to(whole):
            yield whole


@cache
def _is_installed(program: str) -> bool:
    """Whether a program was there when this process first looked: the path takes its time."""
    return shutil.which(program) is not None


def _protected(project: Path) -> Iterator[Path]:
    """Also what is not there yet, but nothing of a repository that is not there."""
    is_repository = (project / ".git").is_dir()
    for pattern in protected_paths():
        folder, _, name = pattern.rpartition("/")
        if "*" in name:
            yield from _found(project, pattern)
        elif "*" in folder:
            # What is not there in such a folder may come to be.
            yield from (each / name for each in _found(project, folder) if each.is_dir())
        elif is_repository or not pattern.startswith(".git/"):
            yield project / pattern
    # Of a submodule and of a worktree it is a file, which says where the repository is.
    yield from (each for depth in ("*", "*/*") for each in _found(project, f"{depth}/.git") if each.is_file())
    ccache = Path(os.path.realpath(_whole("~/.cache/ccache")))
    if ccache.is_dir():
        yield ccache / "ccache.conf"  # names the compiler that it starts, and lies among what it has kept


def _found(project: Path, pattern: str) -> list[Path]:
    return sorted(map(Path, glob.glob(str(Path(glob.escape(str(project)), pattern)))))


def _with_worktree(confinement: Confinement, project: Path) -> Confinement:
    """A worktree keeps its commits in the repository that it belongs to, if that says so as well."""
    link = project / ".git"
    if not link.is_file():
        return confinement
    own = Path(os.path.realpath(project / _line_in(link).removeprefix("gitdir: ")))
    back, common = own / "gitdir", own / "commondir"
    is_known = back.is_file() and common.is_file() and own.parent.name == "worktrees"
    if not is_known or os.path.realpath(_line_in(back)) != str(link):
        return replace(confinement, protected=(*confinement.protected, link))
    shared = own.parent.parent
    # A link there was put there by a command of that repository, and leads anywhere.
    stores = (shared / name for name in ("objects", "refs", "logs"))
    kept = (own, *(each for each in stores if each.is_dir() and not each.is_symlink()))
    fixed = (link, back, common, own / "config.worktree")
    return replace(
        confinement, writable=(*confinement.writable, *kept), protected=(*confinement.protected, *fixed)
    )


def _line_in(file: Path) -> str:
    """What one of git's small files says. Raises OSError for what is none of its making."""
    text = read_regular(file, LONGEST_LINK_BYTES).decode("utf-8", "surrogateescape").strip()
    if "\0" in text:
        raise OSError(errno.EINVAL, "it is no path", str(file))
    return text


def _proxy_variables(proxy: str) -> Iterator[str]:
    if not proxy:
        return
    for name in PROXY_NAMES:
        yield f"{name}={proxy}"
        yield f"{name.lower()}={proxy}"
    for name in ("NO_PROXY", "no_proxy"):
        yield f"{name}={NO_PROXY}"
    yield from ("NODE_USE_ENV_PROXY=1", f"YARN_HTTP_PROXY={proxy}", f"YARN_HTTPS_PROXY={proxy}")


def _java_variables(proxy: str, temporary: Path) -> Iterator[str]:
    """Java asks neither TMPDIR nor the variables of a proxy."""
    if not _is_installed("java"):
        return
    words = [os.environ.get("JAVA_TOOL_OPTIONS", ""), f"-Djava.io.tmpdir={temporary}"]
    if proxy:
        host, _, port = proxy.rpartition("@")[2].removeprefix("http://").rstrip("/").partition(":")
        words += [f"-D{kind}.proxyHost={host} -D{kind}.proxyPort={port}" for kind in ("http", "https")]
    yield f"JAVA_TOOL_OPTIONS={' '.join(words).strip()}"


@dataclass(frozen=True)
class ConfinedRefusal:
    """What the supervisor of a project's command did not let happen; `kind`: "connection" or "taken away"."""

    kind: str
    what: str


def why_not() -> Reason | None:
    """What keeps commands from being confined on this computer; None where nothing does."""
    if not sys.platform.startswith("linux"):
        return SandboxReason.CONFINED_ONLY_ON_LINUX.of()
    if landlock.abi() < landlock.OLDEST_ABI or not seccomp.is_available():
        return SandboxReason.CONFINED_BY_NOTHING.of(abi=landlock.OLDEST_ABI)
    if not os.path.isfile(os.path.join(native_programs(), NAME)):
        return SandboxReason.CONFINED_BY_NO_CLIENT.of()
    return None


class Confiner:
    """Rewrites lines, and knows which of them ran. Thread-safe: what it keeps are files."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._reports = paths.runtime / "confined" / "reports"
        self._options = paths.runtime / "confined" / "options"
        self._lists = paths.runtime / "confined" / "missing"  # of the clients that run, which tidy it
        self._scratches = paths.cache / "confined" / "scratch"
        self._tidy_at = 0.0  # by the monotonic clock
        self._ready: dict[tuple[str, ...], tuple[float, str]] = {}
        self._no_project: tuple[Reason | None] | None = None  # in a tuple once it was found out

    def why_not(self) -> Reason | None:
        """Why nothing can be confined, looked at anew each time, for some microseconds."""
        return why_not()

    def available(self) -> bool:
        return self.why_not() is None

    def why_not_project(self) -> Reason | None:
        """What keeps commands from being confined to a project; found out once, by confining `true`."""
        if self._no_project is None:
            self._no_project = (self.why_not() or self._tried(),)
        return self._no_project[0]

    @property
    def client(self) -> Path:
        """The program that confines. An AppImage's own folder is gone when it ends; a copy of it stays."""
        native = native_programs() / NAME
        if own_appimage() is None:
            return native
        copy = self._paths.hook_client / NAME
        if not copy.is_file() or copy.read_bytes() != native.read_bytes():
            write_atomically(copy, native.read_bytes())
            copy.chmod(0o700)
        return copy

    def rewritten(
        self,
        command: str,
        confinement: Confinement,
        call: str,
        session: str = "",
        shell: str = SHELL,
        follows: bool = True,
    ) -> str:
        """A line for the agent's shell that runs `command` in a confined bash, or a `shell` like it.

        Its exit code is the command's. Where the command changes the folder, the agent's shell `follows`.
        `call` is used once: the report of an earlier one would pass for its own. Raises UserFacing for a
        line that would be too long, and OSError where no report can be made.
        """
        self._tidy()
        begin = self._begin(confinement, session)
        place = shlex.quote(os.path.join(self._reports, _digest(call)))
        if not follows or CHANGES_FOLDER.search(command) is None:
            return _short_enough(f"{begin} --report {place} -- {shlex.join([shell, '-c', command])}")
        reporting = f"trap 'printf %s \"$PWD\" >&{FOLDER_DESCRIPTOR}' EXIT; {command}"
        line = f"{begin} --report {place} --folder -- {shlex.join([shell, '-c', reporting])}"
        follow = f'[ -s {place} ] && cd -- "$(cat {place})"'
        # The confined bash is a child, so its folder is told through the report and taken over here; the exit
        # code is kept across that, as agents decide by it.
        return _short_enough(f'{line}; _steward=$?; {follow}; (exit "$_steward")')

    def words(self, confinement: Confinement, command: tuple[str, ...]) -> tuple[str, ...]:
        """The words that start `command` confined without a shell, and without a report."""
        return (*self._words(confinement, confinement.temporary or self._scratch("")), "--", *command)

    def did_run(self, call: str) -> bool:
        """Whether the line of this call was started, in its confined form."""
        return self._report(call).exists()

    def refusals(self, call: str) -> tuple[ConfinedRefusal, ...]:
        """What its supervisor refused so far, in order; of a command that only reads there is none."""
        place = _refusals_of(self._report(call))
        if not place.is_file():
            return ()
        lines = place.read_text(encoding="utf-8", errors="replace").splitlines()
        return tuple(ConfinedRefusal(*line.split("\t", 1)) for line in lines if "\t" in line)

    def forget(self, call: str) -> None:
        """The call is settled; its report is no longer needed."""
        report = self._report(call)
        for file in (report, _refusals_of(report)):
            file.unlink(missing_ok=True)

    def _begin(self, confinement: Confinement, session: str) -> str:
        """What every line in this box begins with. The same for all hooks of a session, which are many."""
        temporary, name = confinement.temporary, confinement.options[0]
        key = (confinement.mode, confinement.network, name, str(temporary or ""), session)
        at, begin = self._ready.get(key, (0.0, ""))
        now = time.monotonic()
        if not begin or now - at > READY_S:
            ensure(self._reports)
            begin = shlex.join(self._words(confinement, temporary or self._scratch(session)))
            if len(self._ready) >= MOST_READY:
                self._ready = {}
            self._ready[key] = (now, begin)
        return begin

    def _words(self, confinement: Confinement, temporary: Path) -> list[str]:
        ensure(temporary.parent)
        words = [str(self.client), f"--{confinement.mode}", "--network", confinement.network.value]
        words += ["--temp", str(temporary)]
        name, options = confinement.options
        if options:
            words += ["--options", str(self._kept_options(name, options))]
        return words

    def _tried(self) -> Reason | None:
        trial = Confinement(Mode.PROJECT, NetworkAccess.LOOPBACK)
        words = self.words(trial, ("true",))
        try:
            done = subprocess.run(
                words, capture_output=True, text=True, cwd="/", timeout=TRIAL_TIMEOUT_S, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return SandboxReason.CONFINED_TO_NO_PROJECT.of(why=str(error))
        if not done.returncode:
            return None
        if apparmor_restricts_namespaces():
            return SandboxReason.APPARMOR_FORBIDS.of(way_out=apparmor_way_out(self.client))
        return SandboxReason.CONFINED_TO_NO_PROJECT.of(why=done.stderr.strip().removesuffix("."))

    def _report(self, call: str) -> Path:
        return ensure(self._reports) / _digest(call)

    def _scratch(self, session: str) -> Path:
        """Made by the client; for all commands of a session that only read."""
        return self._scratches / _digest(session)

    def _kept_options(self, name: str, content: bytes) -> Path:
        """A file with what is too long for a line."""
        place = self._options / name
        if not place.is_file():
            write_atomically(place, content)
        return place

    def _tidy(self) -> None:
        """Remove what commands have left behind a day ago."""
        if time.monotonic() < self._tidy_at:
            return
        self._tidy_at = time.monotonic() + TIDY_EVERY_S
        now = time.time()
        for folder, kept in ((self._reports, "*"), (self._scratches, "*"), (self._lists, "*.draft")):
            for path in folder.glob(kept):
                if now - path.lstat().st_mtime > KEPT_S:
                    shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)


def _refusals_of(report: Path) -> Path:
    return report.with_name(f"{report.name}.refused")


def _short_enough(line: str) -> str:
    if len(line.encode("utf-8", "surrogatepass")) > LONGEST_BYTES or "\0" in line:
        raise UserFacing(SandboxReason.CONFINE_TOO_LONG.of())
    return line


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


# -- AppArmor ---------------------------------------------------------------------------------
#
# Ubuntu lets a program make user namespaces only with a profile of AppArmor; this is the client's.


def apparmor_restricts_namespaces() -> bool:
    """Whether this system holds ordinary users' programs to that rule."""
    return APPARMOR_SWITCH.is_file() and APPARMOR_SWITCH.read_text(encoding="ascii").strip() not in ("", "0")


def apparmor_profile(client: Path) -> str:
    """The AppArmor profile of a client that lies elsewhere than the package puts it."""
    text = (resources() / "apparmor" / "steward-confine").read_text(encoding="utf-8")
    quoted = str(client).replace("\\", "\\\\").replace('"', '\\"')
    quoted = re.sub(r"([*?\[\]{}^@])", r"\\\1", quoted)  # no pattern: this one program
    text = text[text.index("abi ") :].replace("local/steward-confine", f"local/{APPARMOR_PLACE.name}")
    return _HEAD.sub(lambda _: f'profile {APPARMOR_PLACE.name} "{quoted}"', text)


def apparmor_way_out(client: Path) -> Reason:
    """One sentence, with the command that an administrator can give."""
    if client.is_relative_to("/usr"):
        return SandboxReason.APPARMOR_INSTALL_AGAIN.of()
    place = shlex.quote(str(APPARMOR_PLACE))
    command = f"steward confine --apparmor-profile | sudo tee {place} && sudo apparmor_parser -r {place}"
    return SandboxReason.APPARMOR_PROFILE.of(command=command)
