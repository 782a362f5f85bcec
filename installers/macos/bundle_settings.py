"""What macOS is told about Steward.app: the Info.plist that packaging/steward.spec gives to PyInstaller."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

IDENTIFIER = "app.steward.desktop"  # also the label of the entry that starts it with the session
OLDEST_MACOS = "13.0"
INIT = Path(__file__).resolve().parents[2] / "desktop" / "__init__.py"


def info_plist() -> dict[str, Any]:
    """A program of the menu bar: no icon in the Dock, no menu of its own until a window is open."""
    return {
        "CFBundleDisplayName": "Steward",
        "CFBundleShortVersionString": version(),
        "CFBundleVersion": version(),
        "LSUIElement": True,
        "LSMinimumSystemVersion": OLDEST_MACOS,
        "LSApplicationCategoryType": "public.app-category.productivity",
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": "Apache-2.0, the Steward authors",
        "CFBundleLocalizations": ["en", "de"],
        # Asked by macOS itself when a tool wants a picture of the screen; the words are shown to the user.
        "NSScreenCaptureUsageDescription": "Steward reads a part of the screen when you ask it to.",
    }


def version() -> str:
    found = re.search(r'^__version__ = "([^"]+)"', INIT.read_text(encoding="utf-8"), re.MULTILINE)
    assert found is not None
    return found[1]
