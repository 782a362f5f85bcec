"""Files to a worker and back, by rsync: changes only, times kept, nothing in place before all is there."""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import subprocess
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from desktop.gate.project_files import PlainFolders
from desktop.offload.mirror import Changes, Stamp, stamp_of
from desktop.offload.ssh import Line

_BASE = ".cache/steward-offload"
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


def send(line: Line, root: Path, key: str, given: Changes) -> None:
    """Bring the mirror to the state of this project. Raises TransferFailed."""
    # A folder that is gone here may hold files there that were never fetched; --force takes them with it.
    words = (*_WORDS, "--files-from=-", "--delete-missing-args", "--force", "-e", line.for_rsync)
    target = f"{line.worker.host}:{_BASE}/{key}/mirror/"
    _rsync((*words, f"{root}/", target), given.names)


def fetch(line: Line, key: str, root: Path, staging: Path) -> None:
    """What the command made, into `staging`, but for what is the same here. Raises TransferFailed."""
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    source = f"{line.worker.host}:{_BASE}/{key}/mirror/"
    words = (*_WORDS, f"--files-from=:{_BASE}/{key}/made", f"--compare-dest={root}", "-e", line.for_rsync)
    _rsync((*words, source, f"{staging}/"), b"")


def removed_there(line: Line, key: str) -> tuple[str, ...]:
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
    way of a worker: what other programs act on by themselves.
    """
    files: dict[str, Stamp] = {}
    kept: list[str] = []
    size = 0
    folders: list[tuple[Path, int]] = []
    for place, inner, names in os.walk(staging):
        below = os.path.relpath(place, staging)
        target = root if below == "." else root / below
        if below != ".":
            folders.append((target, os.stat(place).st_mtime_ns))
        links = [each for each in inner if os.path.islink(os.path.join(place, each))]
        for name in (*names, *links):
            path = name if below == "." else f"{below}/{name}"
            # Edited here while the worker was at it: what a person or an agent wrote is never written over.
            # Nor is a folder taken away for a file of its name: nobody knows what else lies in it.
            is_edited = path in sent and stamp_of(root / path) != sent[path]
            is_folder = (target / name).is_dir() and not (target / name).is_symlink()
            if is_held(path) or is_edited or is_folder or not _is_ours(root, target):
                kept.append(path)
                continue
            target.mkdir(parents=True, exist_ok=True)
            _move(_plain_rights(Path(place) / name), target / name)
            stamp = stamp_of(target / name)
            if stamp is not None:
                files[path] = stamp
                size += stamp[0]
    _settle_folders(root, folders, is_held)
    shutil.rmtree(staging, ignore_errors=True)
    return Fetched(files, tuple(kept), size)


def remove_here(root: Path, paths: Iterable[str], known: dict[str, Stamp]) -> tuple[str, ...]:
    """Take away what the command removed there, if it had come from the worker and is still as it came."""
    gone: list[str] = []
    folders = PlainFolders(root)
    for path in paths:
        if path in known and folders.hold(path) and stamp_of(root / path) == known[path]:
            (root / path).unlink(missing_ok=True)
            gone.append(path)
    return tuple(gone)


def _plain_rights(file: Path) -> Path:
    """Without the bits by which another user of this computer would run it as this one."""
    mode = file.lstat().st_mode
    if stat.S_ISREG(mode) and mode & (stat.S_ISUID | stat.S_ISGID):
        file.chmod(stat.S_IMODE(mode) & ~(stat.S_ISUID | stat.S_ISGID))
    return file


def _move(source: Path, target: Path) -> None:
    try:
        os.replace(source, target)
    except (
        OSError
    ):  # another file system: a copy beside it first, so that it too is there whole or not at all
        beside = target.with_name(f".{target.name}.steward")
        try:
            shutil.copy2(source, beside, follow_symlinks=False)
            os.replace(beside, target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


def _is_ours(root: Path, folder: Path) -> bool:
    """Whether a folder really lies in the project: a link on the way could lead anywhere."""
    while folder != root:
        try:
            if not stat.S_ISDIR(folder.lstat().st_mode):
                return False
        except FileNotFoundError:
            pass  # not made yet, so it leads nowhere else; what stands above it is looked at all the same
        folder = folder.parent
    return True


def _settle_folders(root: Path, folders: list[tuple[Path, int]], is_held: Callable[[str], bool]) -> None:
    """Times of folders count for some tools; an empty one is an output like any other."""
    for folder, changed_ns in sorted(folders, key=lambda each: len(each[0].parts), reverse=True):
        below = str(folder.relative_to(root))
        if is_held(below) or not _is_ours(root, folder):
            continue
        with contextlib.suppress(OSError):
            folder.mkdir(parents=True, exist_ok=True)
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
