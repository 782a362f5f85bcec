"""What stands for an answer in which the model excuses itself: the lines of the user's own that may tell it.

"I don't have access to your records" says that a question is about something of the user's which no reading
of its words has found. So it is asked once more which file may have it, and that file is named and shown as
it stands. A small model that is made to answer from it says "paid" for "not paid"; a person sees it at a
glance. Where no file is likely, the model's own words stand. A question that is surely about things of one's
own, and that nothing else answers, is shown its file before the model may talk about it. For an order the
excuse means that nothing was done, which is told. Any thread; blocks while the model reads.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import structlog

from desktop.chat.content_search import lines_of_words, shares
from desktop.chat.described_requests import READABLE, own_files
from desktop.chat.file_judgements import LastRanking, ranked
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import language_of, say
from desktop.chat.request_kinds import OUT_OF_REACH, OWN_ELSEWHERE
from desktop.chat.speech_acts import SpeechAct, speech_act
from desktop.chat.tool_args import Submit
from desktop.tools.periods import named_times
from desktop.tools.table_queries import has_dates_in, rows_in

log = structlog.get_logger(__name__)

LEAST_OVER_NONE = -1.0  # nats, of the likeliest file, where the model has excused itself
# Where it was not asked yet: of 24 plain questions over strangers' folders none came to this but two that
# want a letter, of 51 questions over one's own files 30.
SURELY_OVER_NONE = 2.0
# Of what is clearly to be looked up: a file that is less likely than none has other things in it.
LEAST_FOR_A_LOOK = 0.0
A_WHOLE_WORD = 1.0  # that no other file has
FENCE = "````"  # longer than one that the file may have
MOST_LINES = 12  # that are shown
LONGEST_LINE = 160  # characters


@dataclass(frozen=True)
class ExcuseFallback:
    """Of one turn. `around` is the workspace, `submit` the engine's, `today` the user's; `last` is what the
    look before the answer has ranked."""

    around: Surroundings
    submit: Submit
    today: date
    last: LastRanking = field(default_factory=LastRanking)

    def plan(self, asked: str) -> IntentPlan | None:
        """What is shown or said for `asked` in place of an excuse; None where the excuse stands."""
        language = language_of(asked)
        if OUT_OF_REACH.search(asked) or OWN_ELSEWHERE.search(asked):
            return None
        if speech_act(asked) is SpeechAct.ORDER:
            return IntentPlan(language, (Step(text=say("nothing_done", language)),))
        shown = self.shown(asked, LEAST_OVER_NONE)
        log.info("looked once more", found=shown is not None)
        if shown is not None:
            return shown
        if own_files(asked, self.around):
            return IntentPlan(language, (Step(text=say("not_in_files", language), changes=False),))
        return None

    def shown(self, asked: str, over_none: float) -> IntentPlan | None:
        """The likeliest file as it stands; None where none is likelier than no file by so many nats."""
        files = [each for each in self.around.files() if each.casefold().endswith(READABLE)]
        found = ranked(asked, files, self.around, self.submit, self.today, self.last) if files else ()
        words = shares(asked, self.around)
        # "How did Marta like the room" is rather about the file that alone has Marta; a day that is named by
        # its date is rather that of a row.
        days = [
            each for each in named_times(asked, language_of(asked), self.today) if each.first == each.last
        ]
        is_dated = bool(found) and has_dates_in(rows_in(self.around.whole(found[0].name)), days)
        having = [each for each in found if words.get(each.name, 0.0) >= A_WHOLE_WORD and not is_dated]
        best = next(iter(having or found), None)
        if best is None or best.over < over_none:
            return None
        name, language = best.name, language_of(asked)
        # A heading of the file is no heading of the answer, so it stands in a block of its own.
        lines = "\n".join((FENCE, *self._lines(asked, name), FENCE))
        told = f"{say('may_be_in', language, a=name)}\n\n{lines}"
        return IntentPlan(
            language, (Step(ParsedCall("read_file", {"path": name}), changes=False, quoted=told),)
        )

    def _lines(self, asked: str, name: str) -> Sequence[str]:
        """The file where it is short, else its heading and the lines that have a word of the question, else
        its first."""
        text = self.around.whole(name) or self.around.document(name)
        lines = [each.strip()[:LONGEST_LINE] for each in text.splitlines() if each.strip()]
        if len(lines) <= MOST_LINES:
            return lines
        table = rows_in(text)
        head = [table.head_line.strip()] if table is not None and table.head_line else []
        said = [each[:LONGEST_LINE] for each in lines_of_words(asked, name, text, MOST_LINES - 2)]
        shown = [*head, *(each for each in said if each not in head)] if said else lines[: MOST_LINES - 1]
        return [*shown, "…"]
