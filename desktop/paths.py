"""Every folder and file name of the program.

`--profile DIR` moves all of them under one folder (tests, demonstrations). So does a file called `portable`
beside the program of a bundle: then everything is kept in the folder `profile` next to it.
"""

from __future__ import annotations

import errno
import functools
import io
import os
import stat
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from platformdirs import PlatformDirs

APP_NAME = "steward"
PORTABLE_MARKER = "portable"

PRIVATE_FILE, PRIVATE_FOLDER = 0o600, 0o700  # what Steward keeps is nobody else's


@dataclass(frozen=True)
class Paths:
    """Where this profile keeps its things. Folders are made by whoever writes first, with `ensure`."""

    data: Path  # what the user would miss: conversations, models
    config: Path  # settings.toml
    cache: Path  # may be deleted at any time
    runtime: Path  # sockets and markers of the running process
    logs: Path
    workspace: Path  # where the assistant works, unless the settings name another folder
    profile: Path | None = None  # the folder that holds all of them, where one was named

    @classmethod
    def default(cls) -> Paths:
        """The folders that this operating system has for such things, or those of a portable copy."""
        portable = portable_profile()
        if portable is not None:
            return cls.under(portable)
        from platformdirs import PlatformDirs  # here and below: hooks and `steward classify` need neither

        dirs = PlatformDirs(APP_NAME, appauthor=False)
        return cls(
            data=Path(dirs.user_data_dir),
            config=Path(dirs.user_config_dir),
            cache=Path(dirs.user_cache_dir),
            runtime=_runtime(dirs),
            logs=Path(dirs.user_log_dir),
            workspace=Path.home() / "Steward",
        )

    @classmethod
    def under(cls, profile: Path) -> Paths:
        """Everything inside `profile`."""
        root = profile.expanduser().resolve()
        return cls(
            data=root / "data",
            config=root / "config",
            cache=root / "cache",
            runtime=root / "run",
            logs=root / "logs",
            workspace=root / "workspace",
            profile=root,
        )

    @property
    def database(self) -> Path:
        return self.data / "steward.sqlite3"

    @property
    def settings(self) -> Path:
        return self.config / "settings.toml"

    @property
    def models(self) -> Path:
        """Downloaded model files, and `models.json`, the list of what is installed."""
        return self.data / "models"

    @property
    def skills(self) -> Path:
        """Folders of the user's own, each with a `SKILL.md`."""
        return self.data / "skills"

    @property
    def downloads(self) -> Path:
        """Unfinished downloads; beside the models so that finishing is a rename."""
        return self.models / "downloads"

    @property
    def embedding(self) -> Path:
        """The model that tells how alike texts are; there only where the user asked for it."""
        return self.models / "embedding"

    @property
    def quarantine(self) -> Path:
        """Files whose hash was wrong; kept for the user to look at, never loaded."""
        return self.models / "quarantine"

    @property
    def secrets(self) -> Path:
        """Access tokens, only where the computer has no keyring; mode 0600."""
        return self.config / "secrets.json"

    @property
    def program_tokens(self) -> Path:
        """The hashes of the tokens of programs that may ask the model."""
        return self.config / "program_tokens.json"

    @property
    def program_use(self) -> Path:
        """What these programs have asked for, in numbers."""
        return self.data / "program_use.json"

    @property
    def prefixes(self) -> Path:
        """Saved KV caches of stable prompt prefixes."""
        return self.cache / "prefixes"

    @property
    def calibration(self) -> Path:
        return self.cache / "calibration.json"

    @property
    def capabilities(self) -> Path:
        """What model files can do with tools, found out once for each."""
        return self.cache / "capabilities.json"

    @property
    def load_marker(self) -> Path:
        """Names the model that is being loaded; still there at the next start after a native crash."""
        return self.data / "loading.json"

    @property
    def tried_models(self) -> Path:
        """Which model files were loaded once in a process of their own."""
        return self.cache / "tried-models.json"

    @property
    def restoring(self) -> Path:
        """Says that a backup is unpacked and waits for the next start to be put in place."""
        return self.data / "restoring.json"

    @property
    def project_copies(self) -> Path:
        """Bytes of projects from before an agent's command, for undo; one folder for each project."""
        return self.data / "projects"

    @property
    def extensions(self) -> Path:
        """Installed extensions, a folder each, and the list of them."""
        return self.data / "extensions"

    @property
    def extension_list(self) -> Path:
        """What is known of the installed extensions; not there before the first one."""
        return self.extensions / "registry.json"

    @property
    def journal(self) -> Path:
        """Bytes of files from before a tool changed them, for undo; named by their SHA-256."""
        return self.data / "journal"

    @property
    def audit_head(self) -> Path:
        """Number and hash of a late record of the audit log: shows when the log was cut at its end."""
        return self.data / "audit-head.json"

    @property
    def audit_key(self) -> Path:
        """Key of the codes at the end of the audit log; lies away from the log, and is in no backup."""
        return self.config / "audit-key"

    @property
    def audit_restored(self) -> Path:
        """Says that the audit log has just come out of a backup; taken away when that is in the log."""
        return self.data / "audit-restored"

    @property
    def served_tools(self) -> Path:
        """What servers said of their tools when the user agreed to them, and what they say now."""
        return self.data / "served-tools.json"

    @property
    def window(self) -> Path:
        """Place and size of the chat window."""
        return self.config / "window.json"

    @property
    def reminders_marker(self) -> Path:
        """Written at every change of a reminder, so that another process notices."""
        return self.runtime / "reminders"

    @property
    def pages(self) -> Path:
        """Place, size and latest page of the window with the pages."""
        return self.config / "pages.json"

    @property
    def instance_lock(self) -> Path:
        return self.runtime / "steward.lock"

    @property
    def presence(self) -> Path:
        """A file for each process that is at work in this profile, and nothing else."""
        return self.runtime / "presence"

    @property
    def hook_socket(self) -> Path:
        """Where the server listens beside its port, for programs of this user alone."""
        return self.runtime / "hooks.socket"

    @property
    def question_socket(self) -> Path:
        """Where the running program takes questions of `steward ask`."""
        return self.runtime / "questions.socket"

    @property
    def question_token(self) -> Path:
        """What proves that somebody may ask there."""
        return self.runtime / "questions.json"

    @property
    def hook_client(self) -> Path:
        """Where an AppImage keeps its hook client, which agents start while it does not run."""
        return self.data / "hook_client"

    @property
    def crashes(self) -> Path:
        """Reports of crashes, bugs and hangs; the latest ten."""
        return self.logs / "crashes"

    @property
    def fault_log(self) -> Path:
        """Where the native crash handler of the running program writes."""
        return self.logs / "native-crash.log"

    @property
    def workers(self) -> Path:
        """The machines that builds and tests may run on."""
        return self.config / "workers.json"

    @property
    def workers_seen(self) -> Path:
        """What they said of themselves in the last minute."""
        return self.cache / "workers-seen.json"

    @property
    def offload_programs(self) -> Path:
        """The user's own additions to resources/offload.toml."""
        return self.config / "offload.toml"

    @property
    def offload_jobs(self) -> Path:
        """What ran on workers, and how long the same took here; a line each."""
        return self.data / "offload-jobs.jsonl"

    @property
    def mirrors(self) -> Path:
        """What is known of the workers' copies of projects, a folder for each project."""
        return self.cache / "mirrors"

    @property
    def toolchains(self) -> Path:
        """What the compilers of this computer say of themselves, by the file that they are."""
        return self.cache / "toolchains.json"

    @property
    def running_marker(self) -> Path:
        """There while the tray app runs; left behind by a crash."""
        return self.data / "running.json"

    @property
    def fit(self) -> Path:
        """How fast models are on this computer."""
        return self.cache / "fit.json"

    @property
    def log_file(self) -> Path:
        return self.logs / "steward.log"


