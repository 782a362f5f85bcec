"""Times in words: one moment, or a sentence that says why not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import UserFacing
from desktop.tools.time_phrases import easter
from desktop.tools.times import Moment, distance, local_now, read_time, said

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 20, 9, 30, tzinfo=BERLIN)  # a Friday

READ = """
in 20 minutes                   2026-11-20 09:50
20 minutes                      2026-11-20 09:50
now + 20 minutes                2026-11-20 09:50
in 90 seconds                   2026-11-20 09:31
friday 11 at 6 pm               2026-12-11 18:00
freitag 11. um 18 uhr           2026-12-11 18:00
in half an hour                 2026-11-20 10:00
in a quarter of an hour         2026-11-20 09:45
in an hour                      2026-11-20 10:30
in one hour                     2026-11-20 10:30
in an hour and a half           2026-11-20 11:00
in 1.5 hours                    2026-11-20 11:00
in 2 hours and 15 minutes       2026-11-20 11:45
in 1h30                         2026-11-20 11:00
in 2h                           2026-11-20 11:30
in twenty-five minutes          2026-11-20 09:55
in a couple of hours            2026-11-20 11:30
ten minutes from now            2026-11-20 09:40
3 days from now                 2026-11-23 09:30
in 3 days                       2026-11-23 09:30
in 3 days at 10                 2026-11-23 10:00
in a week                       2026-11-27 09:30
in two weeks                    2026-12-04 09:30
in a fortnight at noon          2026-12-04 12:00
in a month                      2026-12-20 09:30
at 5                            2026-11-20 17:00
at 9                            2026-11-20 21:00
at 10                           2026-11-20 10:00
5                               2026-11-20 17:00
at 5pm                          2026-11-20 17:00
at 5 p.m.                       2026-11-20 17:00
5am                             2026-11-21 05:00
at 5:15                         2026-11-20 17:15
05:15                           2026-11-21 05:15
17:00                           2026-11-20 17:00
at 1730                         2026-11-20 17:30
9:30 am                         2026-11-21 09:30
12am                            2026-11-21 00:00
12 pm                           2026-11-20 12:00
at noon                         2026-11-20 12:00
at midnight                     2026-11-21 00:00
5 o'clock                       2026-11-20 17:00
half past three                 2026-11-20 15:30
quarter to five                 2026-11-20 16:45
quarter past 4 pm               2026-11-20 16:15
ten to five                     2026-11-20 16:50
20 past 11                      2026-11-20 11:20
twenty minutes past three       2026-11-20 15:20
10 to 1                         2026-11-20 12:50
tonight                         2026-11-20 19:00
tonight at 8                    2026-11-20 20:00
this evening at half past seven 2026-11-20 19:30
this afternoon                  2026-11-20 15:00
in the evening                  2026-11-20 19:00
in the morning                  2026-11-21 09:00
tomorrow                        2026-11-21 09:00
tomorrow at 9                   2026-11-21 09:00
tomorrow 9                      2026-11-21 09:00
tomorrow at 5                   2026-11-21 17:00
tomorrow at 5 am                2026-11-21 05:00
tomorrow morning                2026-11-21 09:00
tomorrow morning at 8           2026-11-21 08:00
at 8 tomorrow evening           2026-11-21 20:00
tomorrow at noon                2026-11-21 12:00
tomorrow night                  2026-11-21 21:00
the day after tomorrow at 10    2026-11-22 10:00
today at 14:30                  2026-11-20 14:30
today at 5                      2026-11-20 17:00
on Friday                       2026-11-27 09:00
this Friday at 14:30            2026-11-20 14:30
next Friday 14:30               2026-11-27 14:30
14:30 next Friday               2026-11-27 14:30
Monday morning                  2026-11-23 09:00
next Monday at 8am              2026-11-23 08:00
on Sunday at noon               2026-11-22 12:00
Tuesday next week at 15:00      2026-11-24 15:00
next week                       2026-11-23 09:00
next weekend                    2026-11-28 09:00
at the weekend                  2026-11-21 09:00
next month                      2026-12-01 09:00
at the end of the month         2026-11-30 09:00
December 25th                   2026-12-25 09:00
Dec 25 at 8am                   2026-12-25 08:00
25 December 2027 at 18:00       2027-12-25 18:00
the 3rd of March at 7:30 am     2027-03-03 07:30
on the 25th                     2026-11-25 09:00
on the 3rd at 10:00             2026-12-03 10:00
20 November at 18:00            2026-11-20 18:00
2026-12-01 08:00                2026-12-01 08:00
2026-12-01T08:00:00             2026-12-01 08:00
2026-12-01                      2026-12-01 09:00
25/12/2026 10:00                2026-12-25 10:00
12/25 at 10:00                  2026-12-25 10:00
Christmas Eve at 6pm            2026-12-24 18:00
on new year's day at noon       2027-01-01 12:00
29 February 2028                2028-02-29 09:00
Friday 27 November 2026, 14:30  2026-11-27 14:30
Friday 27 November 14:30        2026-11-27 14:30
tomorrow (in 1 day)             2026-11-21 09:00
Friday the 13th at noon         2027-08-13 12:00
tomorrow, Saturday, at 10       2026-11-21 10:00
the first of December           2026-12-01 09:00
2026/12/01 10:00                2026-12-01 10:00
tonight at midnight             2026-11-21 00:00
at eleven thirty                2026-11-20 11:30
seven thirty pm                 2026-11-20 19:30
quarter past 12 pm              2026-11-20 12:15
half seven                      2026-11-20 19:30
24:00                           2026-11-21 00:00
in einer halben Stunde          2026-11-20 10:00
in einer Viertelstunde          2026-11-20 09:45
in einer Dreiviertelstunde      2026-11-20 10:15
in 20 Minuten                   2026-11-20 09:50
in fünf Minuten                 2026-11-20 09:35
in fünfundzwanzig Minuten       2026-11-20 09:55
in einer Stunde                 2026-11-20 10:30
in anderthalb Stunden           2026-11-20 11:00
in eineinhalb Stunden           2026-11-20 11:00
in 2,5 Stunden                  2026-11-20 12:00
in 1 Stunde und 10 Minuten      2026-11-20 10:40
in drei Tagen                   2026-11-23 09:30
in zwei Wochen um 10 Uhr        2026-12-04 10:00
in einem Monat                  2026-12-20 09:30
um 5                            2026-11-20 17:00
um 17 Uhr                       2026-11-20 17:00
17 Uhr                          2026-11-20 17:00
um 17 Uhr 30                    2026-11-20 17:30
um 17.30 Uhr                    2026-11-20 17:30
gegen 16 Uhr                    2026-11-20 16:00
um halb vier                    2026-11-20 15:30
um Viertel nach drei            2026-11-20 15:15
um Viertel vor fünf             2026-11-20 16:45
um dreiviertel vier             2026-11-20 15:45
zehn nach drei                  2026-11-20 15:10
um fünf vor halb vier           2026-11-20 15:25
mittags                         2026-11-20 12:00
um Mitternacht                  2026-11-21 00:00
heute Abend                     2026-11-20 19:00
heute Abend um 8                2026-11-20 20:00
heute Nachmittag um drei        2026-11-20 15:00
heute Nacht um 2                2026-11-21 02:00
heute um 14 Uhr                 2026-11-20 14:00
morgen                          2026-11-21 09:00
morgen um 9                     2026-11-21 09:00
morgen um 5 Uhr                 2026-11-21 05:00
morgen früh                     2026-11-21 08:00
morgen früh um sieben           2026-11-21 07:00
morgen Abend um 8               2026-11-21 20:00
morgen Mittag                   2026-11-21 12:00
übermorgen um 14 Uhr            2026-11-22 14:00
am Freitag                      2026-11-27 09:00
nächsten Freitag                2026-11-27 09:00
nächsten Freitag um 14:30       2026-11-27 14:30
kommenden Montag um 8 Uhr       2026-11-23 08:00
Montag früh                     2026-11-23 08:00
Montag Morgen                   2026-11-23 09:00
am Freitagabend                 2026-11-27 19:00
Samstagnachmittag um 4          2026-11-21 16:00
um 3 am Montag                  2026-11-23 15:00
nächste Woche                   2026-11-23 09:00
nächste Woche Dienstag um 10    2026-11-24 10:00
am Wochenende                   2026-11-21 09:00
25.12.                          2026-12-25 09:00
am 25.12. um 8 Uhr              2026-12-25 08:00
25.12.2026 um 8:00              2026-12-25 08:00
am 3. Dezember um 10 Uhr        2026-12-03 10:00
3. März 2027, 7:30 Uhr          2027-03-03 07:30
am 25. um 12 Uhr                2026-11-25 12:00
an Heiligabend um 18 Uhr        2026-12-24 18:00
an Silvester um 23:30           2026-12-31 23:30
heute um 9 Uhr 15               2026-11-20 21:15
bitte morgen um 10 Uhr          2026-11-21 10:00
Freitag, den 13. um 8 Uhr       2027-08-13 08:00
am ersten Dezember um 10 Uhr    2026-12-01 10:00
acht Uhr dreißig                2026-11-20 20:30
halb acht Uhr abends            2026-11-20 19:30
um eins                         2026-11-20 13:00
tomorrow at a quarter past nine 2026-11-21 09:15
a quarter to three tomorrow     2026-11-21 14:45
tomorrow half past two          2026-11-21 14:30
morgen um drei viertel neun     2026-11-21 08:45
um zwanzig vor drei morgen      2026-11-21 14:40
nachts um 3                     2026-11-21 03:00
demain à 9h                     2026-11-21 09:00
le 25 décembre à 10h30          2026-12-25 10:30
dentro de 3 días                2026-11-23 09:30
"""

REFUSED = """
banana                          time-unclear
Monday 27 November 2026         time-unclear
tomorrow on Monday              time-unclear
9 to 5                          time-unclear
17h                             time-unclear
12.5                            time-unclear
domani alle 9                   time-unclear
in 2-3 days                     time-unclear
5pm-6pm                         time-unclear
when I get 5 apples             time-unclear
dinner for 2                    time-unclear
1984                            time-unclear
10 downing street               time-unclear
                                time-unclear
