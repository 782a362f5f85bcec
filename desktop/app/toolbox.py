"""What the assistant can do, in the order in which the model sees it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from desktop.gate.commands import Commands as GateCommands
from desktop.gate.journal import Journal
from desktop.gate.snapshots import Snapshots
from desktop.gate.verdict import Effect
from desktop.memory.memory import Memory
from desktop.network import Network
from desktop.paths import resources
from desktop.sandbox.confinement import Method, available
from desktop.sandbox.parser import Parser
from desktop.sandbox.process import Limits
from desktop.sandbox.workspace import Workspace
from desktop.settings import SettingsFile
from desktop.tools.calculator import CALCULATOR_HINT, Calculator
from desktop.tools.clipboard import ClipboardTools
from desktop.tools.fetch_page import Pages
from desktop.tools.files import FileOperations, FileTools
from desktop.tools.notes import Notes
from desktop.tools.ocr import Ocr
from desktop.tools.reasons import ToolReason
from desktop.tools.reminders import Reminders
from desktop.tools.roll_dice import dice_tool
from desktop.tools.run_command import CommandCopies, CommandTool
from desktop.tools.screen import Pictures, Screen, ScreenTools
from desktop.tools.system_info import info_tool, time_tool
from desktop.tools.tool import Tool, Toolbox, tool
from desktop.tools.trash import default_trash
from desktop.tools.units import read_units
from desktop.tools.web_search import WebSearch, services

GB = 1_000_000_000


@dataclass(frozen=True)
class ToolParts:
    """What the tools work with; clipboard and screen are None where the program has no window."""

    settings: SettingsFile
    workspace: Workspace
    journal: Journal
    commands: GateCommands
    network: Network
    memory: Memory
    reminders: Reminders
    clipboard: ClipboardTools | None
    screen: Screen | None


def toolbox(parts: ToolParts) -> Toolbox:
    """All tools; those of the clipboard and the screen where there are such."""
    return Toolbox((*_files(parts), *_knowledge(parts), *_web(parts), *_desktop(parts)))


def _files(parts: ToolParts) -> Iterator[Tool]:
    files = FileOperations(parts.workspace, parts.journal, default_trash(), document_text)
    yield from FileTools(files, parts.workspace, parts.journal).tools()

    def limits() -> Limits:
        chat = parts.settings.current.chat
        return Limits(memory_bytes=chat.command_memory_gb * GB, file_bytes=chat.command_file_gb * GB)

    copies = CommandCopies(
        Snapshots(parts.journal, parts.workspace.forbidden), lambda: parts.settings.current.hooks.snapshots
    )
    on_open = parts.network.note_open_command
    yield CommandTool(parts.workspace, parts.commands, confinement, limits, on_open, copies).tool()


def _knowledge(parts: ToolParts) -> Iterator[Tool]:
    calculator = Calculator(read_units(resources() / "units.toml"))
    yield tool(calculator.calculator, Effect.READ, verb=ToolReason.VERB_CALCULATOR, hint=CALCULATOR_HINT)
    yield from Notes(parts.memory.store, parts.memory.search).tools()
    yield from parts.reminders.tools()
    yield time_tool()
    yield info_tool()
    yield dice_tool()


def _web(parts: ToolParts) -> Iterator[Tool]:
    """In offline mode they refuse by themselves, and work again as soon as it is off."""
    parser = Parser(confinement)
    yield WebSearch(parts.network, services(parts.network, parser)).tool()
    yield Pages(parts.network, parser).tool()


def _desktop(parts: ToolParts) -> Iterator[Tool]:
    ocr = Ocr(confinement)
    yield Pictures(ocr, parts.workspace).tool()
    if parts.clipboard is not None:
        yield from parts.clipboard.tools()
    if parts.screen is not None:
        yield from ScreenTools(parts.screen, ocr, parts.workspace, parts.journal).tools()


def document_text(data: bytes) -> str:
    """The text of a PDF. Blocks; raises UserFacing."""
    # Most conversations read none, and its reader is a room of its own.
    from desktop.tools.pdf import read_pdf

    return read_pdf(data, Parser(confinement)).text


def confinement() -> Method:
    return available().best
