"""A settings file of somebody else: read whole, kept beside before it is changed, put back byte for byte."""

from __future__ import annotations

import hashlib
import json
import os
import stat
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import structlog

from desktop.errors import UserFacing
from desktop.paths import write_atomically
from desktop.state_file import put_aside, read_object

log = structlog.get_logger(__name__)

BACKUP_SUFFIX = ".before-steward"
REMEMBERED = 4  # versions of ours that are known again; more than one only after a crash
OTHERS = stat.S_IRWXG | stat.S_IRWXO
UNTOUCHED = "Nothing was changed."


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
        return Content(file.read_bytes().decode("utf-8"), stat.S_IMODE(facts.st_mode))
    except FileNotFoundError:
        return Content()
    except UnicodeDecodeError as error:
        raise _refused(file, "is not text in UTF-8", "Save it as UTF-8 and install again.") from error
    except OSError as error:
        raise unusable(file, error) from error


def write(file: Path, content: Content) -> None:
    """Replace the file whole or not at all; where it did not exist, it goes. Raises UserFacing.

    A link stays one: people keep their settings in a folder of their own and link to it. What it leads to is
    written, or goes.
    """
    try:
        file = end_of(file)
        if not content.exists:
            file.unlink(missing_ok=True)
            return
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
    return Receipt(str(facts["file"]), str(facts["before"]), mode, after)


def original(file: Path, content: Content, receipt: Receipt | None) -> Content | None:
    """The file as it was before our hooks; None where that cannot be said for certain."""
    if receipt is None or not receipt.fits(file, content):
        return None
    if not receipt.before:
        return Content()
    kept = _kept(file)
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
    known = older.after if older is not None and older.file == str(file) else ()
    kept = tuple(each for each in known if each != digest(after))[-(REMEMBERED - 1) :]
    first = digest(before.text) if before.exists else ""
    return Receipt(str(file), first, before.mode, (*kept, digest(after)))


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
    reason = error.strerror or str(error)
    return _refused(file, f"cannot be used: {reason}", "Check its permissions and its folder.")


def _refused(file: Path, what: str, action: str) -> UserFacing:
    return UserFacing(f"{file} {what}.", UNTOUCHED, action, code="settings-unusable")
