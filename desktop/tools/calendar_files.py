"""The events of a calendar file (iCalendar, RFC 5545): read, written as rows of a table, changed and added.

Of an event only the properties that a change is of are written anew, and of the file nothing else: what
another program keeps in it stays to the letter. Times are shown on the clock of this computer, and written in
the form that the event had, or that the last event has. Any thread; pure but for the time at which an event
was written.
"""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, tzinfo

from desktop.tools.tables import Table

ENDINGS = (".ics", ".ical", ".vcs")
BETWEEN_EVENTS = "VEVENT"  # what parts the cells of such a table
SUMMARY, DATE, LAST_DAY, START, END, LOCATION = "summary", "date", "last day", "start", "end", "location"
COLUMNS = (SUMMARY, DATE, LAST_DAY, START, END, LOCATION)
MOST_EVENTS = 500
LINE_BYTES = 75  # of a line; the rest goes on in the next
_DAY = timedelta(days=1)
_LINE = re.compile(r"[^\n]*\n?")
_FOLDED = re.compile(r"\r?\n[ \t]")
# Each character of a parameter can be taken in one way only: a line of 100,000 semicolons ends at once.
_PROPERTY = re.compile(r"(?P<name>[A-Z-]+)(?P<of>(?:;(?:[^:;\"]|\"[^\"]*\")*)*):(?P<value>.*)")
_REPEATS = frozenset(("RRULE", "RDATE", "RECURRENCE-ID"))
_ALL_DAY = ";VALUE=DATE"
_ESCAPED = str.maketrans({"\\": "\\\\", ";": "\\;", ",": "\\,", "\n": "\\n"})


@dataclass(frozen=True)
class Event:
    """`start` and `end` are on this computer's clock, or on the wall where the event names another zone;
    without `has_time` they are days, and `end` is the day after the last. `text` is the event as it stands in
    its file."""

    summary: str
    start: datetime
    has_time: bool
    end: datetime | None
    location: str
    description: str
    repeats: bool
    text: str


def is_calendar(name: str) -> bool:
    return name.casefold().endswith(ENDINGS)


def is_whole(text: str) -> bool:
    """Whether a text is a calendar and nothing else, all events of which have a day and words."""
    lines = [
        each.strip() for each in _FOLDED.sub("", text).strip("\ufeff \t\r\n").splitlines() if each.strip()
    ]
    opened: list[str] = []
    for at, line in enumerate(lines):
        if _PROPERTY.fullmatch(line) is None or (not opened and at):
            return False
        kind, _, what = line.partition(":")
        if kind == "BEGIN":
            opened.append(what)
        elif kind == "END" and (not opened or opened.pop() != what):
            return False
    is_closed = lines[:1] == ["BEGIN:VCALENDAR"] and not opened
    return is_closed and None not in list(events_in(text))


def events_in(text: str, zone: tzinfo | None = None) -> Iterator[Event | None]:
    """The events of a file in their order; None for one without a day or words. `zone` is where the computer
    is, None: as its clock says."""
    for block in _blocks(text):
        yield _event(block, zone)


def _blocks(text: str) -> Iterator[str]:
    """The texts of the events, without what ends their last line. Line by line: what is opened without an end
    is looked through once."""
    start = -1
    for line in _LINE.finditer(text):
        said = line[0].strip()
        if said == "BEGIN:VEVENT":
            start = line.start()
        elif said == "END:VEVENT" and start >= 0:
            yield text[start : line.start() + len(line[0].rstrip())]
            start = -1


def _event(block: str, zone: tzinfo | None) -> Event | None:
    found = dict(reversed([(name, (of, value)) for name, of, value in _properties(block)]))
    start, has_time = _moment(found.get("DTSTART", ("", ""))[1], zone)
    end, _ = _moment(found.get("DTEND", ("", ""))[1], zone)
    words = (_unescaped(found.get(name, ("", ""))[1]) for name in ("SUMMARY", "LOCATION", "DESCRIPTION"))
    summary, location, description = words
    if start is None or not summary:
        return None
    repeats = bool(_REPEATS & set(found))
    return Event(summary, start, has_time, end, location, description, repeats, block)


