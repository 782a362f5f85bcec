"""A throw-away copy of a project: everything that is tried is tried there.

Copied is what Git would keep, or, without Git, everything but what is made again; what is installed beside a
project (`node_modules`, a virtual environment) is linked, and so can be read and not be changed. Nothing is
ever copied back.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import shutil
import stat
import subprocess
import time
import tokenize
from collections.abc import Callable, Iterable, Iterator
from io import BytesIO
from pathlib import Path, PurePosixPath
from types import TracebackType

from filelock import FileLock, Timeout

from desktop.builder.reasons import BuilderReason
from desktop.errors import UserFacing
from desktop.gate.project_files import GIT, PlainFolders
from desktop.gate.projects import is_rebuilt
from desktop.paths import read_regular
from desktop.sandbox.folder import Folder, facts_of_file
from desktop.sandbox.workspace import hold_itself

MOST_BYTES = 200_000_000
MOST_FILES = 20_000
GIT_S = 20.0
LOCK = "lock"
GONE = ".gone-"
ENTRY_BYTES = 16_384
LONGEST_PATH = 2_000  # characters
MOST_DISK_BYTES = 1 << 62
UNCLAIMED_S = 600.0  # a copy that is being made has its lock long before
# Installed beside a project: needed by its tests, large, and nothing that a fix would touch.
LINKED = frozenset({"node_modules", ".venv", "venv", "vendor"})
_TEST_NAME = re.compile(
    r"^(?:test_.*|.*_test|.*[._-](?:test|spec|tests|specs)|conftest|tests?|spec)\.\w+$", re.IGNORECASE
)
_TEST_FOLDERS = frozenset(
    {"test", "tests", "__tests__", "spec", "specs", "testdata", "fixtures", "__snapshots__"}
)
# What decides which tests are run, and how: a pass after a change of these proves nothing.
_SETTINGS = frozenset(
    {
        *("pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", "package.json", "tsconfig.json", "go.mod"),
        *("Cargo.toml", "Makefile", "makefile", "CMakeLists.txt", "jest.config.js", "vitest.config.ts"),
    }
)

_NAME = re.compile(r"[0-9a-f]{16}")


def is_test(file: str) -> bool:
    """Whether a file of a project, relative to it, is one of its tests or decides how they run."""
    path = PurePosixPath(file)
    folders = {part.lower() for part in path.parts[:-1]}
    return bool(_TEST_NAME.match(path.name)) or bool(folders & _TEST_FOLDERS) or path.name in _SETTINGS


class ProjectCopy:
    """One copy; a context manager that removes it. Any thread, one at a time."""

    def __init__(self, project: Path, place: Path) -> None:
        """`place` is a folder of Steward's own in which the copy is made."""
        self.project = Path(os.path.realpath(project))
        self._place = Path(os.path.realpath(place))
        self._whole = self._place / secrets.token_hex(8)
        self.folder = self._whole / self.project.name
        self.temporary = self._whole / "tmp"
        self._lock = FileLock(self._whole / LOCK, mode=0o600)
        self._hashes: dict[str, str] = {}
        self._folders: set[str] = set()  # those that the files stand in
        self._encodings: dict[str, str] = {}

    def __enter__(self) -> ProjectCopy:
        """Copies. Raises UserFacing for a project that is too large or cannot be read."""
        try:
            self.folder.mkdir(parents=True, mode=0o700)
            self._lock.acquire()
            _tidy(self._place)
            self._copy()
        except BaseException:
            self.__exit__(None, None, None)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _remove(self._whole, self._whole)
        self._lock.release()

    @property
    def files(self) -> tuple[str, ...]:
        """The files of the project as it was copied, relative, with slashes."""
        return tuple(self._hashes)

    @property
    def tests(self) -> tuple[str, ...]:
        return tuple(each for each in self._hashes if is_test(each))

    def protect(self, files: Iterable[str]) -> tuple[Path, ...]:
        """The places in the copy of what is protected."""
        return tuple(self.folder / each for each in files)

    def read(self, file: str) -> str:
        """The text of a file in its own encoding. Raises UserFacing for what is no text."""
        try:
            return self._read(file).decode(self.encoding(file))
        # What a file says of its encoding need not be so.
        except (OSError, UnicodeDecodeError) as error:
            raise UserFacing(BuilderReason.NO_TEXT.of(file=file)) from error

    def encoding(self, file: str) -> str:
        """In which the file is read and written, as it was when it was copied; UTF-8 for one that was not
        there. Raises UserFacing.
        """
        if file not in self._encodings:
            self._encodings[file] = _encoding(file, self.content(file) or b"")
        return self._encodings[file]

    def digest(self, file: str) -> str:
        """The SHA-256 of the file when it was copied; "" where it was not there."""
        return self._hashes.get(file, "")

    def write(self, file: str, content: str) -> None:
        """Raises UnicodeEncodeError for letters that the file's encoding has not."""
        self.put(file, content.encode(self.encoding(file)))

    def content(self, file: str) -> bytes | None:
        """The bytes of a file; None for what is no plain file of the copy by now."""
        try:
            return self._read(file)
        except OSError:
            return None

    def put(self, file: str, content: bytes | None) -> None:
        """Write a file in the place of whatever stands there; None takes that away."""
        place = self._cleared(file)
        if content is not None:
            place.write_bytes(content)

    def made(self) -> frozenset[str]:
        """Files, links and folders that are no copies of the project's: built, or left by a run of the check.
        What a tool builds into a folder of its own is left out, since it saves building it once more.
        """
        return frozenset(_walked(self.folder, with_folders=True)) - self._hashes.keys() - self._folders

    def remove(self, made: Iterable[str]) -> None:
        """Remove `made`, and what is in a folder of it."""
        gone = None
        # In this order a folder stands right before what is in it, which goes with it.
        for each in sorted(made, key=lambda each: each.replace("/", "\0")):
            if gone is None or not each.startswith(f"{gone}/"):
                self.put(each, None)
                gone = each

    def size(self) -> int:
        """Bytes on the disk, with what was put into `temporary`; what goes meanwhile counts or not. What is
        empty has its price, too: a million of such files takes minutes to be found again.
        """
        total = 0
        for entry in _entries(self._whole):
            if len(entry.path) > LONGEST_PATH:
                return MOST_DISK_BYTES  # what lies deeper is not to be seen from here
            try:
                found = entry.stat(follow_symlinks=False)
            except OSError:  # gone since the folder was listed
                continue
            total += found.st_blocks * 512 + ENTRY_BYTES
        return total

    def changed(self, but: str = "") -> tuple[str, ...]:
        """Copied files that are not as they were, or gone; `but` is left out."""
        return tuple(
            file for file, digest in self._hashes.items() if file != but and self._digest_now(file) != digest
        )

    def restore(self, files: Iterable[str]) -> None:
        """Put these files back as they are in the project."""
        with hold_itself(self.project) as project:
            for file in files:
                _copied(project, file, self._cleared(file))

    def _cleared(self, file: str) -> Path:
        """Where a file of the copy stands, with nothing there, below folders that are folders: a check that
        ran may have put a link in the place of any of them, and what is written here is written unconfined.
        """
        *above, name = file.split("/")
        place = self.folder
        for part in above:
            place /= part
            if place.is_symlink() or not place.is_dir():
                place.unlink(missing_ok=True)
                place.mkdir(mode=0o700)
        place /= name
        if place.is_dir() and not place.is_symlink():
            _remove(place, self._whole)
        place.unlink(missing_ok=True)
        return place

    def _read(self, file: str) -> bytes:
        """Raises OSError for what is no file, or lies behind a link; a pipe would hold everything up."""
        path = self.folder / file
        if path.is_symlink() or not PlainFolders(self.folder).hold(file):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), file)
        return read_regular(path, MOST_BYTES)

    def _digest_now(self, file: str) -> str:
        content = self.content(file)
        return "" if content is None else hashlib.sha256(content).hexdigest()

    def _copy(self) -> None:
        total = 0
        with hold_itself(self.project) as project:
            for file in self._wanted():
                # Looked at before it is copied: a disk that is full halfway helps nobody.
                total += (self.project / file).stat().st_size
                if total > MOST_BYTES or len(self._hashes) >= MOST_FILES:
                    raise UserFacing(
                        BuilderReason.TOO_LARGE.of(folder=self.project, size=MOST_BYTES, files=MOST_FILES)
                    )
                _copied(project, file, self.folder / file)
                self._hashes[file] = self._digest_now(file)
                self._folders.update(map(str, PurePosixPath(file).parents))
        # Read through the link and never written: the confinement makes only the copy writable.
        for name in LINKED:
            if (self.project / name).is_dir() and not (self.folder / name).exists():
                (self.folder / name).symlink_to(self.project / name)

    def _wanted(self) -> Iterator[str]:
        folders = PlainFolders(self.project)
        for file in sorted(_listed_by_git(self.project) or _walked(self.project)):
            source = self.project / file
            # A link could lead out of the project, and what is no file has nothing to copy.
            if folders.hold(file) and source.is_file() and not source.is_symlink():
                yield file