def portable_profile() -> Path | None:
    """Where a portable copy keeps its things: beside the program of a bundle that is marked so."""
    if not getattr(sys, "frozen", False):
        return None
    folder = (own_appimage() or Path(sys.executable)).resolve().parent
    return folder / "profile" if (folder / PORTABLE_MARKER).is_file() else None


def own_appimage() -> Path | None:
    """The AppImage that this program runs from: its own folder is gone when it ends, this file stays.

    Programs that were started from another AppImage inherit the variables of that one.
    """
    file, folder = os.environ.get("APPIMAGE"), os.environ.get("APPDIR")
    if not (file and folder and getattr(sys, "frozen", False)):
        return None
    inside = Path(sys.executable).resolve().is_relative_to(Path(folder).resolve())
    return Path(file) if inside else None


def own_words() -> tuple[str, ...]:
    """The words that start this program a second time while this process runs."""
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    return (sys.executable, "-P", "-m", "desktop")


def own_program() -> tuple[str, ...]:
    """The words that start this program at any later time."""
    appimage = own_appimage()
    return own_words() if appimage is None else (str(appimage),)


def _runtime(dirs: PlatformDirs) -> Path:
    """Without a login session Linux names no runtime folder, and one under /tmp could be anybody's."""
    if sys.platform == "linux" and "XDG_RUNTIME_DIR" not in os.environ:
        return Path(dirs.user_cache_dir) / "run"
    return Path(dirs.user_runtime_dir)


