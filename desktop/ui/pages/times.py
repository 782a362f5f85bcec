"""Moments in words, as a list shows them."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from desktop.ui.language import date_words, tr


def moment_words(at: float, now: float) -> str:
    """ "today 09:30", "yesterday 18:02", "18 Nov 2026 07:11"; both in seconds since 1970, local time."""
    moment, today = datetime.fromtimestamp(at), datetime.fromtimestamp(now).date()
    clock = f"{moment:%H:%M}"
    if moment.date() == today:
        return tr("today {clock}", clock=clock)
    if moment.date() == today - timedelta(days=1):
        return tr("yesterday {clock}", clock=clock)
    return f"{day_words(at)} {clock}"


def day_words(at: float) -> str:
    """ "18 Nov 2026"."""
    return date_words(datetime.fromtimestamp(at))


def begin_of(day: date) -> float:
    """Midnight of a local day, in seconds since 1970."""
    return datetime(day.year, day.month, day.day).astimezone().timestamp()
