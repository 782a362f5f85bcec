"""Every kind of window, page and dialog that the program has, found in its code."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil

from PySide6.QtWidgets import QDialog

import desktop.ui
from desktop.ui.models.cards import Page as FirstRunPage
from desktop.ui.pages.page import Page

# What makes a window of a widget, whatever it inherits from.
WINDOW_CALLS = frozenset({"setWindowTitle", "setWindowFlag", "setWindowFlags"})


def window_kinds() -> set[type]:
    """All classes of which there is a window, a page of one or a dialog; not what these inherit from."""
    found = {
        each
        for info in pkgutil.walk_packages(desktop.ui.__path__, "desktop.ui.")
        for each in vars(importlib.import_module(info.name)).values()
        if isinstance(each, type) and each.__module__ == info.name and _is_window(each)
    }
    return {each for each in found if not any(each in other.__mro__[1:] for other in found)}


def _is_window(kind: type) -> bool:
    if issubclass(kind, (QDialog, Page, FirstRunPage)):
        return kind not in (Page, FirstRunPage)
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else ""
        for node in ast.walk(ast.parse(inspect.getsource(kind).lstrip()))
        if isinstance(node, ast.Call)
    }
    flags = "Qt.WindowType." in inspect.getsource(kind)
    return bool(called & WINDOW_CALLS) or flags
