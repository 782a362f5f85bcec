"""Numbers of a download as people say them: sizes, speeds, times, phases."""

from __future__ import annotations

from pathlib import Path

from desktop.models.fit import Fit, SpeedEstimate
from desktop.models.progress import DownloadPhase, DownloadProgress
from desktop.models.setup import ModelChoice
from desktop.ui.language import language_in_use, number_words, plural, size_text, tr, words_of


def speed_text(bytes_per_s: float) -> str:
    """`4.2 MB/s`; nothing while there is no measurement."""
    return f"{size_text(bytes_per_s)}/s" if bytes_per_s > 0 else ""


def time_left_text(seconds: float | None) -> str:
    """`about 3 minutes left`; rounded, because an estimate that twitches is worse than a rough one."""
    if seconds is None:
        return ""
    if seconds < 10:
        return tr("a few seconds left")
    if seconds < 55:
        return tr("about {seconds} seconds left", seconds=round(seconds / 10) * 10)
    if seconds < 90 * 60:
        return plural("about {count} minute left", "about {count} minutes left", round(seconds / 60) or 1)
    return plural("about {count} hour left", "about {count} hours left", round(seconds / 3600))


def phase_text(progress: DownloadProgress) -> str:
    """What is happening now: the download's own note, which knows more, else a few words."""
    if progress.failure is None:
        return words_of(progress.note or progress.phase.reason)
    cause = progress.failure.parts(language_in_use())[0]
    return f"{cause} {words_of(progress.note)}" if progress.note else cause


def amount_text(progress: DownloadProgress) -> str:
    """`480 MB of 1.1 GB · 4.2 MB/s · about 3 minutes left`; parts that mean nothing now are left out."""
    parts = [size_text(progress.bytes_done)]
    if progress.bytes_total:
        parts = [tr("{done} of {size}", done=parts[0], size=size_text(progress.bytes_total))]
    if progress.phase is DownloadPhase.DOWNLOADING:
        parts += [speed_text(progress.bytes_per_s), time_left_text(progress.seconds_left)]
    return " · ".join(part for part in parts if part)


def percent(progress: DownloadProgress | None) -> int | None:
    """0 to 100, or None while the size is unknown. 100 only when nothing is missing."""
    if progress is None or not progress.bytes_total:
        return None
    return min(100, 100 * progress.bytes_done // progress.bytes_total)


def tokens_text(tokens: int) -> str:
    """`32,768 tokens of context`."""
    return tr("{tokens:,} tokens of context", tokens=tokens)


def path_text(path: Path) -> str:
    """A path as people know it, with the home folder as `~`."""
    try:
        return str(Path("~") / path.relative_to(Path.home()))
    except ValueError:
        return str(path)


def breakable(text: str) -> str:
    """Lets a long name wrap after its separators, by zero-width spaces. For showing only."""
    for mark in "/\\-_.":
        text = text.replace(mark, f"{mark}\u200b")
    return text


def choice_name(choice: ModelChoice) -> str:
    """A card's name for a screen reader: the model and the words on its badges."""
    return ", ".join((choice.entry.in_language(language_in_use()).name, *trust_words(choice)))


def choice_facts(choice: ModelChoice) -> str:
    """`1.1 GB download · Licence: Apache-2.0`."""
    entry = choice.entry
    size = tr("Size not known before the download")
    if entry.size_bytes and choice.is_begun:
        # The download goes on from there.
        here = size_text(choice.arrived_bytes)
        size = tr("{done} of {size} are here already", done=here, size=size_text(entry.size_bytes))
    elif entry.size_bytes:
        size = tr("{size} download", size=size_text(entry.size_bytes))
    facts = tr("{size} · Licence: {licence}", size=size, licence=entry.licence)
    speed = speed_words(choice.speed)
    return f"{facts} · {speed}" if speed else facts


def speed_words(speed: SpeedEstimate | None) -> str:
    """`≈ 9 words/s here, first word after ≈ 0.6 s`; without ≈ where this very model was measured here."""
    if speed is None:
        return ""
    about = "" if speed.is_measured else "≈ "
    rate, first = number_words(speed.words_per_s, _decimals(speed.words_per_s)), speed.first_token_s
    return tr(
        "{about}{rate} words/s here, first word after {about}{seconds} s",
        about=about,
        rate=rate,
        seconds=number_words(first, _decimals(first)),
    )


def _decimals(value: float) -> int:
    return 0 if value >= 10 else 1


def choice_description(choice: ModelChoice) -> str:
    """All that is written on a card, for a screen reader."""
    entry = choice.entry.in_language(language_in_use())
    parts = (entry.good_for, fit_words(choice), choice_facts(choice), entry.licence_note)
    return ". ".join(part.rstrip(".") for part in parts if part)


def trust_words(choice: ModelChoice) -> tuple[str, ...]:
    """The badges of a card. That it suits the computer is reckoned, and says nothing of its answers."""
    shown = (
        (choice.recommended, tr("Suits this computer best")),
        (choice.installed, tr("Installed")),
        (choice.entry.tried, tr("Tried by this project")),
        (not choice.entry.tried, tr("Not tried by this project")),
    )
    return tuple(words for applies, words in shown if applies)


def fit_words(choice: ModelChoice) -> str:
    """Whether it fits: `Fits: needs 1.9 GB of memory, and this computer has 25 GB`."""
    needed, memory = size_text(choice.needed_bytes), choice.memory
    total, free = size_text(memory.total_bytes), size_text(memory.available_bytes)
    words = {
        Fit.FITS: tr(
            "Fits: needs {needed} of memory, and this computer has {total}", needed=needed, total=total
        ),
        Fit.TIGHT: tr(
            "Tight: needs {needed} of memory, and {free} is free now; close other programs first",
            needed=needed,
            free=free,
        ),
        Fit.TOO_LARGE: tr(
            "Too large: needs {needed} of memory, and this computer has {total}", needed=needed, total=total
        ),
    }[choice.fit]
    return words if choice.has_room else tr("{words}. The disk has too little space for it", words=words)
