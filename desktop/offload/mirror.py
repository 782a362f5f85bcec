"""A project and its mirror on a worker: which files belong there, and which of them have to be sent.

What goes is what git would see, and of what git ignores only what the program needs. What the SECRET table
names never goes, under no setting. What was sent and fetched last is remembered with size and time, so that
an unchanged project costs one look at each file and no transfer at all; the worker keeps a token that says
whether its mirror is still the one that is remembered here.
"""

from __future__ import annotations

import hashlib
import json
import os
import stat
import subprocess
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from desktop.errors import WithReason
from desktop.gate.project_files import GIT, PlainFolders
from desktop.gate.shell.places import holds_secrets
from desktop.offload.programs import ALL, Program
from desktop.offload.reasons import OffloadReason
from desktop.paths import Paths, read_regular, write_atomically
from desktop.state_file import read_object

GIT_TIMEOUT_S = 60.0
MOST_FILES = 200_000
LONGEST_LOCK_BYTES = 20_000_000
# A file written again within a tick of the clock would look the same; what is as young is looked at anew.
YOUNG_NS = 50_000_000
# No folders for a project: the system's own, which the worker has itself, and what is mounted afresh there.
UNFIT = frozenset({"usr", "bin", "sbin", "lib", "lib64", "etc", "proc", "sys", "dev", "boot", "run", "tmp"})

BARE_NAMES = frozenset(
    (
        *("credential", "credentials", "secret", "secrets", "password", "passwords", "passwd"),
        *("passphrase", "token", "tokens"),
    )
)

Stamp = tuple[int, int, int]  # bytes, nanoseconds of the last change, mode


class Unlisted(WithReason):
    """The files of a project could not be told."""


@dataclass(frozen=True)
class Listing:
    """What belongs on the worker: paths below the root with their stamps; `withheld` are secrets git sees."""

    files: Mapping[str, Stamp]
    withheld: tuple[str, ...] = ()

    @property
    def size_bytes(self) -> int:
        return sum(size for size, _time, _mode in self.files.values())


@dataclass(frozen=True)
class MirrorState:
    """What is remembered of one mirror. `fetched` came from the worker and is not sent back unasked."""

    token: str = ""
    sent: Mapping[str, Stamp] = field(default_factory=dict)
    fetched: Mapping[str, Stamp] = field(default_factory=dict)


@dataclass(frozen=True)
class Changes:
    """What to send: files to write, and files that are gone here and have to go there."""

    written: tuple[str, ...]
    removed: tuple[str, ...]
    size_bytes: int

    @property
    def are_none(self) -> bool:
        return not (self.written or self.removed)

    @property
    def names(self) -> bytes:
        """The names as rsync's --files-from with --from0 takes them."""
        return b"".join(os.fsencode(each) + b"\0" for each in (*self.written, *self.removed))


def root_of(folder: Path) -> Path | None:
    """The repository that `folder` is in, else the folder itself; None where it is none for a worker."""
    real = Path(os.path.realpath(folder))
    found = next((each for each in (real, *real.parents) if (each / ".git").exists()), real)
    parts = found.parts
    is_unfit = len(parts) < 3 or parts[1] in UNFIT or found == Path.home()
    return None if is_unfit and not _is_below_temporary(found) else found


def _is_below_temporary(found: Path) -> bool:
    """The folder for temporary files is mounted afresh there, and a project below it is put over that."""
    return found.parts[1:2] == ("tmp",) and len(found.parts) >= 3


def listing(root: Path, program: Program, heavy: Iterable[str]) -> Listing:
    """Every file that belongs on the worker. Starts git; raises Unlisted."""
    heavy = frozenset(heavy)
    seen = _seen_by_git(root) if (root / ".git").exists() else set(_walk(root, "", heavy))
    wanted = set(seen)
    if program.ignored == (ALL,):
        wanted |= set(_walk(root, "", heavy))
    for folder in _ignored_folders(root, frozenset(program.ignored) - {ALL}):
        wanted |= set(_walk(root, folder, frozenset()))
    # A folder that has become a link since Git noted its files leads anywhere, and nothing of that goes.
    folders = PlainFolders(root)
    wanted = {path for path in wanted if folders.hold(path)}
    if len(wanted) > MOST_FILES:
        raise Unlisted(OffloadReason.LISTING_FAILED.of(why=f"{len(wanted):,} files"))
    secret = {path for path in wanted if is_withheld(root, path)}
    files: dict[str, Stamp] = {}
    for path in wanted - secret:
        stamp = stamp_of(root / path)
        if stamp is not None:
            files[path] = stamp
    # A secret that git ignores is nobody's part of the project; one that it sees may be missed by a test.
    return Listing(files, tuple(sorted(secret & seen)))


def is_withheld(root: Path, path: str) -> bool:
    """Whether the SECRET table names it, by its place in the project, its whole path, or where it leads."""
    if holds_secrets(path) or holds_secrets(str(root / path)):
        return True
    # On a command line these words are mostly no files; a file that is called so is what its name says.
    if os.path.basename(path).lower() in BARE_NAMES:
        return True
    whole = root / path
    # The link alone would go; what it is called is then the secret's own name.
    return whole.is_symlink() and holds_secrets(os.path.realpath(whole))


def stamp_of(file: Path) -> Stamp | None:
    """The stamp of a file; None for what is not there, and for what is neither file nor link."""
    try:
        return _stamp_from(file.lstat())
    except OSError:
        return None


def stamp_in(folder: int, name: str) -> Stamp | None:
    """The stamp of a name in the folder of this descriptor."""
    try:
        return _stamp_from(os.stat(name, dir_fd=folder, follow_symlinks=False))
    except OSError:
        return None