def ensure(folder: Path) -> Path:
    """Make `folder` and those above it that are missing, each for its owner alone, and return it."""
    if os.path.isdir(folder):  # as it is with all calls but the first
        return folder
    if not folder.parent.exists():
        ensure(folder.parent)
    folder.mkdir(mode=PRIVATE_FOLDER, exist_ok=True)
    return folder


def open_regular(path: Path) -> io.FileIO:
    """A file that somebody else may have put there, to read, links followed.

    Raises OSError, also for a pipe or a device, which may have no end or no beginning.
    """
    # Not to wait: a pipe opens only once somebody writes to it.
    flags = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, os.O_RDONLY | flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "it is no file", str(path))
        return io.FileIO(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def read_regular(path: Path, most_bytes: int) -> bytes:
    """What such a file holds. Raises OSError as `open_regular`, and for more than `most_bytes`."""
    # Counted as it is read: files of the system state no size.
    with io.BufferedReader(open_regular(path)) as file:
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return content


LARGEST_OWN_BYTES = 64_000_000


def read_own(path: Path) -> bytes:
    """What a file of the profile holds, a list or settings. Raises OSError.

    What damaged it may have left a pipe, which has no end, or gigabytes.
    """
    return read_regular(path, LARGEST_OWN_BYTES)


def is_other(error: OSError) -> bool:
    """Whether there is something else than the file that was to be read, and will be the next time."""
    return error.errno in (errno.EINVAL, errno.EFBIG, errno.EISDIR, errno.ENXIO, errno.ELOOP)


def private(name: str, flags: int) -> int:
    """An `opener` for `open`: a file that is new is for its owner alone, whatever the process's umask.

    A pipe that lies there raises OSError, and is not waited for.
    """
    return os.open(name, flags | getattr(os, "O_NONBLOCK", 0), PRIVATE_FILE)


def resources() -> Path:
    """The folder of icons, catalogue, prompts and styles, in a checkout, an install and a bundle."""
    return _resources(getattr(sys, "_MEIPASS", None))


def native_programs() -> Path:
    """The folder of the programs that are compiled from C: in a bundle, or where dev.py builds them."""
    return _native_programs(getattr(sys, "_MEIPASS", None))


@functools.cache
def _resources(bundled: str | None) -> Path:
    return (Path(bundled) if bundled else Path(__file__).resolve().parent.parent) / "resources"


@functools.cache
def _native_programs(bundled: str | None) -> Path:
    found = _resources(bundled)
    return found / "hook_client" if bundled else found.parent / "build" / "hook_client"


def write_atomically(path: Path, content: bytes) -> None:
    """Replace `path` whole or not at all, also when the process is killed or the disk is full.

    Raises OSError, also for a folder, a pipe or a device: root would have a file in its place.
    """
    import tempfile

    ensure(path.parent)
    if os.path.exists(path) and not os.path.isfile(path):
        raise OSError(errno.EINVAL, "it is no file", str(path))
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


ASIDE = ".old"  # behind the name, and a dot before it, of a folder that has made room for another


def replace_folder(place: Path, made: Path) -> None:
    """Move the folder `made` to `place`, on the same disk; one that is there goes. Raises OSError, and then
    the old one is in its place. After a kill in between `put_back_folders` brings it back."""
    import shutil

    aside = place.with_name(f".{place.name}{ASIDE}")
    if place.exists():
        shutil.rmtree(aside, ignore_errors=True)
        place.rename(aside)
    try:
        made.rename(place)
    except OSError:
        put_back_folders(place.parent)
        raise
    shutil.rmtree(aside, ignore_errors=True)


def put_back_folders(parent: Path) -> None:
    """In `parent`, what went aside for one that has not come. Another process that is just between its two
    moves finds the place taken and refuses its own: nothing is lost by either."""
    import shutil

    for aside in parent.glob(f".*{ASIDE}"):
        place = aside.with_name(aside.name[1:].removesuffix(ASIDE))
        if place.exists():
            shutil.rmtree(aside, ignore_errors=True)
            continue
        try:
            aside.rename(place)
        except OSError:  # the next start tries again
            continue