later                           time-unclear
soon                            time-unclear
now                             time-unclear
at some point next week or so   time-unclear
at 25                           time-unclear
at 17:75                        time-unclear
at 13 am                        time-unclear
30 February                     time-unclear
31.11.2026                      time-unclear
29 February 2027                time-unclear
05/06 at 9                      time-unclear
today                           time-unclear
tomorrow at midnight            time-unclear
tomorrow on Friday              time-unclear
at 5 or at 6                    time-unclear
at 5 and at 6:30                time-unclear
in 20 minutes at 5              time-unclear
in 2 days and 3 hours           time-unclear
in 0 minutes                    time-unclear
tomorrow morning at 20:00       time-unclear
in December                     time-unclear
in 400 years                    time-unclear
1 January 2999                  time-unclear
when I am home                  time-unclear
after the meeting at 5          time-unclear
am Sankt-Nimmerleins-Tag        time-unclear
irgendwann                      time-unclear
2026-12-01T08:00:00Z            time-unclear
an hour ago                     time-past
yesterday at 5                  time-past
last Friday                     time-past
vor 3 Stunden                   time-past
gestern Abend                   time-past
today at 8 am                   time-past
gestern um 9                    time-past
1 November 2026                 time-past
2020-01-01 10:00                time-past
every day at 8                  time-repeats
daily at noon                   time-repeats
jeden Montag um 8               time-repeats
täglich um 8 Uhr                time-repeats
montags um 10                   time-repeats
"""


def _table(text: str) -> list[tuple[str, str]]:
    return [(line[:32].strip(), line[32:].strip()) for line in text.strip("\n").splitlines()]


@pytest.mark.parametrize(("phrase", "expected"), _table(READ))
def test_a_phrase_names_one_moment(phrase: str, expected: str) -> None:
    """In English and German, on a Friday at 9:30."""
    assert f"{read_time(phrase, NOW).at:%Y-%m-%d %H:%M}" == expected


@pytest.mark.parametrize(("phrase", "code"), _table(REFUSED))
def test_what_is_not_clear_is_refused(phrase: str, code: str) -> None:
    """Each with its reason; nothing is guessed."""
    with pytest.raises(UserFacing) as refused:
        read_time(phrase, NOW)
    assert refused.value.code == code
    assert refused.value.cause


CLOCK_CHANGES = [
    # Clocks go back on 25 October 2026 at 3:00, forward on 28 March 2027 at 2:00.
    ("2026-10-24 20:00", "in 12 hours", "2026-10-25T07:00:00+01:00", ""),
    ("2026-10-24 20:00", "tomorrow at 8", "2026-10-25T08:00:00+01:00", ""),
    ("2026-10-24 20:00", "in 1 day", "2026-10-25T20:00:00+01:00", ""),
    ("2026-10-24 20:00", "25 October at 2:30 am", "2026-10-25T02:30:00+02:00", "twice"),
    ("2027-03-27 20:00", "in 12 hours", "2027-03-28T09:00:00+02:00", ""),
    ("2027-03-27 20:00", "tomorrow at 8", "2027-03-28T08:00:00+02:00", ""),
    ("2027-03-27 20:00", "28 March 2027 at 2:30 am", "2027-03-28T03:30:00+02:00", "not exist"),
    ("2027-03-27 20:00", "am 28. März 2027 um 02:30", "2027-03-28T03:30:00+02:00", "not exist"),
]


@pytest.mark.parametrize(("now", "phrase", "expected", "note"), CLOCK_CHANGES)
def test_clocks_that_change_are_reckoned_with(now: str, phrase: str, expected: str, note: str) -> None:
    """Hours pass on the clock of physics, days on that of the wall; what is odd is said."""
    moment = read_time(phrase, datetime.fromisoformat(now).replace(tzinfo=BERLIN))
    assert moment.at.isoformat() == expected
    assert note in moment.note


@pytest.mark.parametrize(
    ("phrase", "note"),
    [
        ("tomorrow", "no hour"),
        ("tomorrow at 5", "for the morning say 5 am"),
        ("tomorrow at 7", "for the evening say 7 pm"),
        ("tomorrow at 9", ""),
        ("next Sunday", "say this Sunday"),
        ("next Friday 14:30", ""),
        ("in 20 minutes", ""),
    ],
)
def test_what_was_assumed_is_said(phrase: str, note: str) -> None:
    """An hour that nobody named, and which of two is meant."""
    said_note = read_time(phrase, NOW).note
    assert note in said_note if note else said_note == ""


def test_a_moment_is_said_in_full() -> None:
    """Weekday, date, time, and how far away."""
    moment = read_time("next Friday 14:30", NOW)
    assert said(moment.at, NOW) == "Friday 27 November 2026, 14:30 (in 7 days)"


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "now"),
        (20, "in 20 seconds"),
        (61, "in 1 minute"),
        (20 * 60, "in 20 minutes"),
        (3 * 3600, "in 3 hours"),
        (3 * 3600 + 60, "in 3 hours 1 minute"),
        (25 * 3600, "in 1 day"),
        (-300, "5 minutes ago"),
        (-7200, "2 hours ago"),
        (-3 * 86400, "3 days ago"),
    ],
)
def test_distances_in_words(seconds: float, words: str) -> None:
    """The largest unit that says enough."""
    assert distance(NOW + timedelta(seconds=seconds), NOW) == words


def test_the_zone_of_this_computer_is_real() -> None:
    """A moment in it is the same moment in UTC."""
    now = local_now()
    assert abs((now.astimezone(UTC) - datetime.now(UTC)).total_seconds()) < 5
    assert read_time("in 2 hours", now).at.astimezone(UTC) - now.astimezone(UTC) == timedelta(hours=2)


@pytest.mark.parametrize(
    "phrase",
    [
        "0001-01-01",
        "9999-12-31 at 23:59",
        "in 99999999999999 minutes",
        "in 999999999999999 Stunden",
        "in 9999999999 days",
    ],
)
def test_the_ends_of_the_calendar_are_refused(phrase: str) -> None:
    """Another zone is beyond them, in this computer's own zone as in others."""
    with pytest.raises(UserFacing):
        read_time(phrase, local_now())


