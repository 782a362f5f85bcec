"""What the assistant can do, in the order in which the model sees it."""

from __future__ import annotations

from collections.abc import Iterator

from desktop.app.services import Services
from desktop.gate.verdict import Effect
from desktop.paths import resources
from desktop.sandbox.confinement import Method, available
from desktop.sandbox.parser import Parser
from desktop.sandbox.process import Limits
from desktop.tools.calculator import CALCULATOR_HINT, Calculator
from desktop.tools.current_time import time_tool
from desktop.tools.fetch_page import Pages
from desktop.tools.files import FileOperations, FileTools
from desktop.tools.notes import Notes
from desktop.tools.ocr import Ocr
from desktop.tools.roll_dice import dice_tool
from desktop.tools.run_command import Commands
from desktop.tools.screen import Pictures, ScreenTools
from desktop.tools.system_info import info_tool
from desktop.tools.tool import Tool, Toolbox, tool
from desktop.tools.trash import default_trash
from desktop.tools.units import read_units
from desktop.tools.web_search import WebSearch, services

GB = 1_000_000_000


def toolbox(core: Services) -> Toolbox:
    """All tools of `core`; clipboard and screen where the program has a window."""
    return Toolbox((*_files(core), *_knowledge(core), *_web(core), *_desktop(core)))


def _files(core: Services) -> Iterator[Tool]:
    files = FileOperations(core.workspace, core.journal, default_trash())
    yield from FileTools(files, core.workspace, core.journal).tools()

    def limits() -> Limits:
        chat = core.settings.current.chat
        return Limits(memory_bytes=chat.command_memory_gb * GB, file_bytes=chat.command_file_gb * GB)

    yield Commands(core.workspace, core.commands, confinement, limits, core.network.note_open_command).tool()


def _knowledge(core: Services) -> Iterator[Tool]:
    calculator = Calculator(read_units(resources() / "units.toml"))
    yield tool(calculator.calculator, Effect.READ, looks_here=False, hint=CALCULATOR_HINT)
    yield from Notes(core.memory.store, core.memory.search).tools()
    yield from core.reminders.tools()
    yield time_tool()
    yield info_tool()
    yield dice_tool()


def _web(core: Services) -> Iterator[Tool]:
    """Off in offline mode; they refuse by themselves when it is switched on later."""
    if not core.settings.current.network.offline:
        parser = Parser(confinement)
        yield WebSearch(core.network, services(core.network, parser)).tool()
        yield Pages(core.network, parser).tool()


def _desktop(core: Services) -> Iterator[Tool]:
    ocr = Ocr(confinement)
    yield Pictures(ocr, core.workspace).tool()
    if core.clipboard is not None and core.clipboard_tools is not None:
        yield from core.clipboard_tools.tools()
    if core.screen is not None:
        yield from ScreenTools(core.screen, ocr, core.workspace, core.journal).tools()


def confinement() -> Method:
    return available().best
