"""Files and folders: read, write, list, find, search, make, move, delete.

Every path goes through the workspace, every change through the journal. What comes back is short, because a
small model reads it. `FileOperations` do it; `FileTools` are what the model calls: they also say what a call
would do, for the gate and for the question to the user, read outside the workspace once that was agreed to,
and understand "Downloads". Words are added or exchanged in a text without the model writing the rest of it
again, and what a call has changed is taken back through the journal.
"""

from __future__ import annotations

import difflib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import platformdirs

from desktop.asking import FileMatch
from desktop.errors import UserFacing
from desktop.gate import undo
from desktop.gate.journal import ChangeKind, Journal, JournalEntry, Origin
from desktop.gate.past_changes import taken_back
from desktop.gate.verdict import Effect, Flag
from desktop.reasons import Reason
from desktop.sandbox.folder import Entry, EntryKind
from desktop.sandbox.refusals import OutsideWorkspace
from desktop.sandbox.workspace import HeldPath, Workspace
from desktop.tools.calendar_files import is_calendar, is_whole
from desktop.tools.ignore_rules import walk
from desktop.tools.reasons import ToolReason
from desktop.tools.text import SNIFFED_BYTES, Encoding, encoding_of, head_tail, size_text
from desktop.tools.tool import Plan, Running, Tool, ToolHint, ToolResult, tool

# What is shown stays in the conversation, whose whole context may be 4,096 tokens.
SHOWN_BYTES = 4096
TAIL_BYTES = 1024
WRITTEN_BYTES = 64 * 1024
LISTED = 50
FOUND = 50
WALKED = 20_000  # names looked at in a search
SEARCHED_BYTES = 1_000_000  # of one file
LINE_CHARACTERS = 200
OUTSIDE_BYTES = 1_000_000
LINES_TO_MIND = 5  # a file of fewer is seen whole in the dialog
PDF_MARK = b"%PDF-"
LONGEST_PDF = 100_000_000  # bytes
PASSAGE_BYTES = 120  # of a passage that is told

# As people and models write them, in English and German.
_NAMES = {
    "downloads": platformdirs.user_downloads_dir,
    "documents": platformdirs.user_documents_dir,
    "dokumente": platformdirs.user_documents_dir,
    "desktop": platformdirs.user_desktop_dir,
    "schreibtisch": platformdirs.user_desktop_dir,
    "pictures": platformdirs.user_pictures_dir,
    "bilder": platformdirs.user_pictures_dir,
    "music": platformdirs.user_music_dir,
    "musik": platformdirs.user_music_dir,
    "videos": platformdirs.user_videos_dir,
}


