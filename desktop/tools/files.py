"""Files and folders: read, write, list, find, search, make, move, delete.

Every path goes through the workspace, every change through the journal. What comes back is short, because a
small model reads it.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterator, Sequence
from fnmatch import fnmatch

from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.journal_entry import Origin
from desktop.sandbox.facts import Entry, Kind
from desktop.sandbox.workspace import Place, Workspace
from desktop.tools.ignored import walk
from desktop.tools.result import ToolResult
from desktop.tools.text import SNIFFED_BYTES, Encoding, encoding_of, size_text

SHOWN_BYTES = 4096
TAIL_BYTES = 1024
WRITTEN_BYTES = 64 * 1024
LISTED = 50
FOUND = 50
WALKED = 20_000  # names looked at in a search
SEARCHED_BYTES = 1_000_000  # of one file
LINE_CHARACTERS = 200


def listing(entries: Sequence[Entry], shown: str) -> str:
    """A folder's entries, one a line; of many the first, with a count of the rest."""
    lines = [_line(entry) for entry in entries[:LISTED]]
    if len(entries) > LISTED:
        lines.append(f"… and {len(entries) - LISTED} more")
    files = [entry for entry in entries if entry.facts.kind is Kind.FILE]
    if len(files) > 1:
        largest = max(files, key=lambda entry: entry.facts.size_bytes)
        lines.append(f"Largest file: {largest.name} ({size_text(largest.facts.size_bytes)})")
    return "\n".join(lines) or f"{shown} is empty."


class FileTools:
    """The tools about files. Each raises UserFacing for what is refused; any thread."""

    def __init__(self, workspace: Workspace, journal: Journal, trash: Callable[[Place], None]) -> None:
        """`trash` moves what is at a place to where the user can get it back."""
        self._workspace = workspace
        self._journal = journal
        self._trash = trash

    def read_file(self, path: str, offset: int = 0) -> ToolResult:
        """Read a text file. Of a long one the beginning and the end; read on with offset (in bytes)."""
        place = self._workspace.place(path)
        encoding = encoding_of(place.read(limit_bytes=SNIFFED_BYTES), place.shown)
        return ToolResult(_shown(place, encoding, max(0, offset)))

    def write_file(self, path: str, content: str, call: str = "") -> ToolResult:
        """Save text in a file with the name that the user gives."""
        data = _encoded(content)
        place = self._workspace.place(path)
        made = self._make_parent(place, call)
        change = self._journal.write(place, data, Origin("write_file", call))
        return ToolResult(f"Wrote {size_text(len(data))} to {place.shown}.", (*made, change))

    def preview_write(self, path: str, content: str) -> str:
        """What `write_file` would change, as a unified diff; empty when nothing would."""
        place = self._workspace.place(path)
        old = _text(place, linked=True) if place.exists() else ""
        return "".join(_diff(old, content, place.shown))

    def line_count(self, path: str) -> int:
        """Of a file that is there; 0 for what is no text."""
        try:
            return len(_text(self._workspace.place(path), linked=True).splitlines())
        except UserFacing:
            return 0

    def list_directory(self, path: str = ".") -> ToolResult:
        """List the files in a folder with their sizes."""
        place = self._workspace.place(path)
        return ToolResult(listing(place.entries(), place.shown))

    def find_files(self, pattern: str, path: str = ".") -> ToolResult:
        """Find files by name, for example *.txt."""
        start = self._workspace.place(path)
        start.entries()
        found = (
            f"{_below(place, start)} ({size_text(entry.facts.size_bytes)})"
            for place, entry in walk(start, WALKED)
            if entry.facts.kind is Kind.FILE and _fits(place, start, pattern)
        )
        return ToolResult(_first_of(found) or f"No file in {start.shown} is named like {pattern}.")

    def search_text(self, pattern: str, path: str = ".") -> ToolResult:
        """Find lines that contain a text, in a file or a folder."""
        if not pattern:
            raise UserFacing(
                "The text to search for is empty.", "Nothing was read.", "Name a text.", "tool-arguments"
            )
        start = self._workspace.place(path)
        texts = _texts_below(start) if start.facts().kind is Kind.FOLDER else iter([(start, _text(start))])
        hits = (hit for place, text in texts for hit in _hits(text, _below(place, start), pattern.casefold()))
        return ToolResult(_first_of(hits) or f"No line in {start.shown} contains {pattern}.")

    def make_directory(self, path: str, call: str = "") -> ToolResult:
        """Make a folder."""
        place = self._workspace.place(path)
        if place.exists() and place.facts().kind is Kind.FOLDER:
            return ToolResult(f"{place.shown} exists already.")
        change = self._journal.make_folder(place, Origin("make_directory", call))
        return ToolResult(f"Made the folder {place.shown}.", (change,))

    def move_file(self, source: str, destination: str, call: str = "") -> ToolResult:
        """Move or rename a file or folder."""
        place, to = self._workspace.place(source), self._workspace.place(destination)
        place.facts()
        if to.exists() and to.facts().kind is Kind.FOLDER:
            to = to.below(place.parts[-1])
        made = self._make_parent(to, call)
        change = self._journal.move(place, to, Origin("move_file", call))
        return ToolResult(f"Moved {place.shown} to {to.shown}.", (*made, change))

    def delete_file(self, path: str, call: str = "") -> ToolResult:
        """Move a file or an empty folder to the trash."""
        place = self._workspace.place(path)
        if place.facts().kind is Kind.FOLDER and place.entries():
            raise UserFacing(
                f"{place.shown} is a folder with files in it.",
                "Nothing was deleted.",
                "Delete the files first.",
                code="path-not-empty",
            )
        change = self._journal.delete(place, Origin("delete_file", call), how=self._trash)
        return ToolResult(f"Moved {place.shown} to the trash.", (change,))

    def _make_parent(self, place: Place, call: str) -> tuple[int, ...]:
        parent = Place(place.folder, place.parts[:-1])
        if not place.parts or parent.exists():
            return ()
        return (self._journal.make_folder(parent, Origin("make_directory", call)),)


