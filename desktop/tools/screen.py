"""The screen, when the user lets the assistant look: pictures of it, and the text in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from desktop.errors import Cancelled, UserFacing
from desktop.gate.journal import Journal, Origin
from desktop.gate.verdict import Effect, Flag
from desktop.reasons import Reason
from desktop.sandbox.workspace import HeldPath, Workspace
from desktop.tools.ocr import Ocr
from desktop.tools.reasons import ToolReason
from desktop.tools.text import head_tail, size_text
from desktop.tools.tool import Plan, Running, Tool, ToolHint, ToolResult, tool

FOLDER = "Screenshots"
# It may show anything, also what lies in no folder that Steward may use.
LOOKS = frozenset({Flag.OUTSIDE})
CHOOSING_S = 60.0

SCREENSHOT_HINT = ToolHint(
    r"\bscreenshot\w*|\b(picture|photo|capture|bild|foto)\b.*\b(screen|bildschirm)\w*|\bbildschirmfoto\w*",
    only_said=True,
)
SCREENSHOT_REGION_HINT = ToolHint(
    r"\b(region|part|area|section|bereich|ausschnitt|teil)\b.*\b(screen|bildschirm)\w*|\b(screen\w*"
    r"|bildschirm\w*)\b.*\b(region|part|area|bereich|ausschnitt)\b",
    only_said=True,
)
SCREENSHOT_OCR_HINT = ToolHint(
    r"\b(on|from|my|the|auf|vom|mein\w*|dem)\b.*\b(screen|bildschirm)\b",
    only_said=True,
)
OCR_IMAGE_HINT = ToolHint(
    r"\.(png|jpe?g|gif|webp|bmp|tiff?)\b|\b(text|words|read|ocr|lies|lese|steht)\b.*\b(image|picture"
    r"|photo|scan|bild|foto)\b",
    file="path",
    only_said=True,
)


@dataclass(frozen=True)
class Picture:
    """A picture of the screen as PNG; sizes in pixels."""

    png: bytes
    width: int
    height: int


class Screen(Protocol):
    """This computer's screen. Methods block and may be called on any thread but the main one."""

    def grab(self) -> Picture:
        """A picture of the whole screen. Raises UserFacing where the system does not let programs look."""
        ...

    def choose(self, timeout_s: float) -> Picture | None:
        """What the user draws a frame around; None when they thought better of it."""
        ...


class ScreenTools:
    """Pictures go into the workspace, texts to the model. Any thread but the main one."""

    def __init__(
        self,
        screen: Screen,
        ocr: Ocr,
        workspace: Workspace,
        journal: Journal,
        now: Callable[[], datetime] = datetime.now,
    ) -> None:
        self._screen = screen
        self._ocr = ocr
        self._workspace = workspace
        self._journal = journal
        self._now = now

    def tools(self) -> tuple[Tool, ...]:
        return (
            tool(
                self.screenshot,
                Effect.CREATE,
                verb=ToolReason.VERB_SCREENSHOT,
                flags=LOOKS,
                plan=self._plan_picture,
                hint=SCREENSHOT_HINT,
            ),
            tool(
                self.screenshot_region,
                Effect.CREATE,
                verb=ToolReason.VERB_SCREENSHOT_REGION,
                flags=LOOKS,
                plan=self._plan_region,
                timeout_s=CHOOSING_S + 10,
                hint=SCREENSHOT_REGION_HINT,
            ),
            tool(
                self.screenshot_ocr,
                Effect.READ,
                verb=ToolReason.VERB_SCREENSHOT_OCR,
                flags=LOOKS,
                plan=self._plan_text,
                untrusted_result=True,
                hint=SCREENSHOT_OCR_HINT,
            ),
        )

    def screenshot(self, call: str) -> ToolResult:
        """Save a picture of the whole screen."""
        return self._kept(self._screen.grab(), "screenshot", call)

    def screenshot_region(self, call: str) -> ToolResult:
        """Save a picture of a part of the screen that the user marks."""
        return self._kept(self._chosen(), "screenshot_region", call)

    def screenshot_ocr(self, running: Running) -> str:
        """Read the text on the screen."""
        picture = self._screen.grab()
        text = self._ocr.read(picture.png, lambda child: running.on_stop(child.cancel))
        return head_tail(text) or "There is no readable text on the screen."

    def _chosen(self) -> Picture:
        picture = self._screen.choose(CHOOSING_S)
        if picture is None:
            raise Cancelled
        return picture

    def _kept(self, picture: Picture, by: str, call: str) -> ToolResult:
        place = self._new_place()
        folder = self._workspace.place(FOLDER)
        origin = Origin(by, call)
        made = () if folder.exists() else (self._journal.make_folder(folder, origin),)
        change = self._journal.write(place, picture.png, origin)
        size = f"{picture.width} × {picture.height} pixels, {size_text(len(picture.png))}"
        return ToolResult(f"Saved {place.shown} ({size}).", (*made, change))

    def _new_place(self) -> HeldPath:
        name = f"{FOLDER}/{self._now():%Y-%m-%d %H.%M.%S}"
        place = self._workspace.place(f"{name}.png")
        number = 2
        while place.exists():
            place = self._workspace.place(f"{name} ({number}).png")
            number += 1
        return place

    def _plan_picture(self) -> Plan:
        return _plan(ToolReason.ASK_SCREENSHOT.of(), ToolReason.SAVES_SCREEN.of(folder=FOLDER))

    def _plan_region(self) -> Plan:
        return _plan(ToolReason.ASK_REGION.of(), ToolReason.SAVES_REGION.of(folder=FOLDER))

    def _plan_text(self) -> Plan:
        return Plan(
            ToolReason.ASK_SCREEN_TEXT.of(),
            ToolReason.LOOKS_AT_SCREEN.of(),
            Effect.READ,
            LOOKS,
            source="the screen",
        )


class Pictures:
    """`ocr_image` for picture files of the workspace. Any thread."""

    def __init__(self, ocr: Ocr, workspace: Workspace) -> None:
        self._ocr = ocr
        self._workspace = workspace

    def tool(self) -> Tool:
        return tool(
            self.ocr_image,
            Effect.READ,
            verb=ToolReason.VERB_OCR_IMAGE,
            plan=self._plan,
            untrusted_result=True,
            hint=OCR_IMAGE_HINT,
        )

    def ocr_image(self, path: str, running: Running) -> str:
        """Read the text in a picture file."""
        place = self._workspace.place(path)
        picture = place.read(linked=place.path in running.allowed_outside)
        text = self._ocr.read(picture, lambda child: running.on_stop(child.cancel))
        return head_tail(text) or f"There is no readable text in {path}."

    def _plan(self, path: str) -> Plan:
        place = self._workspace.place(path)
        says, title = ToolReason.LOOKS_AT_PICTURE.of(), ToolReason.ASK_PICTURE_TEXT.of(path=path)
        if place.exists() and place.facts().has_other_names:
            says = ToolReason.PICTURE_HAS_OTHER_NAMES.of()
            flags, parts = frozenset({Flag.OUTSIDE}), (str(place.path),)
            return Plan(title, says, Effect.READ, flags, parts, outside=place.path, source=path)
        return Plan(title, says, Effect.READ, parts=(str(place.path),), source=path)


def _plan(title: Reason, says: Reason) -> Plan:
    return Plan(title, says, Effect.CREATE, LOOKS, reversible=True)


def refused(reason: Reason | str) -> UserFacing:
    """Why there is no picture; `reason` completes a sentence."""
    return UserFacing(ToolReason.SCREEN_REFUSED.of(reason=reason))