# A verb and a name with an ending: "read" alone is said of books, "what is" of everything.
READ_FILE_HINT = ToolHint(
    r"\b(read|open|show|display|look|check|summar\w+|compare|according|lies|lese|öffne|zeig\w*|fass\w*"
    r"|vergleiche?|prüf\w*)\b.*\b[\w-]+\.[a-z]\w{0,4}\b|\b(what.?s|what is|what does|was steht|was ist"
    r"|steht)\b.*\b[\w-]+\.[a-z]\w{0,4}\b",
    file="path",
)
APPEND_TEXT_HINT = ToolHint(
    r"\b(add|append|put|insert|include|note|füge?|ergänz\w*|häng\w*|setz\w*|schreib\w*|ajoute\w*|inscri\w*|note|"
    r"añad\w*|agreg\w*|apunt\w*|pon)\b.*(\b[\w-]+\.[a-z]\w{0,4}\b|\b(list|liste|lista)\b)",
    file="path",
)
REPLACE_TEXT_HINT = ToolHint(
    r"\b(replace|change|correct|swap|ersetz\w*|änder\w*|tausch\w*|korrigier\w*|remplace\w*|change\w*|corrige\w*|"
    r"reemplaz\w*|cambia\w*|sustituy\w*)\b.*\b[\w-]+\.[a-z]\w{0,4}\b",
    file="path",
)
UNDO_HINT = ToolHint(
    r"\b(undo|revert|take (that|it) back|rückgängig|zurücknehmen|nimm .* zurück|annule\w*|défai\w*|deshaz\w*|"
    r"deshacer|revier\w*)\b",
    only_said=True,
)
WRITE_FILE_HINT = ToolHint(
    r"\b(save|write|put|store|create|speicher\w*|schreib\w*|leg\w*"
    r"|erstell\w*)\b.*(\b[\w-]+\.[a-z]\w{0,4}\b|\b(again|back|nochmal|wieder|erneut)\b)",
    file="path",
    # Inside JSON a small model loses quotes and line ends; a text of its own it writes well.
    written_apart="content",
)
LIST_DIRECTORY_HINT = ToolHint(
    r"\b(list|show|what|what.?s|which|welche?|was|zeig\w*|liste)\b.*\b(files?|folders?|directory"
    r"|directories|downloads|documents|workspace|ordner\w*|verzeichnis\w*|dateien)\b",
    leads_on=True,
)
FIND_FILES_HINT = ToolHint(
    r"\b(find|finde|where|which|any|wo|welche|gibt|suche? alle|locate)\b.*(\*\.|\.[a-z]\w{1,4}"
    r"\b|\bfiles?\b|\bdatei\w*|\b(pdf|jpe?g|png|mp3|mp4|docx?|xlsx?|csv|zip)\b)",
    leads_on=True,
)
SEARCH_TEXT_HINT = ToolHint(
    r"\b(search|find|mention\w*|contains?|grep|durchsuch\w*|such\w*|finde|erwähn\w*|enthalten"
    r"|enthält)\b.*\b(word|text|files?|notes|lines?|wort|datei\w*|zeile\w*)\b|\bfiles?\b.*\b(mention"
    r"|contain)|\bdatei\w*\b.*\b(erwähn|enth)",
    leads_on=True,
)
MAKE_DIRECTORY_HINT = ToolHint(
    r"\b(make|create|new|need|add|leg\w*|erstell\w*|mach\w*|neue[nrs]?)\b.*\b(folder|directory|ordner"
    r"|verzeichnis)\b",
)
MOVE_FILE_HINT = ToolHint(
    r"\b(move|rename|put|verschieb\w*|schieb\w*|benenne?|umbenennen)\b.*\b[\w-]+\.[a-z]\w{0,4}\b",
    file="source",
)
DELETE_FILE_HINT = ToolHint(
    r"\b(delete|remove|get rid of|trash|throw away|lösch\w*|entfern\w*|wirf)\b.*\b[\w-]+\.[a-z]\w{0,4}\b",
    file="path",
)

# What the card of a call says, and which words of a request speak for the tool.
_WORDS = {
    "read_file": (ToolReason.VERB_READ_FILE, READ_FILE_HINT),
    "write_file": (ToolReason.VERB_WRITE_FILE, WRITE_FILE_HINT),
    "list_directory": (ToolReason.VERB_LIST_DIRECTORY, LIST_DIRECTORY_HINT),
    "find_files": (ToolReason.VERB_FIND_FILES, FIND_FILES_HINT),
    "search_text": (ToolReason.VERB_SEARCH_TEXT, SEARCH_TEXT_HINT),
    "append_text": (ToolReason.VERB_APPEND_TEXT, APPEND_TEXT_HINT),
    "replace_text": (ToolReason.VERB_REPLACE_TEXT, REPLACE_TEXT_HINT),
    "make_directory": (ToolReason.VERB_MAKE_DIRECTORY, MAKE_DIRECTORY_HINT),
    "move_file": (ToolReason.VERB_MOVE_FILE, MOVE_FILE_HINT),
    "delete_file": (ToolReason.VERB_DELETE_FILE, DELETE_FILE_HINT),
    "undo_change": (ToolReason.VERB_UNDO_CHANGE, UNDO_HINT),
}

_Function = Callable[..., ToolResult | str]