def _properties(block: str) -> Iterator[tuple[str, str, str]]:
    """Name, parameters and value of each; not those of an alarm inside of it."""
    depth = 0
    for line in _FOLDED.sub("", block).splitlines():
        depth += line.startswith("BEGIN:") - line.startswith("END:")
        if depth == 1 and (found := _PROPERTY.fullmatch(line.rstrip())) is not None:
            yield found["name"], found["of"], found["value"]


def _moment(written: str, zone: tzinfo | None) -> tuple[datetime | None, bool]:
    """When it is, and whether at a time of that day; None for no moment."""
    for form in ("%Y%m%dT%H%M%SZ", "%Y%m%dT%H%M%S", "%Y%m%dT%H%M", "%Y%m%d"):
        try:
            moment = datetime.strptime(written.strip(), form)  # a time on the wall has no zone
        except ValueError:
            continue
        if form.endswith("Z"):
            moment = moment.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None)
        return moment, "T" in form
    return None, False


def _unescaped(value: str) -> str:
    return re.sub(r"\\(.)", lambda each: " " if each[1] in "nN" else each[1], value).strip()


# -- as rows ----------------------------------------------------------------------------------


def cells_of_event(event: Event) -> tuple[str, ...]:
    """What the columns of `COLUMNS` have of an event, "" for nothing."""
    start, end = event.start, event.end or event.start
    last = end - _DAY if event.end is not None and not event.has_time else end
    return (
        event.summary,
        start.date().isoformat(),
        last.date().isoformat() if last.date() > start.date() else "",
        f"{start:%H:%M}" if event.has_time else "",
        f"{end:%H:%M}" if event.has_time and event.end is not None else "",
        event.location,
    )


def event_rows(text: str) -> Table | None:
    """A calendar as a table that can be changed, each row an event with its whole text as its line; those
    that repeat are no rows. None where it has none, or two that nobody could tell from each other."""
    found = [each for each in events_in(text) if each is not None and not each.repeats]
    blocks = tuple(each.text for each in found)
    if not 0 < len(found) <= MOST_EVENTS or any(text.count(each) > 1 for each in blocks):
        return None
    rows = [cells_of_event(each) for each in found]
    kept = [at for at, name in enumerate(COLUMNS) if name != LAST_DAY or any(row[at] for row in rows)]
    header = tuple(COLUMNS[at] for at in kept)
    return Table(
        header,
        tuple(tuple(row[at] for at in kept) for row in rows),
        blocks,
        " | ".join(header),
        "\r\n" if "\r\n" in text else "\n",
        "END:VCALENDAR",
        parted_by=BETWEEN_EVENTS,
    )


def is_of_events(table: Table) -> bool:
    return table.parted_by == BETWEEN_EVENTS


def cells_in_event(block: str, table: Table) -> tuple[str, ...]:
    """The cells that the text of an event comes to in `table`; all of it where it is none."""
    event = _event(block, None)
    if event is None:
        return (block,)
    cells = dict(zip(COLUMNS, cells_of_event(event), strict=True))
    return tuple(cells[name] for name in table.header)


def told_events(text: str) -> str:
    """The events of which `text` consists, in few words each; "" where it is none."""
    found = [each for each in events_in(text) if each is not None]
    if not found or "".join(text.split()) != "".join("".join(each.text.split()) for each in found):
        return ""
    return "; ".join(", ".join(filter(None, cells_of_event(each))) for each in found)


# -- changed and added ------------------------------------------------------------------------


def event_with(block: str, changes: Mapping[str, str]) -> str | None:
    """The text of an event with cells of `COLUMNS` changed; an event that is moved is as long as it was.
    None for a day or a time that is none."""
    event = _event(block, None)
    if event is None:
        return None
    try:
        day = date.fromisoformat(changes[DATE]) if DATE in changes else event.start.date()
        hour = _hour(changes[START]) if START in changes else (event.start.time() if event.has_time else None)
        start = datetime.combine(day, hour or time())
        end = _end_of(event, start, hour is not None, changes)
    except ValueError:
        return None
    lines = _Lines(block)
    if (start, hour is not None) != (event.start, event.has_time):
        lines.put_moment("DTSTART", start, hour is not None)
    if end is not None and (end, hour is not None) != (event.end, event.has_time):
        lines.put_moment("DTEND", end, hour is not None)
    for column in (SUMMARY, LOCATION):
        if column in changes:
            lines.put(column.upper(), "", changes[column].translate(_ESCAPED))
    return lines.text


