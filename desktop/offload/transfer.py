"""Files to a worker and back, by rsync: changes only, times kept, nothing in place before all is there."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import BinaryIO

from desktop.offload.mirror import Changes, Stamp, stamp_in
from desktop.offload.ssh import SshConnection
from desktop.sandbox.folder import READ_FLAGS
from desktop.sandbox.held_folder import FOLDER_FLAGS, NO_FOLLOW, open_without_links

_BASE = ".cache/steward-offload"
PIECE_BYTES = 1_000_000
# Times to the nanosecond: two versions within one second are two, and make compares what it finds.
_WORDS = ("rsync", "-lptH", "-z", "-s", "--from0", "--modify-window=-1", "--timeout=30")


class TransferFailed(Exception):
    """rsync's own last line."""


@dataclass(frozen=True)
class Fetched:
    """What was put in its place, by path, and what was left as it is here."""

    files: dict[str, Stamp]
    kept: tuple[str, ...] = ()
    size_bytes: int = 0


def send(line: SshConnection, root: Path, key: str, given: Changes, staging: Path) -> None:
    """Bring the mirror to the state of this project. Raises TransferFailed and OSError.

    rsync opens by name what it sends, and a command of the project may put a link in the place of a folder.
    So it gets copies in `staging`, which only Steward writes to, made by descriptors.
    """
    _remove(staging)
    try:
        _stage(root, staging, given)
        # A folder that is gone here may hold files there that were never fetched; --force takes them with it.
        words = (*_WORDS, "--files-from=-", "--delete-missing-args", "--force", "-e", line.for_rsync)
        target = f"{line.worker.host}:{_BASE}/{key}/mirror/"
        _rsync((*words, f"{staging}/", target), given.names)
    finally:
        _remove(staging)


def _remove(staging: Path) -> None:
    # Folders have the rights of the project's, and from one that may not be written to nothing is removed.
    for place, folders, _files in os.walk(staging):
        for folder in (os.path.join(place, name) for name in folders):
            if not os.path.islink(folder):
                os.chmod(folder, 0o700)
    shutil.rmtree(staging, ignore_errors=True)


def fetch(line: SshConnection, key: str, root: Path, staging: Path) -> None:
    """What the command made, into `staging`, but for what is the same here. Raises TransferFailed."""
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    source = f"{line.worker.host}:{_BASE}/{key}/mirror/"
    words = (*_WORDS, f"--files-from=:{_BASE}/{key}/made", f"--compare-dest={root}", "-e", line.for_rsync)
    _rsync((*words, source, f"{staging}/"), b"")


def removed_there(line: SshConnection, key: str) -> tuple[str, ...]:
    """What the command removed. Raises TransferFailed."""
    done = subprocess.run(
        (*line.words, "cat", f"{_BASE}/{key}/gone"), capture_output=True, timeout=30, check=False
    )
    if done.returncode:
        raise TransferFailed("the list of removed files did not come")
    return tuple(os.fsdecode(each) for each in done.stdout.split(b"\0") if each)


def put_in_place(
    staging: Path, root: Path, sent: dict[str, Stamp], is_held: Callable[[str], bool]
) -> Fetched:
    """Move what was fetched to where it belongs; a file of yours that has changed meanwhile stays.

    `sent` are the stamps with which files went to the worker. `is_held` names what no command may change by
    way of a worker: what other programs act on by themselves. Raises OSError.
    """
    files: dict[str, Stamp] = {}
    kept: list[str] = []
    folders: list[tuple[str, int]] = []
    with _opened(root) as project:
        for place, inner, names in os.walk(staging):
            below = "" if (found := os.path.relpath(place, staging)) == "." else found
            if below:
                folders.append((below, os.stat(place).st_mtime_ns))
            links = [each for each in inner if os.path.islink(os.path.join(place, each))]
            for name in (*names, *links):
                path = f"{below}/{name}" if below else name
                stamp = None if is_held(path) else _placed(Path(place) / name, project, path, sent)
                if stamp is None:
                    kept.append(path)
                else:
                    files[path] = stamp
        _settle_folders(project, folders, is_held)
    shutil.rmtree(staging, ignore_errors=True)
    return Fetched(files, tuple(kept), sum(stamp[0] for stamp in files.values()))