def _tool(function: _Function, effect: Effect, plan: Callable[..., Plan], more: Mapping[str, Any]) -> Tool:
    verb, hint = _WORDS[function.__name__]
    return tool(function, effect, plan=plan, verb=verb, hint=hint, **more)


class FileTools:
    """The file tools with what the gate and the dialog need to know of each call. Any thread."""

    def __init__(
        self,
        files: FileOperations,
        workspace: Workspace,
        journal: Journal,
        folders: Mapping[str, Path] | None = None,
    ) -> None:
        """`folders`: where "Downloads" and its like are, unless the workspace has a folder of that name."""
        self._folders = user_folders() if folders is None else folders
        self._files = files
        self._workspace = workspace
        self._journal = journal

    def tools(self) -> tuple[Tool, ...]:
        files = self._files
        rows: tuple[tuple[_Function, Effect, Callable[..., Plan], dict[str, Any]], ...] = (
            (self.read_file, Effect.READ, self._plan_read, {"untrusted_result": True}),
            (files.write_file, Effect.UPDATE, self._plan_write, {}),
            (self.list_directory, Effect.READ, self._plan_look, {}),
            (files.find_files, Effect.READ, self._plan_find, {}),
            (files.search_text, Effect.READ, self._plan_search, {}),
            (files.append_text, Effect.UPDATE, self._plan_append, {}),
            (files.replace_text, Effect.UPDATE, self._plan_replace, {}),
            (files.make_directory, Effect.CREATE, self._plan_make, {}),
            (files.move_file, Effect.UPDATE, self._plan_move, {}),
            (files.delete_file, Effect.DELETE, self._plan_delete, {}),
            (self.undo_change, Effect.UPDATE, self._plan_undo, {"title": self._undo_title}),
        )
        return tuple(_tool(*row) for row in rows)

    def read_file(self, path: str, running: Running, offset: int = 0) -> ToolResult:
        """Read a file and show what is in it.

        offset: byte to read on from
        """
        path = self._meant(path)
        try:
            return self._files.read_file(path, offset)
        except OutsideWorkspace as outside:
            if outside.path not in running.allowed_outside:
                raise
            data = self._workspace.read_outside(outside.path, OUTSIDE_BYTES)
            text = self._files.text_of(data, str(outside.path))[max(offset, 0) :]
            return ToolResult(head_tail(text) or f"{outside.path} is empty.")

    def list_directory(self, running: Running, path: str = ".") -> ToolResult:
        """List the files in a folder with their sizes."""
        path = self._meant(path)
        try:
            return self._files.list_directory(path)
        except OutsideWorkspace as outside:
            if outside.path not in running.allowed_outside:
                raise
            return ToolResult(listing(self._workspace.list_outside(outside.path), str(outside.path)))

    def undo_change(self, change: int = 0) -> str:
        """Take back the last change of files, or one change by its number."""
        undone = undo.undo_changes(self._journal, self._changes_of(change))
        return str(undo.in_words(undone))

    def _changes_of(self, change: int) -> list[int]:
        """The numbers of all that the same call changed; of the latest call for 0."""
        if not change:
            return [entry.id for entry in undo.latest(self._journal)]
        call = self._journal.entry(change).origin.call
        together = [entry.id for entry in self._journal.of_call(call)] if call else []
        return together or [change]

    def _meant(self, path: str) -> str:
        """The whole path where a folder of the user was named; what is in the workspace comes first."""
        whole = spelled_out(path, self._folders)
        # A folder called Downloads in the workspace is the one that the conversation is about.
        return path if whole == path or self._is_here(path) else whole

    def _is_here(self, path: str) -> bool:
        try:
            return self._workspace.place(path).exists()
        except UserFacing:  # no name of a file in the workspace, such as ~
            return False

    # -- plans --------------------------------------------------------------------------------

    def _plan_read(self, path: str, offset: int = 0) -> Plan:  # noqa: ARG002 - called with all arguments
        try:
            place = self._workspace.place(self._meant(path))
        except OutsideWorkspace as outside:
            return _once(
                ToolReason.ASK_READ.of(path=outside.path),
                ToolReason.READS_FILE_OUTSIDE.of(),
                outside.path,
            )
        # Through a hard link a file of the workspace may be one of the system, which no path tells.
        if _has_other_names(place):
            says = ToolReason.FILE_HAS_OTHER_NAMES.of()
            return _once(ToolReason.ASK_READ.of(path=place.path), says, place.path)
        return Plan(
            ToolReason.ASK_READ.of(path=path), ToolReason.READS_FILE.of(), Effect.READ, parts=_parts(place)
        )

    def _plan_look(self, path: str = ".") -> Plan:
        try:
            place = self._workspace.place(self._meant(path))
        except OutsideWorkspace as outside:
            return _once(
                ToolReason.ASK_LIST.of(path=outside.path),
                ToolReason.LISTS_FOLDER_OUTSIDE.of(),
                outside.path,
            )
        return Plan(
            ToolReason.ASK_LIST.of(path=path), ToolReason.LISTS_FOLDER.of(), Effect.READ, parts=_parts(place)
        )

    def _plan_find(self, pattern: str, path: str = ".") -> Plan:
        place = self._workspace.place(path)
        return Plan(
            ToolReason.ASK_SEARCH.of(path=path, pattern=pattern),
            ToolReason.READS_WORKSPACE.of(),
            Effect.READ,
            parts=_parts(place),
        )

    def _plan_search(self, pattern: str, path: str = ".") -> Plan:
        plan = self._plan_find(pattern, path)
        return replace(plan, below=plan.parts)

    def _plan_write(self, path: str, content: str) -> Plan:
        place = self._workspace.place(path)
        exists, is_linked = place.exists(), _has_other_names(place)
        says = ToolReason.REPLACES_CONTENT if exists else ToolReason.MAKES_FILE
        says = ToolReason.OVER_LINK if is_linked else says
        return Plan(
            (ToolReason.ASK_OVERWRITE if exists else ToolReason.ASK_WRITE).of(path=path),
            says.of(),
            Effect.UPDATE if exists else Effect.CREATE,
            # What a hard link shares may belong to somebody outside.
            frozenset({Flag.OUTSIDE}) if is_linked else frozenset(),
            parts=_parts(place),
            diff=self._diff(path, content),
            reversible=self._journal.can_keep(place),
            warning=self._losses(path, content) if exists else None,
        )

    def _plan_append(self, path: str, text: str) -> Plan:
        plan = self._plan_write(path, self._files.with_added(path, text))
        return self._in_part(plan, path, ToolReason.ASK_ADD, ToolReason.ADDS_AT_END)

    def _plan_replace(self, path: str, old: str, new: str) -> Plan:
        plan = self._plan_write(path, self._files.with_replaced(path, old, new))
        says = ToolReason.REPLACES_PASSAGE if new else ToolReason.REMOVES_PASSAGE
        return self._in_part(plan, path, ToolReason.ASK_CHANGE, says)

    def _in_part(self, plan: Plan, path: str, title: ToolReason, says: ToolReason) -> Plan:
        """The plan of a write of which most of the file stays: "Overwrite?" would frighten for nothing."""
        if plan.effect is not Effect.UPDATE or plan.flags or plan.warning is not None:
            return plan
        return replace(plan, title=title.of(path=path), says=says.of())

    def _plan_undo(self, change: int = 0) -> Plan:
        numbers = self._changes_of(change)
        if not numbers:
            raise UserFacing(ToolReason.NOTHING_TO_UNDO.of())
        entries = [self._journal.entry(each) for each in numbers]
        folder = Path(entries[0].shown).parent
        return Plan(
            ToolReason.ASK_UNDO.of(what=undo.title(entries)),
            ToolReason.TAKES_BACK.of(folder=folder),
            Effect.UPDATE,
            parts=tuple(dict.fromkeys(entry.shown for entry in entries)),
            diff=taken_back(self._journal, entries),
            places="\n".join(dict.fromkeys(map(_way_back, entries))),
            reversible=False,
        )

    def _undo_title(self, arguments: Mapping[str, Any]) -> Reason | None:
        # Looked up before it runs: afterwards another change is the latest.
        try:
            numbers = self._changes_of(int(arguments.get("change", 0)))
            return undo.title([self._journal.entry(each) for each in numbers])
        except (TypeError, ValueError, UserFacing):  # nothing of the journal's: the call itself says so
            return None

    def _losses(self, path: str, content: str) -> Reason | None:
        """A sentence where little takes the place of much."""
        before, after = self._files.line_count(path), len(content.splitlines())
        if before < LINES_TO_MIND or after > before / 2:
            return None
        return ToolReason.REPLACES_LINES.of(before=before, after=after)

    def _diff(self, path: str, content: str) -> str:
        try:
            return self._files.preview_write(path, content)
        except UserFacing as refusal:
            if refusal.code == "file-binary":  # it can be replaced, but not compared
                return ""
            raise

    def _plan_make(self, path: str) -> Plan:
        place = self._workspace.place(path)
        return Plan(
            ToolReason.ASK_MAKE_FOLDER.of(path=path),
            ToolReason.MAKES_FOLDER.of(),
            Effect.CREATE,
            parts=_parts(place),
            reversible=True,
        )

    def _plan_move(self, source: str, destination: str) -> Plan:
        place, target = self._workspace.place(source), self._workspace.place(destination)
        place.facts()
        return Plan(
            ToolReason.ASK_MOVE.of(source=source, destination=destination),
            ToolReason.MOVES.of(),
            Effect.UPDATE,
            parts=_parts(place, target),
            reversible=True,
            places=f"{source} → {destination}",
        )

    def _plan_delete(self, path: str) -> Plan:
        place = self._workspace.place(path)
        facts = place.facts()
        # The size of a folder's own entry says nothing about what is in it.
        size = facts.size_bytes if facts.kind is EntryKind.FILE else None
        return Plan(
            ToolReason.ASK_DELETE.of(path=path),
            ToolReason.TRASHES_FOLDER.of() if size is None else ToolReason.TRASHES.of(size=size),
            Effect.DELETE,
            parts=_parts(place),
            files=(FileMatch(str(place.path), size),),
            reversible=self._journal.can_keep(place),
            to_trash=True,
        )


