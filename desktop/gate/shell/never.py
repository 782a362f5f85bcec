"""What is never done: a root, a home or a disk as a whole, removed, overwritten or locked.

One command is looked at after it was judged: its class, and the places that its words come to once quotes,
variables, `cd` and wrappers are undone. How it was spelled plays no part.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from fnmatch import fnmatchcase

from desktop.gate.reasons import GateReason
from desktop.gate.shell.places import is_disk
from desktop.gate.shell.reading import Reading
from desktop.gate.shell.words import ANY_MARK, Word
from desktop.gate.verdict import Effect
from desktop.reasons import Reason


class Extent(Enum):
    """How much of a computer a folder holds."""

    ROOT = 0
    SYSTEM = 1
    HOME = 2


_DRIVE = re.compile(r"[A-Za-z]:/?|/mnt/[a-z]")
_HOME = re.compile(r"/(?:home|Users)/[^/]+|/root|[A-Za-z]:/Users/[^/]+", re.IGNORECASE)
_SYSTEM = re.compile(
    r"""(?x)/(?:
        bin | boot | dev | efi | etc | home | lib(?:32|64|x32)? | proc | run | sbin | sys | usr | var
      | usr/(?:bin|lib|lib64|libexec|local|sbin|share) | var/lib
      | Applications | Library | System | Users | private | Volumes
    ) | (?i:[a-z]:/(?:Windows(?:/System32)?|Users|Program\ Files(?:\ \(x86\))?|ProgramData))"""
)
# Names that a pattern for everything takes in; those that begin with a dot need one of their own.
_VISIBLE, _HIDDEN = ("bin", "home", "usr", "Documents"), (".config", ".ssh", ".bashrc")
_MAC_DISK = re.compile(r"(?:/dev/)?r?disk\d+(?:s\d+)?")


def extent(path: str) -> Extent | None:
    """What `path`, as `located` gives it, holds as a whole; patterns for everything in a folder mean it."""
    while _takes_all(path.rpartition("/")[2]):
        path = path.rpartition("/")[0] or "/"
    if path == "/" or _DRIVE.fullmatch(path):
        return Extent.ROOT
    if _HOME.fullmatch(path):
        return Extent.HOME
    return Extent.SYSTEM if _SYSTEM.fullmatch(path) else None


def _takes_all(name: str) -> bool:
    if "*" not in name and "?" not in name and "[" not in name:
        return False
    pattern = "*" if name == "*.*" else name  # to Windows they are one
    return any(all(fnmatchcase(each, pattern) for each in names) for names in (_VISIBLE, _HIDDEN))


OWN_FILES = GateReason.WOULD_REMOVE_WHAT_STEWARD_KEEPS.of()
HOOK_FILES = GateReason.WOULD_REMOVE_THE_SETTINGS_OF_HOOKS.of()


def reason(name: str | Reason, reached: Extent) -> Reason:
    """Why a command is never run; completes a sentence."""
    if reached is Extent.ROOT:
        return GateReason.WOULD_RUIN_THE_WHOLE_FILE_SYSTEM.of(name=name)
    if reached is Extent.SYSTEM:
        return GateReason.WOULD_RUIN_A_FOLDER_OF_THE_SYSTEM.of(name=name)
    return GateReason.WOULD_RUIN_A_WHOLE_HOME_FOLDER.of(name=name)


def look(reading: Reading, name: str, words: Sequence[Word], effect: Effect) -> None:
    """Tell `reading` where the program or cmdlet `name`, given `words`, judged as `effect`, ruins something.

    `name` is in small letters.
    """
    if effect < Effect.UPDATE or not words:
        return
    for place, path in _placed(reading, _aims(name, words, effect)):
        reading.removes(path)
        reached = extent(path)
        if reached is not None:
            reading.ruins(reason(name, reached), place)
    for place, path in _placed(reading, _locked(name, words)):
        reached = extent(path)
        if reached in (Extent.ROOT, Extent.SYSTEM) or (reached and _shuts_out(words)):
            reading.ruins(reason(name, reached), place)
    if effect is Effect.DELETE:
        _look_for_disks(reading, name, words)


_MOVERS = frozenset({"mv", "move", "move-item"})
_COPIERS = frozenset({"rsync", "rclone", "cp"})
_ELSEWHERE = frozenset({"find", "dd"})  # looked at in `found_all`, and where a file is written
# Nothing is left out by these; every other test of find narrows what it finds.
_FIND_NARROWS_NOT = frozenset(
    {"-delete", "-depth", "-d", "-mount", "-xdev", "-print", "-print0", "-type", "-mindepth"}
)
_FIND_VALUES = frozenset({"-type", "-mindepth"})
_FIND_RUNS = frozenset({"-exec", "-execdir", "-ok", "-okdir"})
_OF_VOLUMES = frozenset({"tmutil", "fstrim", "snapper", "timeshift"})  # thin out snapshots, not the files
_REMOVERS = frozenset({"rm", "unlink", "shred", "srm", "rmdir", "truncate", "trash", "gio"})


def _aims(name: str, words: Sequence[Word], effect: Effect) -> Sequence[Word]:
    """The words that name what the command takes away."""
    operands = [word for word in words if word.text[:1] != "-"]
    if name in _ELSEWHERE or name in _OF_VOLUMES:
        return ()
    if name in _MOVERS:
        return operands[:-1]
    if effect is not Effect.DELETE:
        return ()
    if name in _COPIERS:
        return operands[-1:]
    return operands[1:2] if name == "robocopy" else operands


def found_all(reading: Reading, words: Sequence[Word]) -> None:
    """A find: does it remove all that there is below its starting points?"""
    start = next((n for n, word in enumerate(words) if word.text[:1] in ("-", "(", "!")), len(words))
    removes, place = False, start
    while place < len(words):
        text = words[place].text
        if text in _FIND_RUNS:
            program = words[place + 1].text if place + 1 < len(words) else ""
            removes = removes or program.rpartition("/")[2] in _REMOVERS
            place = next((n for n in range(place, len(words)) if words[n].text in (";", "+")), len(words)) + 1
            continue
        if text not in _FIND_NARROWS_NOT:
            return
        removes = removes or text == "-delete"
        place += 2 if text in _FIND_VALUES else 1
    if not removes:
        return
    roots = words[:start] or [Word(".")]
    for root, path in _placed(reading, roots):
        reading.removes(path)
        reached = extent(path)
        if reached is not None:
            reading.ruins(reason("find", reached), root)


_PERMISSIONS = frozenset(
    {"chmod", "chown", "chgrp", "chattr", "setfacl", "chflags", "icacls", "cacls", "takeown", "attrib"}
)
_RECURSIVE = re.compile(r"-[A-Za-z]*R[A-Za-z]*|--recursive|/[rst]", re.IGNORECASE)
# Modes after which the owner of a home reads nothing in it.
_SHUTS = re.compile(r"0*[0-3]?[0-7]{0,2}|(?:[ua][go]*)?(?:-[wxXst]*r[rwxXst]*|=[wxXst]*)")


def _locked(name: str, words: Sequence[Word]) -> Sequence[Word]:
    """The folders whose owner or permissions are changed with all that is in them."""
    if name not in _PERMISSIONS:
        return ()
    if not any(_RECURSIVE.fullmatch(word.text) for word in words):
        return ()
    return [word for word in words if word.text[:1] != "-" and not _RECURSIVE.fullmatch(word.text)]


def _shuts_out(words: Sequence[Word]) -> bool:
    operands = [word.text for word in words if not _RECURSIVE.fullmatch(word.text)]
    return any(_SHUTS.fullmatch(text) for text in operands)


# Cmdlets that are told a number or a letter, not a path.
_DISK_CMDLETS = frozenset(
    {"format-volume", "clear-disk", "initialize-disk", "remove-partition", "reset-physicaldisk", "set-disk"}
)


def _look_for_disks(reading: Reading, name: str, words: Sequence[Word]) -> None:
    if name in _DISK_CMDLETS:
        reading.ruins(GateReason.ERASES_A_DISK.of(name=name), words[0])
        return
    for word in words:
        is_named = is_disk(word.text) or (name == "diskutil" and _MAC_DISK.fullmatch(word.text))
        if is_named and not ANY_MARK.search(word.text):
            reading.ruins(GateReason.DESTROYS_WHAT_IS_ON.of(name=name, text=word.text), word)


def _placed(reading: Reading, words: Sequence[Word]) -> list[tuple[Word, str]]:
    """The words that name a place on this computer, and which."""
    return [(word, path) for word in words if (path := reading.located(word.text))]