def _hour(written: str) -> time | None:
    return time.fromisoformat(written) if written else None


def _end_of(event: Event, start: datetime, has_time: bool, changes: Mapping[str, str]) -> datetime | None:
    """When a changed event ends; None where it says no end."""
    if changes.get(END) and has_time:
        end = datetime.combine(start.date(), time.fromisoformat(changes[END]))
        return end if end > start else end + _DAY  # past midnight
    if changes.get(LAST_DAY):
        last = date.fromisoformat(changes[LAST_DAY])
        return datetime.combine(last, time()) + _DAY if not has_time else None
    if event.end is None:
        return None
    # A day that gets a time is no longer a whole one.
    return start + (event.end - event.start) if has_time == event.has_time else None


def added_event(table: Table, row: Sequence[str]) -> str | None:
    """The text of an event with these cells, as the last one of `table` is written; None without its day and
    words."""
    cells = dict(zip(table.header, row, strict=True))
    if not cells[SUMMARY] or not cells[DATE]:
        return None
    starts = [each[1:] for line in table.lines for each in _properties(line) if each[0] == "DTSTART"]
    of, value = next((each for each in reversed(starts) if "T" in each[1]), ("", ""))
    is_in_zone = "TZID" in of or value.endswith("Z")
    start = f"DTSTART{of}:{value}" if is_in_zone else "DTSTART:19700101T000000"
    name = uuid.uuid5(uuid.NAMESPACE_OID, "|".join(row))
    written = f"DTSTAMP:{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    block = table.newline.join(
        ("BEGIN:VEVENT", f"UID:{name}", written, start, f"SUMMARY:{cells[SUMMARY]}", "END:VEVENT")
    )
    # Without an hour it is of the whole day, whatever the last one is.
    return event_with(block, {START: "", **{column: cell for column, cell in cells.items() if cell}})


class _Lines:
    """The properties of an event, of which some are put anew."""

    def __init__(self, block: str) -> None:
        self._newline = "\r\n" if "\r\n" in block else "\n"
        # A folded property is one piece of several lines.
        self._lines = re.split(r"\r?\n(?![ \t])", block)

    @property
    def text(self) -> str:
        return self._newline.join(self._lines)

    def put_moment(self, name: str, moment: datetime, has_time: bool) -> None:
        """Set `name` to a moment, in the zone and the form of what it was, or of the start."""
        of, value = self._now(name) or self._now("DTSTART") or ("", "")
        if not has_time:
            self.put(name, _ALL_DAY, f"{moment:%Y%m%d}")
        elif value.endswith("Z"):
            self.put(name, of, f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}")
        else:
            self.put(name, of if "TZID" in of else "", f"{moment:%Y%m%dT%H%M%S}")

    def put(self, name: str, of: str, value: str) -> None:
        """Set a property; "" takes it away, and one that was not there stands behind the start."""
        line = _folded(f"{name}{of}:{value}", self._newline)
        at = self._at(name)
        if at is not None:
            self._lines[at : at + 1] = [line] if value else []
        elif value:
            after = self._at("DTEND") or self._at("DTSTART") or 0
            self._lines.insert(after + 1, line)

    def _at(self, name: str) -> int | None:
        """Which line it is; not that of an alarm, which comes behind."""
        depth = 0
        for at, line in enumerate(self._lines):
            depth += line.startswith("BEGIN:") - line.startswith("END:")
            if depth == 1 and re.match(rf"{name}[;:]", line):
                return at
        return None

    def _now(self, name: str) -> tuple[str, str] | None:
        at = self._at(name)
        found = _PROPERTY.fullmatch(_FOLDED.sub("", self._lines[at])) if at is not None else None
        return (found["of"], found["value"].strip()) if found is not None else None


def _folded(line: str, newline: str) -> str:
    """A property in lines of no more bytes than a reader has to take, none of which parts a character."""
    parts, room = [""], LINE_BYTES
    for sign in line:
        if len((parts[-1] + sign).encode()) > room:
            parts.append("")
            room = LINE_BYTES - 1  # the space before it counts
        parts[-1] += sign
    return f"{newline} ".join(parts)