def _way_back(entry: JournalEntry) -> str:
    if entry.action is not ChangeKind.MOVE:
        return entry.shown
    return f"{entry.to_root / entry.to_path} → {entry.shown}"


def _has_other_names(place: HeldPath) -> bool:
    return place.exists() and place.facts().has_other_names


def _once(title: Reason, says: Reason, path: Path) -> Plan:
    """Looking at something outside, which the user is asked about each time."""
    return Plan(title, says, Effect.READ, frozenset({Flag.OUTSIDE}), (str(path),), outside=path)


def _parts(*places: HeldPath) -> tuple[str, ...]:
    return tuple(str(place.path) for place in places)


# The text of the PDF that these bytes are. Blocks; raises UserFacing.
DocumentReader = Callable[[bytes], str]


class FileOperations:
    """What is done to files. Each raises UserFacing for what is refused; any thread."""

    def __init__(
        self,
        workspace: Workspace,
        journal: Journal,
        trash: Callable[[HeldPath], None],
        document: DocumentReader | None = None,
    ) -> None:
        """`trash` moves what is at a place to where the user can get it back; `document` gives the text of a
        PDF, None: such files are refused as every other that is no text.
        """
        self._document = document
        self._workspace = workspace
        self._journal = journal
        self._trash = trash

    def read_file(self, path: str, offset: int = 0) -> ToolResult:
        """Read a text file. Of a long one the beginning and the end; read on with offset (in bytes)."""
        place = self._workspace.place(path)
        beginning = place.read(limit_bytes=SNIFFED_BYTES)
        if self._document is not None and beginning.startswith(PDF_MARK):
            return ToolResult(_part_of(self._document(place.read(limit_bytes=LONGEST_PDF)), offset))
        return ToolResult(_shown(place, encoding_of(beginning, place.shown), max(0, offset)))

    def text_of(self, data: bytes, shown: str) -> str:
        """The text of a file that was read elsewhere. Raises UserFacing for what has none."""
        if self._document is not None and data.startswith(PDF_MARK):
            return self._document(data)
        return encoding_of(data[:SNIFFED_BYTES], shown).decode(data)

    def write_file(self, path: str, content: str, call: str = "") -> ToolResult:
        """Save text in a file with the name that the user gives."""
        place, data, changes = self._written(path, content, Origin("write_file", call))
        return ToolResult(f"Wrote {size_text(len(data))} to {place.shown}.", changes)

    def append_text(self, path: str, text: str, call: str = "") -> ToolResult:
        """Add text at the end of a file, on a line of its own."""
        place, _, changes = self._written(path, self.with_added(path, text), Origin("append_text", call))
        return ToolResult(f"Added to {place.shown}: {text.strip()}", changes)

    def replace_text(self, path: str, old: str, new: str, call: str = "") -> ToolResult:
        """Replace a passage of a text file by another one.

        old: the passage as it stands in the file
        new: what takes its place, empty to remove it
        """
        content = self.with_replaced(path, old, new)
        place, _, changes = self._written(path, content, Origin("replace_text", call))
        return ToolResult(f"Replaced in {place.shown}: {old.strip()}", changes)

    def with_added(self, path: str, text: str) -> str:
        """The content of the file with `text` behind it; only that where there is no file."""
        before = self._whole(path)
        gap = "" if not before or before.endswith("\n") else "\n"
        return _still_readable(path, before, f"{before}{gap}{text.strip(chr(10))}\n")

    def with_replaced(self, path: str, old: str, new: str) -> str:
        """The content of the file with every `old` replaced. Raises UserFacing where there is none."""
        before = self._whole(path)
        # A whole line that is taken away leaves no empty one behind.
        if not new and f"\n{old}\n" in f"\n{before}":
            return _still_readable(path, before, f"\n{before}".replace(f"\n{old}\n", "\n")[1:])
        if not old or old not in before:
            raise UserFacing(ToolReason.PASSAGE_NOT_FOUND.of(path=path, text=head_tail(old, PASSAGE_BYTES)))
        return _still_readable(path, before, before.replace(old, new))

    def _whole(self, path: str) -> str:
        """All of a text file, "" where there is none. Raises UserFacing for one too large to be written."""
        place = self._workspace.place(path)
        if not place.exists():
            return ""
        size = place.facts().size_bytes
        # Read in part and written back, the rest of it would be lost.
        if size > WRITTEN_BYTES:
            raise UserFacing(ToolReason.FILE_TOO_LARGE.of(size=size, limit=WRITTEN_BYTES))
        return _text(place, linked=True)

    def _written(self, path: str, content: str, origin: Origin) -> tuple[HeldPath, bytes, tuple[int, ...]]:
        data = _encoded(content)
        place = self._workspace.place(path)
        # Models name folders that are not there. Each that is made has an entry, so Undo takes it away too.
        made = self._make_parent(place, origin.call)
        change = self._journal.write(place, data, origin)
        return place, data, (*made, change)

    def preview_write(self, path: str, content: str) -> str:
        """What `write_file` would change, as a unified diff; empty when nothing would."""
        place = self._workspace.place(path)
        old = _text(place, linked=True) if place.exists() else ""
        return "".join(_diff(old, content, place.shown))

    def line_count(self, path: str) -> int:
        """The lines of a file that is there; 0 for what is no text."""
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
            if entry.facts.kind is EntryKind.FILE and _fits(place, start, pattern)
        )
        return ToolResult(_first_of(found) or f"No file in {start.shown} is named like {pattern}.")

    def search_text(self, pattern: str, path: str = ".") -> ToolResult:
        """Find lines that contain a text, in a file or a folder."""
        if not pattern:
            raise UserFacing(ToolReason.SEARCH_EMPTY.of())
        start = self._workspace.place(path)
        texts = (
            _texts_below(start) if start.facts().kind is EntryKind.FOLDER else iter([(start, _text(start))])
        )
        hits = (hit for place, text in texts for hit in _hits(text, _below(place, start), pattern.casefold()))
        return ToolResult(_first_of(hits) or f"No line in {start.shown} contains {pattern}.")

    def make_directory(self, path: str, call: str = "") -> ToolResult:
        """Make a folder."""
        place = self._workspace.place(path)
        if place.exists() and place.facts().kind is EntryKind.FOLDER:
            return ToolResult(f"{place.shown} exists already.")
        change = self._journal.make_folder(place, Origin("make_directory", call))
        return ToolResult(f"Made the folder {place.shown}.", (change,))

    def move_file(self, source: str, destination: str, call: str = "") -> ToolResult:
        """Move or rename a file or folder."""
        place, to = self._workspace.place(source), self._workspace.place(destination)
        place.facts()
        # As `mv` does: into a folder that is there, under the same name.
        if to.exists() and to.facts().kind is EntryKind.FOLDER:
            to = to.below(place.parts[-1])
        made = self._make_parent(to, call)
        change = self._journal.move(place, to, Origin("move_file", call))
        return ToolResult(f"Moved {place.shown} to {to.shown}.", (*made, change))

    def delete_file(self, path: str, call: str = "") -> ToolResult:
        """Move a file or an empty folder to the trash."""
        place = self._workspace.place(path)
        # A folder in the trash has one entry for all that was in it, so no single file could be brought back.
        if place.facts().kind is EntryKind.FOLDER and place.entries():
            raise UserFacing(ToolReason.FOLDER_NOT_EMPTY.of(path=place.shown))
        change = self._journal.delete(place, Origin("delete_file", call), how=self._trash)
        return ToolResult(f"Moved {place.shown} to the trash.", (change,))

    def _make_parent(self, place: HeldPath, call: str) -> tuple[int, ...]:
        parent = HeldPath(place.folder, place.parts[:-1])
        if not place.parts or parent.exists():
            return ()
        return (self._journal.make_folder(parent, Origin("make_directory", call)),)


