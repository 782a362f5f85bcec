"""`steward reminders`: what is set, and cancelling one, also while the app runs."""

from __future__ import annotations

import sys

from desktop.tools.reminders import Reminders


def show(reminders: Reminders) -> None:
    """All that are open, the first to come due first, with the numbers that `cancel` takes."""
    found = reminders.open()
    if not found:
        sys.stdout.write("No reminders are set.\n")
    for each in found:
        sys.stdout.write(f"{reminders.line(each)}\n")


def cancel(reminders: Reminders, wanted: str) -> None:
    """Cancel the one with this number or these words. Raises UserFacing where none or several fit."""
    sys.stdout.write(f"{reminders.cancel_reminder(wanted)}\n")