def _shown(place: Place, encoding: Encoding, offset: int) -> str:
    """The part from `offset` on; a long file read from its beginning also shows its end."""
    size = place.facts().size_bytes
    offset -= offset % encoding.width
    if offset == 0 and size > SHOWN_BYTES:
        head = encoding.decode(place.read(0, SHOWN_BYTES - TAIL_BYTES))
        start = size - TAIL_BYTES - (size - TAIL_BYTES) % encoding.width
        tail = encoding.decode(place.read(start, TAIL_BYTES + encoding.width))
        left_out = start - (SHOWN_BYTES - TAIL_BYTES)
        notice = f"\n[… {left_out} bytes left out; read on with offset {SHOWN_BYTES - TAIL_BYTES} …]\n"
        return head + notice + tail
    text = encoding.decode(place.read(offset, SHOWN_BYTES))
    rest = size - offset - SHOWN_BYTES
    if rest > 0:
        text += f"\n[… {rest} bytes follow; read on with offset {offset + SHOWN_BYTES} …]"
    return text or (f"{place.shown} is empty." if size == 0 else f"{place.shown} has only {size} bytes.")


def _encoded(content: str) -> bytes:
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        raise UserFacing(
            "The text has characters that cannot be written.",
            "Nothing was written.",
            "Write it again.",
            "tool-arguments",
        ) from error
    if len(data) > WRITTEN_BYTES:
        raise UserFacing(
            f"The text has {len(data):,} bytes; at most {WRITTEN_BYTES:,} are written at once.",
            "Nothing was written.",
            "Write it in several files.",
            code="file-too-large",
        )
    return data


def _wrong(cause: str) -> UserFacing:
    return UserFacing(cause, "Nothing was changed.", "Call the tool again.", code="tool-arguments")


def _diff(old: str, new: str, shown: str) -> Iterator[str]:
    lines = difflib.unified_diff(
        old.splitlines(True), new.splitlines(True), f"{shown} (now)", f"{shown} (new)"
    )
    for line in lines:
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _line(entry: Entry) -> str:
    words = {Kind.FOLDER: "folder", Kind.LINK: "link", Kind.OTHER: "no file"}
    kind = words.get(entry.facts.kind)
    return f"{entry.name} ({kind or size_text(entry.facts.size_bytes)})"


def _below(place: Place, start: Place) -> str:
    return "/".join(place.parts[len(start.parts) :]) or place.parts[-1]


def _fits(place: Place, start: Place, pattern: str) -> bool:
    """By name, or by the path below `start` when the pattern has folders; upper or lower case."""
    text = _below(place, start) if "/" in pattern else place.parts[-1]
    wanted = pattern if any(c in pattern for c in "*?[") else f"*{pattern}*"
    return fnmatch(text.casefold(), wanted.casefold())


def _text(place: Place, linked: bool = False) -> str:
    """The first megabyte of a text file. Raises UserFacing, for one with other names unless `linked`."""
    data = place.read(limit_bytes=SEARCHED_BYTES, linked=linked)
    return encoding_of(data[:SNIFFED_BYTES], place.shown).decode(data)


def _texts_below(start: Place) -> Iterator[tuple[Place, str]]:
    for place, entry in walk(start, WALKED):
        if entry.facts.kind is Kind.FILE:
            try:
                yield place, _text(place)
            except UserFacing:  # binary, with other names, or may not be read: has no lines to find
                continue


def _hits(text: str, shown: str, wanted: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), 1):
        if wanted in line.casefold():
            yield f"{shown}:{number}: {line.strip()[:LINE_CHARACTERS]}"


def _first_of(found: Iterator[str]) -> str:
    """The first ones, and whether there are more."""
    lines: list[str] = []
    for line in found:
        if len(lines) == FOUND:
            lines.append("… and more")
            break
        lines.append(line)
    return "\n".join(lines)