def _still_readable(path: str, before: str, after: str) -> str:
    """`after`, which a part of a file was changed to. Raises UserFacing where it was JSON or a calendar and
    is none now: a line added to it, or "30 blankets" for a number, is read by no program any more."""
    if path.casefold().endswith(".json") and _is_json(before) and not _is_json(after):
        raise UserFacing(ToolReason.BREAKS_JSON.of(path=path))
    if is_calendar(path) and is_whole(before) and not is_whole(after):
        raise UserFacing(ToolReason.BREAKS_CALENDAR.of(path=path))
    return after


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def listing(entries: Sequence[Entry], shown: str) -> str:
    """A folder's entries, one a line; of many the first, with a count of the rest."""
    lines = [_line(entry) for entry in entries[:LISTED]]
    if len(entries) > LISTED:
        lines.append(f"… and {len(entries) - LISTED} more")
    files = [entry for entry in entries if entry.facts.kind is EntryKind.FILE]
    if len(files) > 1:
        # Asked which is the largest, a small model compares the numbers wrong.
        largest = max(files, key=lambda entry: entry.facts.size_bytes)
        lines.append(f"Largest file: {largest.name} ({size_text(largest.facts.size_bytes)})")
    return "\n".join(lines) or f"{shown} is empty."


def _shown(place: HeldPath, encoding: Encoding, offset: int) -> str:
    """The part from `offset` on; a long file read from its beginning also shows its end."""
    size = place.facts().size_bytes
    # In the middle of a character of two bytes everything behind would be read wrong.
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


