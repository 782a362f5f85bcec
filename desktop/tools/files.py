"""Files and folders of the workspace, through the sandbox and the undo journal."""

from __future__ import annotations

import difflib
from pathlib import Path

from desktop.asking import FileMatch
from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.journal_entry import Origin
from desktop.gate.verdict import Effect, Flag
from desktop.sandbox.facts import Entry, Kind
from desktop.sandbox.refusals import OutsideWorkspace
from desktop.sandbox.workspace import Place, Workspace
from desktop.tools.text import SHOWN_BYTES, decoded, head_tail
from desktop.tools.tool import FilePath, Plan, Running, Tool, tool

ENTRIES = 50
WRITE_BYTES = 64 * 1024
OUTSIDE_BYTES = 1_000_000
DIFF_BYTES = 1_000_000  # larger files are not compared


class Files:
    """The file tools over one workspace. Methods may be called on any thread."""

    def __init__(self, workspace: Workspace, journal: Journal) -> None:
        self._workspace = workspace
        self._journal = journal

    def tools(self) -> tuple[Tool, ...]:
        return (
            tool(self.read_file, Effect.READ, plan=self._plan_read, untrusted_result=True),
            tool(self.write_file, Effect.UPDATE, plan=self._plan_write),
            tool(self.list_directory, Effect.READ, plan=self._plan_list),
            tool(self.make_directory, Effect.CREATE, plan=self._plan_make),
            tool(self.move_file, Effect.UPDATE, plan=self._plan_move),
            tool(self.delete_file, Effect.DELETE, plan=self._plan_delete),
        )

    # -- reading ------------------------------------------------------------------------------

    def read_file(self, path: FilePath, running: Running, offset: int = 0) -> str:
        """Read a text file.

        offset: byte to start at, for the rest of a long file
        """
        content, size = self._bytes(path, max(offset, 0), running)
        found = decoded(content, path)
        if not found.text:
            return f"{path} is empty." if not offset else f"{path} has only {size:,} bytes."
        return head_tail(found.text)

    def list_directory(self, path: FilePath = FilePath(".")) -> str:  # noqa: B008
        """List the files in a folder, with their sizes.

        path: the folder; "." is the workspace
        """
        entries = self._workspace.place(path).entries()
        shown = [entry for entry in entries if not entry.name.startswith(".steward-")]
        if not shown:
            return f"{path} is empty."
        lines = [_line(entry) for entry in shown[:ENTRIES]]
        if len(shown) > ENTRIES:
            lines.append(f"… and {len(shown) - ENTRIES} more")
        files = [entry for entry in shown if entry.facts.kind is Kind.FILE]
        if len(files) > 1:
            largest = max(files, key=lambda entry: entry.facts.size_bytes)
            lines.append(f"Largest: {largest.name}, {size_in_words(largest.facts.size_bytes)}")
        return "\n".join(lines)

    def _bytes(self, path: str, offset: int, running: Running) -> tuple[bytes, int]:
        """What is shown of a file and its whole size; the middle of a large one is never read."""
        try:
            place = self._workspace.place(path)
        except OutsideWorkspace as outside:
            if outside.path not in running.allowed_outside:
                raise
            content = self._workspace.read_outside(outside.path, OUTSIDE_BYTES)
            return content[offset:], len(content)
        size = place.facts().size_bytes
        if size - offset <= OUTSIDE_BYTES:
            return place.read(offset), size
        return place.read(offset, SHOWN_BYTES), size

    # -- changing -----------------------------------------------------------------------------

    def write_file(self, path: FilePath, content: str, running: Running) -> str:
        """Write text to a file; replaces what is there.

        content: the whole text of the file
        """
        data = content.encode()
        _refuse_large(path, len(data))
        place = self._workspace.place(path)
        origin = Origin("write_file", running.call_id)
        if len(place.parts) > 1 and not Place(place.folder, place.parts[:-1]).exists():
            self._journal.make_folder(Place(place.folder, place.parts[:-1]), origin)
        existed = place.exists()
        self._journal.write(place, data, origin)
        words = "Replaced" if existed else "Wrote"
        return f"{words} {path} ({size_in_words(len(data))})."

    def make_directory(self, path: FilePath, running: Running) -> str:
        """Make a folder."""
        self._journal.make_folder(self._workspace.place(path), Origin("make_directory", running.call_id))
        return f"Made the folder {path}."

    def move_file(self, source: FilePath, destination: FilePath, running: Running) -> str:
        """Move or rename a file or folder."""
        place, target = self._move_places(source, destination)
        self._journal.move(place, target, Origin("move_file", running.call_id))
        return f"Moved {source} to {target.shown}."

    def delete_file(self, path: FilePath, running: Running) -> str:
        """Delete a file or an empty folder; it can be restored."""
        self._journal.delete(self._workspace.place(path), Origin("delete_file", running.call_id))
        return f"Deleted {path}. Undo restores it."

    def _move_places(self, source: str, destination: str) -> tuple[Place, Place]:
        place, target = self._workspace.place(source), self._workspace.place(destination)
        if target.exists() and target.facts().kind is Kind.FOLDER and place.parts:
            target = target.below(place.parts[-1])
        return place, target

    # -- what would happen --------------------------------------------------------------------

    def _plan_read(self, path: str, offset: int = 0) -> Plan:  # noqa: ARG002
        return self._plan_look(path, f"Read {path}?")

    def _plan_list(self, path: str = ".") -> Plan:
        return self._plan_look(path, f"List {path}?")

    def _plan_look(self, path: str, title: str) -> Plan:
        try:
            place = self._workspace.place(path)
        except OutsideWorkspace as outside:
            says = f"Reads {outside.path}, which is outside your workspace, this one time."
            flags = frozenset({Flag.OUTSIDE})
            return Plan(title, says, Effect.READ, flags, what=str(outside.path), outside=outside.path)
        return Plan(title, "Reads inside your workspace.", Effect.READ, what=str(place.path))

    def _plan_write(self, path: str, content: str) -> Plan:
        _refuse_large(path, len(content.encode()))
        place = self._workspace.place(path)
        if not place.exists():
            says = "Makes a new file in your workspace."
            return Plan(
                f"Write {path}?",
                says,
                Effect.CREATE,
                what=str(place.path),
                diff=_diff("", content, path),
                reversible=True,
            )
        before = self._before(place)
        return Plan(
            f"Overwrite {path}?",
            "Replaces what is in the file.",
            Effect.UPDATE,
            what=str(place.path),
            diff=_diff(before, content, path) if before is not None else "",
            reversible=self._journal.can_keep(place),
        )

    def _before(self, place: Place) -> str | None:
        """The text that is there; None where it cannot be compared."""
        if place.facts().size_bytes > DIFF_BYTES:
            return None
        try:
            return decoded(place.read(), place.shown).text
        except UserFacing as refusal:
            if refusal.code == "not-text":
                return None
            raise

    def _plan_make(self, path: str) -> Plan:
        place = self._workspace.place(path)
        says = "Makes a new folder in your workspace."
        return Plan(f"Make the folder {path}?", says, Effect.CREATE, what=str(place.path), reversible=True)

    def _plan_move(self, source: str, destination: str) -> Plan:
        place, target = self._move_places(source, destination)
        place.facts()
        return Plan(
            f"Move {source} to {target.shown}?",
            "Changes where the file is, and never replaces another.",
            Effect.UPDATE,
            what=f"{place.path} → {target.path}",
            reversible=True,
        )

    def _plan_delete(self, path: str) -> Plan:
        place = self._workspace.place(path)
        facts = place.facts()
        return Plan(
            f"Delete {path}?",
            f"Deletes {size_in_words(facts.size_bytes)}.",
            Effect.DELETE,
            what=str(place.path),
            files=(FileMatch(str(place.path), facts.size_bytes),),
            reversible=self._journal.can_keep(place),
        )


def size_in_words(size_bytes: int) -> str:
    """As people write it, in decimal units."""
    if size_bytes < 1000:
        return f"{size_bytes} bytes"
    size, units = size_bytes / 1000, ["kB", "MB", "GB"]
    while size >= 1000 and len(units) > 1:
        size /= 1000
        del units[0]
    return f"{size:.1f} {units[0]}"


def _line(entry: Entry) -> str:
    if entry.facts.kind is Kind.FOLDER:
        return f"{entry.name}/"
    if entry.facts.kind is Kind.FILE:
        return f"{entry.name}  {size_in_words(entry.facts.size_bytes)}"
    return f"{entry.name}  ({entry.facts.kind.value})"


def _diff(before: str, after: str, path: str) -> str:
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), path, path, lineterm="")
    return "\n".join(lines)


def _refuse_large(path: str, size_bytes: int) -> None:
    if size_bytes > WRITE_BYTES:
        raise UserFacing(
            f"The text for {path} has {size_bytes:,} bytes; {WRITE_BYTES:,} can be written at once.",
            "Nothing was written.",
            "Write it in smaller files.",
            code="write-too-large",
        )


def default_workspace() -> Path:
    """Where the assistant works unless the user has chosen another folder."""
    return Path.home() / "Steward"
