"""What a call of a file tool would do, found out without doing it; and reading outside, once agreed to."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from desktop.asking import FileMatch
from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.verdict import Effect, Flag
from desktop.sandbox.facts import Kind
from desktop.sandbox.refusals import OutsideWorkspace
from desktop.sandbox.workspace import Place, Workspace
from desktop.tools.files import FileTools, listing
from desktop.tools.result import ToolResult
from desktop.tools.shortened import head_tail
from desktop.tools.text import SNIFFED_BYTES, encoding_of, size_text
from desktop.tools.tool import Plan, Running, Tool, tool
from desktop.tools.user_folders import spelled_out, user_folders

OUTSIDE_BYTES = 1_000_000
LINES_TO_MIND = 5  # a file of fewer is seen whole in the dialog


class FileDesk:
    """The file tools with what the gate and the dialog need to know of each call. Any thread."""

    def __init__(
        self,
        files: FileTools,
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
        return (
            tool(self.read_file, Effect.READ, plan=self._plan_read, untrusted_result=True),
            tool(files.write_file, Effect.UPDATE, plan=self._plan_write),
            tool(self.list_directory, Effect.READ, plan=self._plan_look),
            tool(files.find_files, Effect.READ, plan=self._plan_find),
            tool(files.search_text, Effect.READ, plan=self._plan_find),
            tool(files.make_directory, Effect.CREATE, plan=self._plan_make),
            tool(files.move_file, Effect.UPDATE, plan=self._plan_move),
            tool(files.delete_file, Effect.DELETE, plan=self._plan_delete),
        )

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
            text = encoding_of(data[:SNIFFED_BYTES], str(outside.path)).decode(data[max(offset, 0) :])
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

    def _meant(self, path: str) -> str:
        """The whole path where a folder of the user was named; what is in the workspace comes first."""
        whole = spelled_out(path, self._folders)
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
                f"Read {outside.path}?",
                "Reads one file outside the folders that Steward may use, this one time.",
                outside.path,
            )
        if _has_other_names(place):
            says = (
                "The file has another name elsewhere (a hard link), so it may belong outside the workspace."
            )
            return _once(f"Read {place.path}?", says, place.path)
        return Plan(f"Read {path}?", "Reads one file of the workspace.", Effect.READ, parts=_parts(place))

    def _plan_look(self, path: str = ".") -> Plan:
        try:
            place = self._workspace.place(self._meant(path))
        except OutsideWorkspace as outside:
            return _once(
                f"List {outside.path}?",
                "Shows what is in a folder outside those that Steward may use, this one time.",
                outside.path,
            )
        return Plan(f"List {path}?", "Lists a folder of the workspace.", Effect.READ, parts=_parts(place))

    def _plan_find(self, pattern: str, path: str = ".") -> Plan:
        place = self._workspace.place(path)
        return Plan(
            f"Search {path} for {pattern}?", "Reads in the workspace.", Effect.READ, parts=_parts(place)
        )

    def _plan_write(self, path: str, content: str) -> Plan:
        place = self._workspace.place(path)
        exists, is_linked = place.exists(), _has_other_names(place)
        return Plan(
            f"Overwrite {path}?" if exists else f"Write {path}?",
            _OVER_LINK if is_linked else "Replaces what is in the file." if exists else "Makes a new file.",
            Effect.UPDATE if exists else Effect.CREATE,
            frozenset({Flag.OUTSIDE}) if is_linked else frozenset(),
            parts=_parts(place),
            diff=self._diff(path, content),
            reversible=self._journal.can_keep(place),
            warning=self._losses(path, content) if exists else "",
        )

    def _losses(self, path: str, content: str) -> str:
        """A sentence where little takes the place of much."""
        before, after = self._files.line_count(path), len(content.splitlines())
        if before < LINES_TO_MIND or after > before / 2:
            return ""
        return f"This replaces {before} lines with {after}."

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
            f"Make the folder {path}?",
            "Makes a new folder.",
            Effect.CREATE,
            parts=_parts(place),
            reversible=True,
        )

    def _plan_move(self, source: str, destination: str) -> Plan:
        place, target = self._workspace.place(source), self._workspace.place(destination)
        place.facts()
        return Plan(
            f"Move {source} to {destination}?",
            "Changes where it is, and never replaces another.",
            Effect.UPDATE,
            parts=_parts(place, target),
            reversible=True,
        )

    def _plan_delete(self, path: str) -> Plan:
        place = self._workspace.place(path)
        facts = place.facts()
        size = facts.size_bytes if facts.kind is Kind.FILE else None
        return Plan(
            f"Delete {path}?",
            f"Moves {size_text(facts.size_bytes) if size is not None else 'a folder'} to the trash.",
            Effect.DELETE,
            parts=_parts(place),
            files=(FileMatch(str(place.path), size),),
            reversible=self._journal.can_keep(place),
        )


_OVER_LINK = (
    "The file has another name elsewhere (a hard link). Here it is replaced, there it stays; they are "
    "two files from then on."
)


def _has_other_names(place: Place) -> bool:
    return place.exists() and place.facts().has_other_names


def _once(title: str, says: str, path: Path) -> Plan:
    """Looking at something outside, which the user is asked about each time."""
    return Plan(title, says, Effect.READ, frozenset({Flag.OUTSIDE}), (str(path),), outside=path)


def _parts(*places: Place) -> tuple[str, ...]:
    return tuple(str(place.path) for place in places)