def _part_of(text: str, offset: int) -> str:
    """Of the text of a document, as `_shown` does of a file; `offset` counts its bytes."""
    data = text.encode()
    if offset <= 0:
        return head_tail(text, SHOWN_BYTES)
    rest = len(data) - offset - SHOWN_BYTES
    shown = data[offset : offset + SHOWN_BYTES].decode(errors="ignore")
    return shown + (
        f"\n[… {rest} bytes follow; read on with offset {offset + SHOWN_BYTES} …]" if rest > 0 else ""
    )


def _encoded(content: str) -> bytes:
    try:
        data = content.encode()
    except UnicodeEncodeError as error:
        raise UserFacing(ToolReason.TEXT_NOT_ENCODABLE.of()) from error
    if len(data) > WRITTEN_BYTES:
        raise UserFacing(ToolReason.FILE_TOO_LARGE.of(size=len(data), limit=WRITTEN_BYTES))
    return data


def _diff(old: str, new: str, shown: str) -> Iterator[str]:
    lines = difflib.unified_diff(_lines(old), _lines(new), f"{shown} (now)", f"{shown} (new)")
    for line in lines:
        # Two lines without a break between them would read as one in the dialog.
        yield line if line.endswith("\n") else line + "\n\\ No newline at end of file\n"