EASTERS = [
    (1961, 4, 2),
    (2000, 4, 23),
    (2008, 3, 23),
    (2011, 4, 24),
    (2026, 4, 5),
    (2027, 3, 28),
    (2038, 4, 25),
]


@pytest.mark.parametrize(("year", "month", "day"), EASTERS)
def test_easter(year: int, month: int, day: int) -> None:
    """As church calendars have it, the earliest and the latest of this century among them."""
    assert easter(year) == datetime(year, month, day).date()


VOCABULARY = """
    in at um tomorrow morgen heute 5 17 30 : . 9:30 25.12. Friday Freitag half halb vier past to vor nach
    the minutes Stunden weeks am pm Uhr next nächsten Dec 3 31 evening abend midnight noon Easter - / und
"""
WORDS = st.sampled_from(VOCABULARY.split())


@given(st.lists(WORDS, max_size=7).map(" ".join), st.integers(0, 2 * 365 * 24 * 60))
def test_any_words_give_a_later_moment_or_a_reason(phrase: str, minutes: int) -> None:
    """Never an error of another kind, never a moment that is over."""
    now = (datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)).astimezone(BERLIN)
    moment: Moment | None = None
    reason = ""
    try:
        moment = read_time(phrase, now, thorough=False)
    except UserFacing as error:
        reason = error.code
    assert reason.startswith("time-") if moment is None else moment.at > now
