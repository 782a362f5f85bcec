"""The words of the windows in the language of the person."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

CONTEXT = "Steward"  # one context for all: a word means the same in every window


def tr(text: str, /, **values: object) -> str:
    """`text` in the language in use, with `{name}` replaced by `values`. Pass literals: they are collected from the source.

    Without `values` braces are left alone. Any thread.
    """
    translated = QCoreApplication.translate(CONTEXT, text)
    return translated.format(**values) if values else translated


def plural(one: str, many: str, count: int, /, **values: object) -> str:
    """`one` or `many` for `count`, which both may name as `{count}`, in the language in use."""
    return tr(one if count == 1 else many, count=count, **values)