def _lines(text: str) -> list[str]:
    # Not `splitlines`: that also breaks at form feeds and U+2028, which end no line for a diff.
    *whole, rest = text.split("\n")
    return [f"{line}\n" for line in whole] + ([rest] if rest else [])


def _line(entry: Entry) -> str:
    words = {EntryKind.FOLDER: "folder", EntryKind.LINK: "link", EntryKind.OTHER: "no file"}
    kind = words.get(entry.facts.kind)
    return f"{entry.name} ({kind or size_text(entry.facts.size_bytes)})"


def _below(place: HeldPath, start: HeldPath) -> str:
    return "/".join(place.parts[len(start.parts) :]) or place.parts[-1]


def _fits(place: HeldPath, start: HeldPath, pattern: str) -> bool:
    """By name, or by the path below `start` when the pattern has folders; upper or lower case."""
    text = _below(place, start) if "/" in pattern else place.parts[-1]
    # A model asks for "invoice" where it means whatever has that in its name.
    wanted = pattern if any(c in pattern for c in "*?[") else f"*{pattern}*"
    # Pictures have many endings: "*.jpg, *.png" is one search.
    several = wanted.split(", ") if wanted.startswith("*.") else [wanted]
    return any(fnmatch(text.casefold(), each.casefold()) for each in several)


