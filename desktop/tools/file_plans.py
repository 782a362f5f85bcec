"""What a call of a file tool would do, found out without doing it; and reading outside, once agreed to."""

from __future__ import annotations

from desktop.asking import FileMatch
from desktop.errors import UserFacing
from desktop.gate.journal import Journal
from desktop.gate.verdict import Effect, Flag
from desktop.sandbox.facts import Kind
from desktop.sandbox.refusals import OutsideWorkspace
from desktop.sandbox.workspace import Place, Workspace
from desktop.tools.files import FileTools
from desktop.tools.result import ToolResult
from desktop.tools.shortened import head_tail
from desktop.tools.text import SNIFFED_BYTES, encoding_of, size_text
from desktop.tools.tool import Plan, Running, Tool, tool

OUTSIDE_BYTES = 1_000_000


class FileDesk:
    """The file tools with what the gate and the dialog need to know of each call. Any thread."""

    def __init__(self, files: FileTools, workspace: Workspace, journal: Journal) -> None:
        self._files = files
        self._workspace = workspace
        self._journal = journal

    def tools(self) -> tuple[Tool, ...]:
        files = self._files
        return (
            tool(self.read_file, Effect.READ, plan=self._plan_read, untrusted_result=True),
            tool(files.write_file, Effect.UPDATE, plan=self._plan_write),
            tool(files.list_directory, Effect.READ, plan=self._plan_look),
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
        try:
            return self._files.read_file(path, offset)
        except OutsideWorkspace as outside:
            if outside.path not in running.allowed_outside:
                raise
            data = self._workspace.read_outside(outside.path, OUTSIDE_BYTES)
            text = encoding_of(data[:SNIFFED_BYTES], str(outside.path)).decode(data[max(offset, 0) :])
            return ToolResult(head_tail(text) or f"{outside.path} is empty.")

    # -- plans --------------------------------------------------------------------------------

    def _plan_read(self, path: str, offset: int = 0) -> Plan:  # noqa: ARG002 - called with all arguments
        try:
            place = self._workspace.place(path)
        except OutsideWorkspace as outside:
            return Plan(
                f"Read {outside.path}?",
                "Reads one file outside the folders that Steward may use, this one time.",
                Effect.READ,
                frozenset({Flag.OUTSIDE}),
                (str(outside.path),),
                outside=outside.path,
            )
        return Plan(f"Read {path}?", "Reads one file of the workspace.", Effect.READ, parts=_parts(place))

    def _plan_look(self, path: str = ".") -> Plan:
        place = self._workspace.place(path)
        return Plan(f"List {path}?", "Lists a folder of the workspace.", Effect.READ, parts=_parts(place))

    def _plan_find(self, pattern: str, path: str = ".") -> Plan:
        place = self._workspace.place(path)
        return Plan(
            f"Search {path} for {pattern}?", "Reads in the workspace.", Effect.READ, parts=_parts(place)
        )

    def _plan_write(self, path: str, content: str) -> Plan:
        place = self._workspace.place(path)
        exists = place.exists()
        return Plan(
            f"Overwrite {path}?" if exists else f"Write {path}?",
            "Replaces what is in the file." if exists else "Makes a new file.",
            Effect.UPDATE if exists else Effect.CREATE,
            parts=_parts(place),
            diff=self._diff(path, content),
            reversible=self._journal.can_keep(place),
        )

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


def _parts(*places: Place) -> tuple[str, ...]:
    return tuple(str(place.path) for place in places)
