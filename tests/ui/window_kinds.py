"""Every kind of window, page and dialog that the program has, found in its code."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from PySide6.QtWidgets import QDialog

import desktop.ui
from desktop.ui.models.cards import CardPage as FirstRunPage
from desktop.ui.pages.page import Page

# What makes a window of a widget, whatever it inherits from.
WINDOW_CALLS = frozenset({"setWindowTitle", "setWindowFlag", "setWindowFlags"})


def window_kinds() -> set[type]:
    """All classes of which there is a window, a page of one or a dialog; not what these inherit from."""
    found = {
        each
        for info in pkgutil.walk_packages(desktop.ui.__path__, "desktop.ui.")
        for each in _windows_of(importlib.import_module(info.name))
    }
    return {each for each in found if not any(each in other.__mro__[1:] for other in found)}


def _windows_of(module: ModuleType) -> Iterator[type]:
    # Read once: whoever asks for the source of each class alone reads its whole module each time.
    written = ast.parse(Path(module.__file__ or "").read_bytes()).body
    classes = {node.name: node for node in written if isinstance(node, ast.ClassDef)}
    for name, each in vars(module).items():
        is_its_own = isinstance(each, type) and each.__module__ == module.__name__
        if is_its_own and _is_window(each, classes.get(name)):
            yield each


def _is_window(kind: type, written: ast.ClassDef | None) -> bool:
    if issubclass(kind, (QDialog, Page, FirstRunPage)):
        return kind not in (Page, FirstRunPage)
    names = [node for node in ast.walk(written) if isinstance(node, ast.Attribute)] if written else []
    # Flags are given by a call, or kept in a name: Qt.WindowType.Tool.
    return any(node.attr in {*WINDOW_CALLS, "WindowType"} for node in names)
