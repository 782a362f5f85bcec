"""What a confined command may still do: the table of resources/confinement.toml, applied to this computer."""

from __future__ import annotations

import glob
import hashlib
import os
import shutil
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any

from desktop.errors import UserFacing
from desktop.paths import Paths, resources
from desktop.sandbox.refusals import NOTHING_TOUCHED

# Loopback names and addresses that no proxy is asked for.
NO_PROXY = "localhost,127.0.0.1,::1"
PROXY_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")

SCRATCH = Path("/tmp")  # noqa: S108 - every user's
# Folders of the root that are no project with all below them, and those that only hold some.
SYSTEM = frozenset({"", "bin", "boot", "dev", "etc", "lib", "lib64", "proc", "run", "sbin", "sys", "usr"})
SHARED = frozenset({"home", "media", "mnt", "opt", "root", "srv", "tmp", "var"})


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


def read_only(paths: Paths, uses_network: bool = False) -> Confinement:
    """Writes nothing, and has no network unless it is known to use one."""
    network = NetworkAccess.OPEN if uses_network else NetworkAccess.NONE
    readable = [each for pattern in _table()["secrets"]["readable"] for each in glob.glob(_whole(pattern))]
    shown = tuple(Path(os.path.realpath(each)) for each in readable)
    return Confinement(Mode.READ_ONLY, network, hidden=_hidden(paths), readable=shown)


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


def with_scratch(confinement: Confinement, places: Iterable[str]) -> Confinement:
    """A project's confinement with places of its own in /tmp: entries of it, which need not be there, and
    folders further down, which are.
    """
    paths = tuple(map(Path, places))
    entries = tuple(each for each in paths if each.parent == SCRATCH)
    folders = tuple(each for each in paths if each.parent != SCRATCH)
    return replace(confinement, scratch=entries, writable=(*confinement.writable, *folders))


def hosts() -> tuple[str, ...]:
    """Names of public package indexes; one that begins with a dot stands for all below it."""
    return tuple(_table()["network"]["hosts"])


def protected_paths() -> tuple[str, ...]:
    """Patterns of what a command may not write to in its project, as seen from there."""
    return tuple(_table()["protected"]["paths"])


def secret_places() -> tuple[str, ...]:
    """Credentials and private stores as the table names them, `~` for the home folder."""
    return tuple(_table()["secrets"]["hidden"])


@cache
def _table() -> dict[str, dict[str, Any]]:
    return tomllib.loads((resources() / "confinement.toml").read_text(encoding="utf-8"))


def _whole(path: str) -> str:
    return os.path.expanduser(path)


def _hidden(paths: Paths) -> tuple[Path, ...]:
    """The table's places and Steward's own folders: its tokens for agents, its database, its socket."""
    launched = glob.glob("/dev/shm/steward-*")  # noqa: S108 - where `steward launch` keeps a run's token
    named = (*map(_whole, secret_places()), *map(str, (paths.data, paths.config, paths.runtime)), *launched)
    return tuple(Path(os.path.realpath(name)) for name in named)


def _refuse_wide(project: Path, hidden: tuple[Path, ...]) -> None:
    home = Path(os.path.realpath(Path.home()))
    inside = any(each.is_relative_to(project) or project.is_relative_to(each) for each in hidden)
    top = project.parts[1] if len(project.parts) > 1 else ""
    is_system = top in SYSTEM or (len(project.parts) < 3 and top in SHARED)
    if home.is_relative_to(project) or inside or is_system or not project.is_dir():
        raise UserFacing(
            f"{project} is no folder in which commands can be confined: it holds more than one project.",
            NOTHING_TOUCHED,
            "Work in a folder of the project's own.",
            code="confine-too-wide",
        )


def _caches(project: Path) -> Iterator[Path]:
    """Those that are there, or belong to a program that is."""
    for pattern, programs in _table()["caches"].items():
        place = Path(_whole(pattern))
        if not place.is_dir() and any(map(_is_installed, programs)):
            place.mkdir(parents=True, exist_ok=True)
        whole = Path(os.path.realpath(place))
        if whole.is_dir() and not project.is_relative_to(whole):
            yield whole


@cache
def _is_installed(program: str) -> bool:
    """As this process found it first: looking through the path takes its time."""
    return shutil.which(program) is not None


def _protected(project: Path) -> Iterator[Path]:
    """Also what is not there yet, but nothing of a repository that is not there."""
    is_repository = (project / ".git").is_dir()
    for pattern in _table()["protected"]["paths"]:
        if "*" in pattern:
            yield from sorted(
                Path(found) for found in glob.glob(str(Path(glob.escape(str(project)), pattern)))
            )
        elif is_repository or not pattern.startswith(".git/"):
            yield project / pattern
    ccache = Path(_whole("~/.cache/ccache"))
    if ccache.is_dir():
        yield ccache / "ccache.conf"  # names the compiler that it starts, and lies among what it has kept


def _with_worktree(confinement: Confinement, project: Path) -> Confinement:
    """A worktree keeps its commits in the repository that it belongs to, if that says so as well."""
    link = project / ".git"
    if not link.is_file():
        return confinement
    own = Path(os.path.realpath(project / link.read_text(encoding="utf-8").strip().removeprefix("gitdir: ")))
    back, common = own / "gitdir", own / "commondir"
    is_known = back.is_file() and common.is_file() and own.parent.name == "worktrees"
    if not is_known or os.path.realpath(back.read_text(encoding="utf-8").strip()) != str(link):
        return confinement
    shared = own.parent.parent
    kept = (own, *(place for name in ("objects", "refs", "logs") if (place := shared / name).is_dir()))
    fixed = (link, back, common, own / "config.worktree")
    return replace(
        confinement,
        writable=(*confinement.writable, *kept),
        protected=(*confinement.protected, *fixed),
    )


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