def _stamp_from(found: os.stat_result) -> Stamp | None:
    if not (stat.S_ISREG(found.st_mode) or stat.S_ISLNK(found.st_mode)):
        return None
    return found.st_size, found.st_mtime_ns, found.st_mode


def changes(root: Path, now: Listing, known: MirrorState, sends_outputs: bool) -> Changes:
    """What differs between here and the mirror that is remembered.

    An output that came from the worker and is gone here has to go there too: else it would not be made again.
    One that was built anew here is sent where all that git ignores is, and is left to the worker where the
    program keeps its own account of them (cargo's fingerprints).
    """
    before = {**known.fetched, **known.sent}
    written = [path for path, stamp in now.files.items() if before.get(path) != stamp]
    removed: set[str] = set()
    for path, stamp in before.items():
        if path in now.files:
            continue
        here = stamp_of(root / path)
        if here is None:
            removed.add(_topmost_gone(root, path))
        elif sends_outputs and here != stamp and not is_withheld(root, path):
            written.append(path)
    size = sum(now.files[path][0] for path in written if path in now.files)
    return Changes(tuple(sorted(written)), tuple(sorted(removed)), size)


def _topmost_gone(root: Path, path: str) -> str:
    """The file, or the highest folder above it that is gone with it (`cargo clean`): rsync takes a folder
    that it cannot enter for a file that vanished while it was looking, and gives up."""
    gone = path
    for above in PurePosixPath(path).parents:
        if above.name == "" or os.path.lexists(root / above):
            break
        gone = str(above)
    return gone


def settled(files: Mapping[str, Stamp], at_ns: int) -> dict[str, Stamp]:
    """What may be remembered: a file as young as the look at it may have changed since unseen."""
    return {path: stamp for path, stamp in files.items() if at_ns - stamp[1] > YOUNG_NS}


def locks_id(root: Path, program: Program) -> str:
    """A hash of the files that name what the program fetches; "" where it fetches nothing."""
    if not program.fetch:
        return ""
    whole = hashlib.sha256()
    found = sorted({file for pattern in program.locks for file in root.glob(pattern)})
    for file in found:
        try:
            content = read_regular(file, LONGEST_LOCK_BYTES)
        except OSError as error:  # a pipe of that name would hold everything up
            raise Unlisted(OffloadReason.LISTING_FAILED.of(why=str(error))) from error
        whole.update(os.fsencode(file.relative_to(root)) + b"\0" + content + b"\0")
    return whole.hexdigest() if found else ""


class KnownFile:
    """What is remembered of a project's mirror on one worker; in the cache: losing it costs a sync."""

    def __init__(self, paths: Paths, key: str, worker: str) -> None:
        self.path = paths.mirrors / key / f"{worker}.json"

    def read(self) -> MirrorState:
        row = read_object(self.path, "What is known of a worker's mirror")
        try:
            sent = {str(path): _stamp(each) for path, each in row["sent"].items()}
            fetched = {str(path): _stamp(each) for path, each in row["fetched"].items()}
            return MirrorState(str(row["token"]), sent, fetched)
        except (KeyError, TypeError, ValueError, AttributeError):
            return MirrorState()

    def write(self, known: MirrorState) -> None:
        content = {"token": known.token, "sent": known.sent, "fetched": known.fetched}
        write_atomically(self.path, json.dumps(content).encode())

    def forget(self) -> None:
        self.path.unlink(missing_ok=True)


def _stamp(row: Iterable[int]) -> Stamp:
    size, changed_ns, mode = row
    return int(size), int(changed_ns), int(mode)


def _ignored_folders(root: Path, names: frozenset[str]) -> set[str]:
    """Folders of these names that git ignores, at any depth: a workspace has one for each of its packages."""
    if not names:
        return set()
    if not (root / ".git").exists():
        return {name for name in names if (root / name).is_dir()}
    # Each with all below it as one entry: what lies inside is looked at only where it is wanted.
    found = _git_listed(root, "-o", "-i", "--directory")
    return {path for path in found if os.path.basename(path) in names and (root / path).is_dir()}


def _git_listed(root: Path, *which: str) -> list[str]:
    words = (*GIT, "-C", str(root), "ls-files", "-z", "--exclude-standard", *which)
    try:
        done = subprocess.run(words, capture_output=True, timeout=GIT_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise Unlisted(OffloadReason.LISTING_FAILED.of(why=str(error))) from error
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise Unlisted(OffloadReason.LISTING_FAILED.of(why=why[-1] if why else "git failed"))
    return [os.fsdecode(raw).rstrip("/") for raw in done.stdout.split(b"\0")]


def _seen_by_git(root: Path) -> set[str]:
    found: set[str] = set()
    for path in _git_listed(root, "-c", "-o"):
        # A repository within this one is a single name to it: a submodule, or one that was put there.
        if path and (root / path).is_dir() and not (root / path).is_symlink():
            found |= {f"{path}/{each}" for each in _seen_by_git(root / path)}
        elif path:
            found.add(path)
    return found


def _walk(root: Path, below: str, heavy: frozenset[str]) -> Iterator[str]:
    """All files below a folder but those in `heavy` ones and in repositories' own stores."""
    for folder, folders, names in os.walk(root / below):
        folders[:] = [each for each in folders if each not in heavy and each != ".git"]
        prefix = os.path.relpath(folder, root)
        head = "" if prefix == "." else f"{prefix}/"
        yield from (f"{head}{name}" for name in names if name != ".git")
        yield from (f"{head}{name}" for name in folders if os.path.islink(os.path.join(folder, name)))


def now_ns() -> int:
    """The clock by which files are stamped."""
    return time.time_ns()