def _text(place: HeldPath, linked: bool = False) -> str:
    """The first megabyte of a text file. Raises UserFacing, for one with other names unless `linked`."""
    data = place.read(limit_bytes=SEARCHED_BYTES, linked=linked)
    return encoding_of(data[:SNIFFED_BYTES], place.shown).decode(data)


def _texts_below(start: HeldPath) -> Iterator[tuple[HeldPath, str]]:
    for place, entry in walk(start, WALKED):
        if entry.facts.kind is EntryKind.FILE:
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


# -- folders that people name without saying where they are ------------------------------------


def user_folders() -> Mapping[str, Path]:
    """The user's folders on this computer, by their names in lower case."""
    return {name: Path(where()) for name, where in _NAMES.items()}


def spelled_out(path: str, folders: Mapping[str, Path]) -> str:
    """`path` with `~` and a user's folder at its beginning as the whole path they stand for."""
    parts = path.replace("\\", "/").split("/")
    # Models write ./Downloads for the folder of the user.
    while len(parts) > 1 and parts[0] == ".":
        parts = parts[1:]
    start = Path.home() if parts[0] == "~" else folders.get(parts[0].casefold())
    if parts[0] == "~" and len(parts) > 1 and parts[1].casefold() in folders:
        start, parts = folders[parts[1].casefold()], parts[1:]
    return path if start is None else str(start.joinpath(*(part for part in parts[1:] if part)))