def remove_here(root: Path, paths: Iterable[str], known: dict[str, Stamp]) -> tuple[str, ...]:
    """Take away what the command removed there, if it had come from the worker and is still as it came."""
    gone: list[str] = []
    with _opened(root) as project:
        for path in paths:
            if path not in known:
                continue
            try:
                with _parent(project, path) as (folder, name):
                    if stamp_in(folder, name) == known[path]:
                        os.unlink(name, dir_fd=folder)
                        gone.append(path)
            except OSError:  # gone with its folder, or behind a link
                continue
    return tuple(gone)


# -- beneath a descriptor of the project, so that no link put there meanwhile is followed ---------


@contextlib.contextmanager
def _opened(root: Path) -> Iterator[int]:
    found = open_without_links(root)
    try:
        yield found
    finally:
        os.close(found)


@contextlib.contextmanager
def _folder(project: int, path: str, makes: bool = False) -> Iterator[int]:
    """The folder at `path`; `makes` those that are missing. Raises OSError, for a link on the way too."""
    held = os.dup(project)
    try:
        for part in path.split("/") if path else ():
            if part in ("", ".", ".."):
                raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
            if makes:
                with contextlib.suppress(FileExistsError):
                    os.mkdir(part, dir_fd=held)
            below = os.open(part, FOLDER_FLAGS | NO_FOLLOW, dir_fd=held)
            os.close(held)
            held = below
        yield held
    finally:
        os.close(held)


@contextlib.contextmanager
def _parent(project: int, path: str, makes: bool = False) -> Iterator[tuple[int, str]]:
    above, _, name = path.rpartition("/")
    if name in ("", ".", "..") or path.startswith("/"):
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
    with _folder(project, above, makes) as folder:
        yield folder, name


def _stage(root: Path, staging: Path, given: Changes) -> None:
    """Copies of files and links with their rights, times and folders, and the folders of what is removed:
    rsync does not look for a file where there is no folder. What lies behind a link by now has no copy."""
    staging.mkdir(parents=True, mode=0o700)
    folders: list[tuple[Path, os.stat_result]] = []
    copied: dict[tuple[int, int], Path] = {}  # files of several names, by device and inode
    paths = sorted((*given.written, *given.removed), key=_split)
    with _opened(root) as project:
        written = frozenset(given.written)
        for below, names in groupby(paths, key=lambda path: _split(path)[0]):
            try:
                with _folder(project, below) as folder:
                    place = _staged_folder(project, staging, below, folders)
                    for path in filter(written.__contains__, names):
                        _stage_one(folder, _split(path)[1], place, copied)
            except OSError as error:
                if error.errno not in _GONE:
                    raise
    # Last, and from below: whatever is made in a folder changes its time.
    for place, facts in reversed(folders):
        place.chmod(stat.S_IMODE(facts.st_mode))
        os.utime(place, ns=(facts.st_atime_ns, facts.st_mtime_ns))


# Gone, not a folder any more, a link.
_GONE = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def _split(path: str) -> tuple[str, str]:
    above, _, name = path.rpartition("/")
    return above, name


def _staged_folder(
    project: int, staging: Path, below: str, folders: list[tuple[Path, os.stat_result]]
) -> Path:
    """The copy's folder, made with those above it; each is noted once, after what is above it."""
    place = staging
    for depth, part in enumerate(below.split("/") if below else (), 1):
        place /= part
        if not place.is_dir():
            with _folder(project, "/".join(below.split("/")[:depth])) as original:
                facts = os.fstat(original)
            place.mkdir(mode=0o700)
            folders.append((place, facts))
    return place