def _listed_by_git(project: Path) -> list[str]:
    """What is tracked and what is new; empty where this is no repository, or Git cannot tell."""
    if not (project / ".git").exists():
        return []
    words = [*GIT, "-C", str(project), "ls-files", "-z", "-co", "--exclude-standard"]
    try:
        done = subprocess.run(words, capture_output=True, timeout=GIT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return []
    return [os.fsdecode(each) for each in done.stdout.split(b"\0") if each] if not done.returncode else []


def _walked(project: Path, with_folders: bool = False) -> Iterator[str]:
    """Files and links, relative, with slashes; of folders those that are not made again."""
    start = len(os.fspath(project)) + 1
    for entry in _entries(project, lambda name: is_rebuilt(name) or name in LINKED or name == ".git"):
        if with_folders or not entry.is_dir(follow_symlinks=False):
            yield entry.path[start:]


def _entries(top: Path, skips: Callable[[str], bool] = lambda _name: False) -> Iterator[os.DirEntry[str]]:
    """All that lies below, each folder before what is in it, without folders that `skips` names.

    Not by recursion: a check can make folders in folders until Python gives up, or until a path is too long
    for the system. What is deeper than `LONGEST_PATH` is left out; its upper end is there.
    """
    waiting = [os.fspath(top)]
    while waiting:
        try:
            with os.scandir(waiting.pop()) as listed:
                entries = list(listed)
        except OSError:  # gone since, or too deep, or closed by its owner
            continue
        for entry in entries:
            is_folder = entry.is_dir(follow_symlinks=False)
            if is_folder and skips(entry.name):
                continue
            if is_folder and len(entry.path) <= LONGEST_PATH:
                waiting.append(entry.path)
            yield entry


def _tidy(place: Path) -> None:
    """Remove the copies of jobs that were killed: nobody holds their locks any more."""
    for whole in (each for each in place.iterdir() if _NAME.fullmatch(each.name)):
        lock = FileLock(whole / LOCK)
        try:
            # One without a lock is being made at this moment, or was killed at it long ago.
            if (whole / LOCK).exists() or time.time() - whole.stat().st_mtime > UNCLAIMED_S:
                with lock.acquire(timeout=0):
                    _remove(whole, whole)
        except (Timeout, OSError):  # at work, or removed by its own job meanwhile
            continue


def _remove(folder: Path, whole: Path) -> None:
    """With all that is in it, however deep: each folder is first brought up to where `whole` is, so that no
    path becomes too long. What cannot be removed stays.
    """
    waiting = [folder]
    for each in waiting:  # grows as it is gone through
        with contextlib.suppress(OSError):
            # A test may have taken away the right to remove what it has made.
            os.chmod(each, stat.S_IRWXU)
            with os.scandir(each) as listed:
                entries = list(listed)
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    os.chmod(entry.path, stat.S_IRWXU)
                    waiting.append(Path(entry.path).replace(whole / f"{GONE}{secrets.token_hex(8)}"))
                else:
                    os.unlink(entry.path)
    for each in reversed(waiting):
        with contextlib.suppress(OSError):
            os.rmdir(each)


def _encoding(file: str, data: bytes) -> str:
    """UTF-8, what a file of Python says of itself, or Latin-1, which has a letter for every byte: whatever
    they really are, those outside of the function come back as they were. Raises UserFacing for no text.
    """
    if b"\0" in data:
        raise UserFacing(BuilderReason.NO_TEXT.of(file=file))
    if data.startswith(b"\xef\xbb\xbf"):
        return "utf-8-sig"
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return _said_encoding(data) if file.endswith(".py") else "latin-1"
    return "utf-8"


def _said_encoding(data: bytes) -> str:
    try:
        return tokenize.detect_encoding(BytesIO(data).readline)[0]
    except SyntaxError:  # it says none, or one that nobody knows
        return "latin-1"


def _copied(project: Folder, file: str, target: Path) -> None:
    """With its permissions and times. Raises UserFacing for what is no plain file by now.

    Other programs are at work in the project, and what a link leads to would come into the model's sight.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with project.open_file(file.split("/"), linked=True) as source, target.open("xb") as made:
        shutil.copyfileobj(source, made)
        facts = facts_of_file(source)
    target.chmod(facts.mode)
    os.utime(target, ns=(facts.accessed_ns, facts.modified_ns))