def _stage_one(folder: int, name: str, place: Path, copied: dict[tuple[int, int], Path]) -> None:
    try:
        facts = os.stat(name, dir_fd=folder, follow_symlinks=False)
        if stat.S_ISLNK(facts.st_mode):
            os.symlink(os.readlink(name, dir_fd=folder), place / name)
            os.utime(place / name, ns=(facts.st_atime_ns, facts.st_mtime_ns), follow_symlinks=False)
            return
        source = os.open(name, READ_FLAGS | NO_FOLLOW, dir_fd=folder)
    except OSError as error:
        if error.errno not in (*_GONE, errno.EINVAL):  # a link that is none any more
            raise
        return
    with os.fdopen(source, "rb") as file:
        facts = os.fstat(source)
        if not stat.S_ISREG(facts.st_mode):
            return
        first = copied.setdefault((facts.st_dev, facts.st_ino), place / name) if facts.st_nlink > 1 else None
        if first is not None and first != place / name:
            os.link(first, place / name)
            return
        _copy_open(file, facts, os.open(place / name, _NEW_FILE, 0o600))


def _placed(source: Path, project: int, path: str, sent: dict[str, Stamp]) -> Stamp | None:
    """The stamp of the file in its place; None where it was left out."""
    try:
        with _parent(project, path, makes=True) as (folder, name):
            # Edited here while the worker was at it: what a person or an agent wrote is never written over.
            # Nor is a folder taken away for a file of its name: nobody knows what else lies in it.
            if (path in sent and stamp_in(folder, name) != sent[path]) or _is_folder(folder, name):
                return None
            _move(_plain_rights(source), folder, name)
            return stamp_in(folder, name)
    except OSError as error:
        if error.errno in (errno.ENOTDIR, errno.ELOOP, errno.EINVAL):  # something else stands on the way
            return None
        raise


def _is_folder(folder: int, name: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except FileNotFoundError:
        return False


def _plain_rights(file: Path) -> Path:
    """Without the bits by which another user of this computer would run it as this one."""
    mode = file.lstat().st_mode
    if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
        file.chmod(stat.S_IMODE(mode) & ~(stat.S_ISUID | stat.S_ISGID))
    return file


def _move(source: Path, folder: int, name: str) -> None:
    try:
        os.replace(source, name, dst_dir_fd=folder)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        # Another file system: a copy beside it first, so that it too is there whole or not at all.
        beside = f".{secrets.token_hex(8)}.steward"
        try:
            _copy(source, folder, beside)
            os.replace(beside, name, src_dir_fd=folder, dst_dir_fd=folder)
        except BaseException:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(beside, dir_fd=folder)
            raise


def _copy(source: Path, folder: int, name: str) -> None:
    """A file with its rights and times, or a link, under a new name."""
    facts = source.lstat()
    if stat.S_ISLNK(facts.st_mode):
        os.symlink(os.readlink(source), name, dir_fd=folder)
        return
    made = os.open(name, _NEW_FILE, 0o600, dir_fd=folder)
    with source.open("rb") as file:
        _copy_open(file, facts, made)


_NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC


def _copy_open(file: BinaryIO, facts: os.stat_result, made: int) -> None:
    """Content, rights and times, into the descriptor of a new file, which is closed."""
    with os.fdopen(made, "wb") as target:
        shutil.copyfileobj(file, target, PIECE_BYTES)
        target.flush()
        os.fchmod(made, stat.S_IMODE(facts.st_mode))
        os.utime(made, ns=(facts.st_atime_ns, facts.st_mtime_ns))


def _settle_folders(project: int, folders: list[tuple[str, int]], is_held: Callable[[str], bool]) -> None:
    """Times of folders count for some tools; an empty one is an output like any other."""
    for below, changed_ns in sorted(folders, key=lambda each: each[0].count("/"), reverse=True):
        if is_held(below):
            continue
        with contextlib.suppress(OSError), _folder(project, below, makes=True) as folder:
            os.utime(folder, ns=(changed_ns, changed_ns))


def _rsync(words: tuple[str, ...], given: bytes) -> None:
    try:
        # Its own session, as with ssh: an interrupt is passed on by us, and not by the terminal.
        done = subprocess.run(words, input=given, capture_output=True, start_new_session=True, check=False)
    except OSError as error:
        raise TransferFailed(str(error)) from error
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise TransferFailed(lines[0] if lines else f"rsync ended with {done.returncode}")
