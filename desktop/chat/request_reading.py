"""How a request is read: by tables, where these do not understand it by the model, and a question beside it.

What neither understands goes on to be decided as before. Nothing is changed here. Any thread; blocks while
the model reads and writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import reduce

import structlog

from desktop.chat.calendar_requests import CalendarRequests
from desktop.chat.command_grounding import request_language
from desktop.chat.command_plan import CommandReader
from desktop.chat.compositions import adds_to_text, is_other_length, kept_composition
from desktop.chat.computed_requests import ComputedRequests, only_what_is_missing, order_unless_there
from desktop.chat.content_search import (
    answered_by_lines,
    asked_whether_noted,
    forms_of,
    mentions,
    shares,
)
from desktop.chat.described_files import put_into
from desktop.chat.described_requests import DescribedRequests, is_question
from desktop.chat.dictated_messages import dictated_message, with_more
from desktop.chat.edit_steps import in_rows
from desktop.chat.event_reminders import MAY_BE_TOLD_FROM_EVENT, EventReminders
from desktop.chat.excuse_fallback import LEAST_FOR_A_LOOK, SURELY_OVER_NONE, ExcuseFallback
from desktop.chat.file_arrangements import FileArrangements
from desktop.chat.file_judgements import LastRanking, ToldChanges
from desktop.chat.formats.calls import ParsedCall
from desktop.chat.intent_plan import IntentPlan, Step, Surroundings
from desktop.chat.intent_words import (
    LANGUAGES,
    MAY_ACT,
    language_of,
    last_part,
    plain_letters,
    say,
)
from desktop.chat.intents import SENTENCE_ENDS, SHORT_ANSWER, Intents
from desktop.chat.message_purposes import Purpose, PurposeJudge
from desktop.chat.message_sums import sum_asked
from desktop.chat.moved_reminders import SAME_HOUR
from desktop.chat.orders import asks_inside, asks_plainly, has_question_word, is_order, only_tells
from desktop.chat.query_grounding import GOES_ON
from desktop.chat.references import Past
from desktop.chat.reminder_intents import OF_REMINDERS, at_its_hour
from desktop.chat.request_kinds import (
    ASKS_IF_STANDS,
    DRAFTS,
    LETTERS,
    OUT_OF_REACH,
    OWN_ELSEWHERE,
    REACHES_SOMEBODY,
    RINGS,
    asks_if_done,
    asks_what_done,
    is_act,
)
from desktop.chat.request_parts import in_reach, question_beside
from desktop.chat.speech_acts import asks_for_own, may_want_change, only_asks, only_remarks
from desktop.chat.store import Role
from desktop.chat.table_changes import FEW_WORDS, TableChanges
from desktop.chat.table_questions import TableQuestions
from desktop.chat.table_reports import TableReports, new_file
from desktop.chat.table_words import CORRECTS
from desktop.chat.template_letters import TemplateLetters
from desktop.chat.tool_args import Submit
from desktop.chat.tool_choice import files_in, own_hints
from desktop.chat.turn_context import TurnContext
from desktop.chat.undo_requests import calls_back, other_amount, wish_to_undo
from desktop.engine.requests import ContextOverflow
from desktop.errors import UserFacing
from desktop.gate.verdict import Effect
from desktop.memory.memory import RequestKind, parse_request
from desktop.tools.calendar_files import ENDINGS as CALENDARS
from desktop.tools.times import local_now

log = structlog.get_logger(__name__)

_IS_QUESTION = re.compile(r"\?\W*$")
# "Do the letter for Hannah": what is made of a template.
_MAKES = re.compile(
    r"\W*(?:(?:please|bitte|por favor|ok|and|und|et|y)\W+)?(?:do|make|prepare|fill|get|mach\w*|bereite|"
    r"füll\w*|fais|fait|faites|prépare\w*|rempli\w*|haz\w*|hacer|prepara\w*|rellena\w*)\b",
    re.IGNORECASE,
)
_OF_LETTERS = re.compile(
    r"\b(?:letters?|mails?|e-mails?|template|invoices?|bills?|notice|briefe?|schreiben|vorlage|"
    r"rechnung\w*|mahnung\w*|einladung\w*|bescheid|lettre|courrier|modèle|facture|invitation|carta|aviso|"
    r"plantilla|factura)\b",
    re.IGNORECASE,
)
# What arranges files: that there is a folder, or a verb of such.
ARRANGES = re.compile(
    r"\b(?:folders?|director(?:y|ies)|ordner\w*|verzeichnis\w*|dossiers?|répertoires?|carpetas?|directorios?|"
    r"mov(?:e|ing)|renam\w*|cop(?:y|ies)|duplicate|archive|schieb\w*|verschieb\w*|kopier\w*|umbenenn\w*|"
    r"benenn\w*|nenn\w*|räum\w*|sortier\w*|déplace\w*|renomme\w*|copie\w*|duplique\w*|range\w*|classe\w*|"
    r"mueve\w*|mete\w*|copia\w*|renombra\w*|archiva\w*|pasa)\b",
    re.IGNORECASE,
)
_RENAMES = re.compile(
    r"\W*(?:(?:and|und|et|y|then|dann|please|bitte|puis|luego)\W+)*(?:call|rename|nenn\w*|benenn\w*|appelle\w*|"
    r"renomme\w*|llama\w*|renombra\w*)\b(?! (?:me|mir|moi)\b)",
    re.IGNORECASE,
)
# "The letter into health", where that is a folder of theirs.
_INTO = r"(?:(?:in)?to|inside|out of|from|in|nach|aus|ins|dans|de|vers|en|a|al|del?)"
_ITS_LIST = r"(?! (?:list|table|file|sheet|liste|tabelle|datei|lista|tabla|fichier|archivo))"
_NAMES_A_FILE = re.compile(r"\b(?:files?|datei(?:en)?|fichiers?|archivos?|ficheros?)\b", re.IGNORECASE)
_UNTICKS = re.compile(
    r"\b(?:un(?:tick|check)\w*|décoche\w*|desmarca\w*|haken .{0,30}\b(?:weg|raus))\b", re.IGNORECASE
)
SHORT_AMOUNT = 5  # words of a message that only names another amount
FEW_SHARED = 0.3  # of a word that only one file has


def read_request(
    context: TurnContext,
    past: Past,
    around: Surroundings,
    submit: Submit,
    last: LastRanking | None = None,
    judge: PurposeJudge | None = None,
) -> IntentPlan | None:
    """What is to be done for the question of `context`: as the tables read it, else as the model does. None
    where it is to be answered. Nothing is changed; blocks while the model reads and writes. In `last` the
    look at the files is kept for the one behind an excuse, in `judge` what the question was taken for."""
    last, judge = last or LastRanking(), judge or PurposeJudge()
    last.forget()
    judge.forget()
    if _is_ours(context) and (message := _dictated(context.asked, past)):
        judge.take(context.asked, past.asked, Purpose.WRITE)
        return IntentPlan(language_of(message), (Step(text=message, changes=False),))
    if _is_ours(context) and _adds_to_draft(context, past):
        judge.take(context.asked, past.asked, Purpose.WRITE)
        return None
    read_with = _Reader(context, past, Intents(around), around, submit, judge)
    plan = _from_rows(_read_request(read_with), read_with)
    if plan is None:
        return _shown(read_with, last)
    plan = at_its_hour(plan, context.asked, around)
    return in_rows(plan, around, _RowsTold(context, past, around, submit))


def _dictated(asked: str, past: Past) -> str:
    """The message that the question has the words of, or adds a sentence to; "" for none."""
    if ":" in past.asked and adds_to_text(asked):
        return with_more(past.asked, past.text, asked, language_of(past.asked))
    return dictated_message(asked, language_of(asked)) if ":" in asked else ""


def _adds_to_draft(context: TurnContext, past: Past) -> bool:
    """Whether the question says what the text that was just written is to say besides: behind words of the
    model's own, or behind a text for which files were only read."""
    is_draft = not context.follows_an_act or (_only_looked(past) and _is_text(past.asked))
    is_draft = is_draft or (":" in past.asked and bool(dictated_message(past.asked, language_of(past.asked))))
    return is_draft and len(past.text) > SHORT_ANSWER and adds_to_text(context.asked)


def _shown(by: _Reader, last: LastRanking) -> IntentPlan | None:
    """The file that a question is surely about which nothing else answers: a small model would talk about
    what it has not read."""
    context, around, asked = by.context, by.around, by.context.asked
    about = asked_whether_noted(asked) if _is_ours(context) else ""
    if forms_of(about) and not mentions(about, around, documents=True):
        told = say("not_in_files", language_of(asked))
        return IntentPlan(language_of(asked), (Step(text=told, changes=False),))
    is_look = _looks_into_files(by)
    may_look = is_look or (not own_hints().needs_nothing(asked) and asks_for_own(asked))
    if not _is_ours(context) or not may_look or _wants_change(asked, by):
        return None
    if OUT_OF_REACH.search(asked) or OWN_ELSEWHERE.search(asked) or _is_text(asked):
        return None
    over_none = LEAST_FOR_A_LOOK if is_look else SURELY_OVER_NONE
    return _planned(
        lambda: ExcuseFallback(around, by.submit, local_now().date(), last).shown(asked, over_none),
        "no file shown for a question",
    )


@dataclass(frozen=True)
class _RowsTold:
    """Has the model say which words of a message belong into which column."""

    context: TurnContext
    past: Past
    around: Surroundings
    submit: Submit

    @property
    def asked(self) -> str:
        return self.context.asked

    def speaks_of(self, path: str) -> bool:
        """Whether the message names the file, or something was just done with it."""
        touched = (each.arguments.get("path") for each in (*self.past.calls, *self.past.lately))
        return path in touched or last_part(path).casefold() in self.context.asked.casefold()

    def line(self, name: str) -> str:
        """The row of the file `name` that the message tells; "" for none, or without the model."""
        if not _is_ours(self.context):
            return ""
        changes = TableChanges(self.around, self.past, self.submit, local_now().date())
        try:
            return changes.row(self.context.asked, name)
        except (UserFacing, ContextOverflow) as error:
            log.info("row not put into cells", reason=str(error))
            return ""


def _of_calendar(asked: str, past: Past, around: Surroundings) -> IntentPlan | None:
    """What is to be done with an event, where there is a calendar among the files."""
    if not any(each.casefold().endswith(CALENDARS) for each in around.files()):
        return None
    return CalendarRequests(around, past, local_now()).plan(asked)


def _from_rows(plan: IntentPlan | None, by: _Reader) -> IntentPlan | None:
    """With the answer where only a file is looked into for a question that rows or lines of it answer."""
    asked, is_look = by.context.asked, _looks_into_files(by)
    may_look = is_look or (is_question(asked) and not _wants_change(asked, by))
    # "Would you please write a note to Ken" asks for words, and no row of his.
    if not _is_ours(by.context) or not may_look or by.judge.wants_text(asked):
        return plan
    if plan is None and own_hints().needs_nothing(asked):
        return None
    questions = _table_questions(by.around, by.past, by.submit)
    if is_look and (found := questions.of_time(asked)) is not None:
        return found
    try:
        plan = questions.plan(asked, plan)
    except (UserFacing, ContextOverflow) as error:  # the answer that follows says what is wrong
        log.info("question put to no table", reason=str(error))
    return answered_by_lines(asked, plan, by.around) if plan is not None else None


def _table_questions(around: Surroundings, past: Past, submit: Submit) -> TableQuestions:
    return TableQuestions(around, past, submit, local_now().date())


def _is_ours(context: TurnContext) -> bool:
    """Whether the model is asked what a request means: one that calls by itself looks for it, and where a
    tool of a server is meant, what is spoken of may be there."""
    return context.tools is not None and context.profile.is_guided and not context.served


def _read_request(by: _Reader) -> IntentPlan | None:
    asked = by.context.asked
    parted = in_reach(asked) if not _is_text(asked) else None
    # Their calendar may be a file here, as any other.
    if parted is not None and any(put_into(each, by.around.files()) for each in parted.beyond):
        parted = None
    # "Ring the man from the garage | and tell him …" is one wish.
    if parted is None or (RINGS.search(asked) and asked.startswith(parted.within)):
        return _read_whole(asked, by)
    plan = _read_whole(parted.within, by)
    if plan is None and is_order(parted.within):
        language = request_language(asked, by.past)
        plan = IntentPlan(language, (Step(text=say("not_understood", language, a=parted.within)),))
    # Made from files by the model, or asked about: their answer ends with words of the model's.
    if plan is None or plan.is_asked or plan.written is not None:
        return _read_whole(asked, by)
    named = (Step(text=say("beyond_reach", plan.language, a=each), unread=each) for each in parted.beyond)
    return replace(plan, steps=(*plan.steps, *named))


def _is_text(asked: str) -> bool:
    """Whether a text is wanted, in which anything may be said."""
    return DRAFTS.search(asked) is not None or LETTERS.match(asked) is not None


def _read_whole(asked: str, by: _Reader) -> IntentPlan | None:
    context, past, around, submit, tables = by.context, by.past, by.around, by.submit, by.tables
    only = order_unless_there(asked)
    if only is not None and (adding := _added_once(*only, by)) is not None:
        return adding
    if (event := _of_calendar(asked, past, around)) is not None:
        return event
    may_choose = context.tools is not None and context.profile.is_guided and not context.served
    if MAY_BE_TOLD_FROM_EVENT.match(asked) or MAY_BE_TOLD_FROM_EVENT.match(past.asked):
        told = EventReminders(around, past, submit if may_choose else None, local_now())
        if (before := _event_reminder(asked, told)) is not None:
            return before
    # What can be worked out from a file is no model's to write, and no table of acts has the figures.
    computed = _computed(asked, ComputedRequests(around, past, submit if may_choose else None))
    if computed is not None:
        return computed
    plan = tables.plan(asked, past)
    # "And without the school?" asks on of what was told, and takes nothing out of the file.
    if plan is not None and plan.changes and is_question(asked) and _only_looked(past):
        plan = None
    # Whatever is said of what was done, before it is to be taken back.
    if plan is None and (undoing := wish_to_undo(asked)):
        plan = tables.plan(undoing, past)
    return _read_beyond(asked, plan, by)


def _read_beyond(asked: str, plan: IntentPlan | None, by: _Reader) -> IntentPlan | None:
    """What the model makes of `asked` beyond `plan`, that of the tables, for the purpose that it has."""
    if plan is None and REACHES_SOMEBODY.search(asked):
        return None
    purpose = _purpose(asked, by) if plan is None else None
    if purpose is Purpose.TALK:
        return None
    if purpose is Purpose.SUM:
        return _planned(lambda: sum_asked(asked, by.past, by.submit), "no sum worked out")
    if purpose is Purpose.WRITE:
        # "Do her the letter like Phil's" has a template, and what is told of may stand in a file.
        letter = _letter(asked, by.context, TemplateLetters(by.around, by.submit, local_now().date()))
        return letter or (_looked_up(asked, plan, by) if not is_question(asked) else None)
    # "Non, finalement mets 22" says no more than another amount.
    is_bare = purpose is Purpose.CHANGE and CORRECTS.match(asked) and len(asked.split()) <= SHORT_AMOUNT
    back = _taken_back(asked, by) if purpose is Purpose.UNDO or is_bare else None
    if purpose is Purpose.LOOK and OF_REMINDERS.search(asked):
        listed = Step(ParsedCall("list_reminders", {}), changes=False)
        return IntentPlan(request_language(asked, by.past), (listed,))
    if back is not None or purpose is Purpose.LOOK:
        return back or (_looked_up(asked, plan, by) if not _was_told(by.context) else None)
    found = _written(asked, plan, by)
    if found is not None:
        return found
    both = question_beside(asked) if plan is None or _unread_of(plan) or plan.is_asked else None
    if both is None:
        return _read(asked, plan, by)
    done = _read(both.act, by.tables.plan(both.act, by.past), by)
    if done is None or done.is_asked or done.written is not None:
        return plan
    return replace(done, question=both.question, looks=_looks_for(both.question, done, by))


def _purpose(asked: str, by: _Reader) -> Purpose | None:
    """What `asked` clearly wants; None too for what has the form of a question about the world."""
    if not _is_ours(by.context) or own_hints().needs_nothing(asked):
        return None
    try:
        return by.judge.of(asked, by.past.asked, by.submit, by.around.files())
    except (UserFacing, ContextOverflow) as error:  # the answer that follows says what is wrong
        log.info("purpose not judged", reason=str(error))
        return None


def _wants_change(asked: str, by: _Reader) -> bool:
    """Whether something is clearly to be changed, also where the form is that of a question: "could you tick
    it off"."""
    return by.judge.known(asked) is Purpose.CHANGE


def _looks_into_files(by: _Reader) -> bool:
    """Whether what is asked is clearly in files of theirs: what another tool tells, "what's my IP address",
    or memory has stands in none."""
    asked, tools = by.context.asked, by.context.tools
    if by.judge.known(asked) is not Purpose.LOOK or tools is None:
        return False
    if by.context.is_remembered or _was_told(by.context):
        return False
    called = own_hints().called(tools.toolbox, asked)
    return not any(tool.effect is Effect.READ and not tool.hint.file for tool in called)


def _was_told(context: TurnContext) -> bool:
    """Whether the question is about what was to be remembered in this very conversation, which the model has
    before it: "remember that her extension is 214" says it, and no file."""
    forms = forms_of(context.asked).values()
    for message in context.messages:
        wish = parse_request(message.text) if message.role is Role.USER else None
        if wish is not None and wish.want is RequestKind.REMEMBER:
            told = plain_letters(wish.text.casefold())
            if forms and all(form.search(told) for form in forms):
                return True
    return False


def _taken_back(asked: str, by: _Reader) -> IntentPlan | None:
    """The undoing of what was just done, or another amount in its place. None where nothing was done, where a
    reminder was moved, which may as well be to go, and where another thing is meant: "no, that was Gwen".
    """
    acts, past = by.past.undo_acts, by.past
    is_moved = len(acts) > 1 and any(each.name == "set_reminder" for each in acts)
    # "Untick everything in the copy" takes no copy back.
    has_ticked = any("[x]" in str(each.arguments.get("new", "")) for each in acts)
    is_untick = _UNTICKS.search(asked) is not None and not has_ticked
    if not by.context.acted_lately or not acts or is_moved or is_untick:
        return None
    said = plain_letters(
        " ".join((past.asked, *(str(v) for a in acts for v in a.arguments.values()))).casefold()
    )
    if not set(re.findall(r"\d+", asked)) <= set(re.findall(r"\d+", said)):
        right = other_amount(asked, acts[0], by.around.whole(past.undo_of[0])) if len(acts) == 1 else None
        return IntentPlan(request_language(asked, past), (Step(right),)) if right is not None else None
    texts = plain_letters("\n".join(by.around.whole(each) for each in past.undo_of if each).casefold())
    if any(form.search(texts) and not form.search(said) for form in forms_of(asked).values()):
        return None
    calls = calls_back(asked, past, by.around.text)
    return IntentPlan(request_language(asked, past), tuple(map(Step, calls))) if calls else None


def _only_looked(past: Past) -> bool:
    return bool(past.calls) and all(each.name == "read_file" for each in past.calls)


def _written(asked: str, plan: IntentPlan | None, by: _Reader) -> IntentPlan | None:
    """What the model writes for `asked` where `plan`, that of the tables, is not all of it: a letter, how
    files are arranged, a query or statements to a table."""
    letter = _letter(asked, by.context, TemplateLetters(by.around, by.submit, local_now().date()))
    found = letter or _reported(asked, by) or _arranged(asked, plan, by)
    # "Stock: plus que 9 kg" only looks like a question.
    is_remark = is_question(asked) and not _asks(asked) and not has_question_word(asked)
    is_unclear = is_remark or _wants_change(asked, by)
    found = found or (_table_changes(asked, plan, by) if is_unclear else None)
    if found is not None:
        return found
    described = _looked_up(asked, plan, by)
    return described or (_table_changes(asked, plan, by) if not is_unclear else None)


def _looked_up(asked: str, plan: IntentPlan | None, by: _Reader) -> IntentPlan | None:
    """What is to be done with a file that `asked` describes, which for a question is to be read."""
    questions = _table_questions(by.around, by.past, by.submit)
    described = DescribedRequests(by.around, by.past, by.submit, questions, _looks_into_files(by))
    return _described(asked, plan, by.context, described)


def _planned(plan: Callable[[], IntentPlan | None], otherwise: str) -> IntentPlan | None:
    """What `plan` makes; None where the model could not be asked, with `otherwise` in the log: the answer
    that follows says what is wrong."""
    try:
        return plan()
    except (UserFacing, ContextOverflow) as error:
        log.info(otherwise, reason=str(error))
        return None


def _letter(asked: str, context: TurnContext, by: TemplateLetters) -> IntentPlan | None:
    """What is to be made from a template of the user's."""
    # "Take Colin out of the members list" is not for the letter to new members.
    may_make = _MAKES.match(asked) is not None or _OF_LETTERS.search(asked) is not None
    if not _is_ours(context) or _asks(asked) or not may_make:
        return None
    return _planned(lambda: by.plan(asked), "no template filled")


def _reported(asked: str, by: _Reader) -> IntentPlan | None:
    """The new file of rows that `asked` wants."""
    if not _is_ours(by.context) or not new_file(asked, by.around.files()) or LETTERS.match(asked):
        return None
    return _planned(
        lambda: TableReports(by.around, by.submit, local_now().date()).plan(asked), "no file made of rows"
    )


def _may_be_written(asked: str, plan: IntentPlan | None, by: _Reader) -> bool:
    """Whether the model may write what `asked` wants done, because `plan` is not all of it."""
    is_understood = plan is not None and not _unread_of(plan) and not plan.is_asked
    # A file that is not there may be a list by what it is of: "put her in the members list too".
    is_understood = is_understood and not (plan is not None and any(each.lacks_file for each in plan.steps))
    if is_understood or not _is_ours(by.context) or not may_be_told(by.context, asked):
        return False
    # Whatever a small model writes into a file for a remark, nobody has asked for.
    wants_none = _asks(asked) or _wants_nothing_done(by.context, asked)
    if wants_none and not _wants_change(asked, by):
        return False
    is_kept = _KEPT_ELSEWHERE.search(asked) is not None or kept_composition(asked) is not None
    return not is_kept and not any(map(OUT_OF_REACH.search, _unread_of(plan)))


def _arranged(asked: str, plan: IntentPlan | None, by: _Reader) -> IntentPlan | None:
    """How `asked` wants files moved, copied or renamed that it does not name."""
    # "And call the gutter one gutters.txt" writes no new file.
    is_renaming = _RENAMES.match(asked) is not None and bool(files_in(asked))
    is_meant = is_renaming or ARRANGES.search(asked) is not None or _names_folder(asked, by.around)
    if not is_meant or not _may_be_written(asked, None if is_renaming else plan, by):
        return None
    arranged = _planned(lambda: FileArrangements(by.around, by.submit).plan(asked), "files not arranged")
    return _with_other_sentences(arranged, asked, by) if arranged is not None else None


# "It has to say 19:30 and not 19": no verb orders anything.
_CORRECTS = re.compile(
    r"\b(?:instead of|rather than|should (?:say|be|read)|has to (?:say|be|read)|statt|muss es|soll es|"
    r"au lieu d|doit être|devrait|en vez de|en lugar de|tiene que|debe)\b",
    re.IGNORECASE,
)


def _with_other_sentences(plan: IntentPlan, asked: str, by: _Reader) -> IntentPlan:
    """`plan`, which arranges files, with what the sentences want that arrange none, or that this was not
    understood: half of an order is not left out without a word."""
    steps: list[Step] = []
    for each in SENTENCE_ENDS.split(asked):
        wants = is_order(each) or is_act(each) or _CORRECTS.search(each) is not None
        if ARRANGES.search(each) or _RENAMES.match(each) or not wants:
            continue
        other = by.tables.plan(each, by.past)
        if other is not None and not other.is_asked and other.written is None:
            steps += other.steps
        else:
            steps.append(Step(text=say("not_understood", plan.language, a=each.strip()), unread=each))
    return replace(plan, steps=(*steps, *plan.steps)) if steps else plan


def _names_folder(asked: str, around: Surroundings) -> bool:
    """Whether something is to go into a folder that is there, or out of it."""
    if is_question(asked):
        return False
    names = "|".join(re.escape(last_part(each)) for each in around.folders() if len(last_part(each)) > 2)
    form = rf"\b{_INTO} (?:(?:the|my|den|die|das|dem|der|le|la|l['’]|el|mi) )?(?:{names})\b{_ITS_LIST}"
    return bool(names) and re.search(form, asked, re.IGNORECASE) is not None


def _table_changes(asked: str, plan: IntentPlan | None, by: _Reader) -> IntentPlan | None:
    """What `asked` wants changed of a table or list, where `plan` is not all of it."""
    if not _may_be_written(asked, plan, by):
        return None
    # A file of its own is no row, and what goes on from a reminder is of that one.
    is_other = _NAMES_A_FILE.search(asked) is not None and not files_in(asked)
    if is_other or _KEPT_ELSEWHERE.search(by.past.asked) or _names_folder(asked, by.around):
        return None
    # Small talk shares no word with a file, and asks for nothing.
    shared = max(shares(asked, by.around).values(), default=0.0)
    goes_on = bool(by.past.calls) and not only_tells(asked, _of_late(by.past, by.around))
    is_wanted = is_act(asked) or goes_on or _wants_change(asked, by)
    if not is_wanted and (shared < FEW_SHARED or not may_want_change(asked)):
        return None
    # "And size 42" belongs to what was said before, of which no file has a word.
    if GOES_ON.match(asked) and not by.past.calls and len(asked.split()) <= FEW_WORDS:
        return None
    return _planned(
        lambda: TableChanges(by.around, by.past, by.submit, local_now().date()).plan(asked),
        "no change put to a table",
    )


def _event_reminder(asked: str, by: EventReminders) -> IntentPlan | None:
    """A reminder some time before what a file or another reminder says is on a day."""
    return _planned(lambda: by.plan(asked), "no event looked for")


def _computed(asked: str, by: ComputedRequests) -> IntentPlan | None:
    return _planned(lambda: by.plan(asked), "nothing computed")


def _added_once(order: str, language: str, by: _Reader) -> IntentPlan | None:
    """What `order` adds, without what is there already; None where it does more than add."""
    plan = _read_whole(order, by)
    if plan is None or plan.written is not None or plan.is_asked or plan.question:
        return None
    may_choose = by.context.tools is not None and by.context.profile.is_guided
    return _planned(
        lambda: only_what_is_missing(plan, by.around, by.submit if may_choose else None, language),
        "not compared with what is there",
    )


def _described(
    asked: str, plan: IntentPlan | None, context: TurnContext, by: DescribedRequests
) -> IntentPlan | None:
    """What is to be done with a file that `asked` describes."""
    if not _is_ours(context):
        return None
    return _planned(lambda: by.plan(asked, plan), "no file chosen by its description")


@dataclass(frozen=True)
class _Reader:
    """What a request is read with."""

    context: TurnContext
    past: Past
    tables: Intents
    around: Surroundings
    submit: Submit
    judge: PurposeJudge


def _read(asked: str, plan: IntentPlan | None, by: _Reader) -> IntentPlan | None:
    """What is to be done for `asked`; `plan` is what the tables read of it."""
    context, past = by.context, by.past
    unread = _unread_of(plan)
    # A file that an order names is to be looked at only where nothing else is to be done with it.
    only_looks = plan is not None and plan.is_asked and context.acted_lately and not _asks(asked)
    if plan is not None and not unread and not only_looks:
        return plan
    of_content = _OfContent(asked, by) if plan is None and not _asks(asked) and not is_act(asked) else None
    if of_content is not None and (told := of_content.told()) is not None:
        return told
    is_wanted = of_content is not None and may_be_told(context, asked) and of_content.is_wanted()
    wants_change = _wants_change(asked, by) and may_be_told(context, asked)
    if not is_wanted and not wants_change and not may_be_commands(context, asked):
        return plan
    # A small model makes a command of whatever it is shown.
    if plan is None and not is_wanted and only_tells(asked, _of_late(past, by.around)):
        return None
    # The time has to be looked up before it is saved, which is no command.
    kept = kept_composition(asked)
    if kept is not None and by.around.is_looked_up(kept.making):
        return plan
    # What no tool reaches no commands can do.
    if any(OUT_OF_REACH.search(each) for each in unread):
        return plan
    try:
        understood = CommandReader(by.around, by.tables.plan).understood(asked, past, by.submit)
    except (UserFacing, ContextOverflow) as error:  # the answer that follows says what is wrong
        log.info("request not put into commands", reason=str(error))
        return plan
    if only_looks:
        is_done = understood.plan is not None and understood.plan.changes
        plan = None if is_done or understood.asks_for_change else plan
    found = fuller(plan, understood.plan)
    # Going on from what was done, or a line for a file of somebody's own, and no tool of ours found to do it:
    # words would stand in its place.
    is_change = understood.asks_for_change or (plan is None and CHANGES_A_FILE.match(asked) is not None)
    is_lost = found is None and (wants_change or (is_change and not _asks(asked)))
    # A server's may do it, which only the choice among its tools tells.
    if is_lost and not context.served:
        language = request_language(asked, past)
        return IntentPlan(language, (Step(text=say("nothing_done", language)),))
    return found


# "Add Lucia to the bookings, …"; what a colon or quotation marks hand over is the model's to work on.
CHANGES_A_FILE = re.compile(
    r"(?!.*[:\"“„«])\W*(?:(?:please|bitte|por favor)\W+)?(?:"
    r"(?:add|append|log)\b.* (?:to|into|in) (?:the|my|our)|"
    r"(?:füg\w*|trag\w*)\b.* (?:zu[mr]?|in|ins|bei) (?:de[nmr]|die|das|meine?[nmr]?|unsere?[nmr]?)|"
    r"r?ajoute[rz]?\b.* (?:à|dans|sur) (?:l[ae]s?|m[ae]s?|mon|nos|notre)|"
    r"(?:añade|añádele|apunta|anota)\b.* (?:a|en) (?:l[ao]s?|el|mis?|nuestr[ao])) \w+",
    re.IGNORECASE,
)
_ON_A_FILE = {"write_file": "path", "append_text": "path", "replace_text": "path", "move_file": "destination"}
# "How many eggs are in it", "was steht drin".
_OF_A_FILE = re.compile(
    r"\b(?:it|its|there|in there|how many|how much|drin|darin|da|wie ?viele?|man|dedans|on|combien|"
    r"ahí|dentro|cuánt[oa]s?)\b",
    re.IGNORECASE,
)


def _looks_for(question: str, plan: IntentPlan, by: _Reader) -> tuple[ParsedCall, ...]:
    """What is read before the `question` beside an act is answered: the files that it names, or the one that
    was acted on, unless it is plain that the question is about the world."""
    named = by.tables.plan(question, replace(by.past, calls=(), asked="", value=""))
    if named is not None:
        return named.calls if not named.changes or named.is_asked else ()
    on = [call for call in plan.calls if call.name in _ON_A_FILE]
    if own_hints().needs_nothing(question) or not on or not _OF_A_FILE.search(question):
        return ()
    path = str(on[-1].arguments[_ON_A_FILE[on[-1].name]])
    source = str(on[-1].arguments.get("source", path))
    is_text = bool(by.around.text(source) or on[-1].name == "write_file")
    return (ParsedCall("read_file", {"path": path}),) if is_text else ()


def _asks(asked: str) -> bool:
    """Whether it is a question, also where its sign was left out."""
    return _IS_QUESTION.search(asked) is not None or asks_plainly(asked) or asks_inside(asked)


_KEPT_ELSEWHERE = re.compile(
    r"\b(?:rappel\w*|remind\w*|erinner\w*|recordatorio\w*|wecker|alarm\w*|timer|"
    r"remember|don['’]?t forget|merk\w* (?:dir|euch)|vergiss\w* nicht|souviens|rappelle-toi|retiens|"
    r"retenez|n['’]oublie|acuérdate|recuerda\w*|recuérda\w*|no olvides)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class _OfContent:
    """What a message without a verb that the tables know means for the file that speaks of it."""

    asked: str
    by: _Reader

    def told(self) -> IntentPlan | None:
        """The change of a list or table that a remark tells of."""
        # What orders something only gives the reason for it in its other clause.
        later = re.split(r"[,;.]\s+", self.asked)[1:]
        is_ordered = is_order(self.asked) or any(MAY_ACT.match(each) for each in later)
        may_tell = self._may_be and not is_ordered
        try:
            return self._changes.plan(self.asked) if may_tell else None
        except (UserFacing, ContextOverflow) as error:  # the answer that follows says what is wrong
            log.info("remark not held against what it is about", reason=str(error))
            return None

    def is_wanted(self) -> bool:
        """Whether that file is to be changed."""
        try:
            return self._may_be and self._changes.is_wanted(self.asked)
        except (UserFacing, ContextOverflow) as error:
            log.info("request not held against what it is about", reason=str(error))
            return False

    @property
    def _changes(self) -> ToldChanges:
        return ToldChanges(self.by.around, self.by.submit)

    @property
    def _may_be(self) -> bool:
        is_ours = _is_ours(self.by.context)
        is_kept = _KEPT_ELSEWHERE.search(self.asked) is not None  # by memory or reminders, in no file
        return is_ours and not is_kept and not own_hints().needs_nothing(self.asked)


def _of_late(past: Past, around: Surroundings) -> str:
    """All that the last acts were about: names, lines, reminders, and the words of the sentence before."""
    given = (str(each) for call in (*past.calls, *past.lately) for each in call.arguments.values())
    files = dict.fromkeys(each for each in (past.file, *past.files) if each)
    lines = (around.text(each) for each in files)
    return "\n".join((past.asked, *given, *files, *lines, *(text for _, text in around.reminders())))


def _unread_of(plan: IntentPlan | None) -> list[str]:
    return [step.unread for step in plan.steps if step.unread] if plan is not None else []


def fuller(read: IntentPlan | None, found: IntentPlan | None) -> IntentPlan | None:
    """The plan of the tables, or the model's where that has all that they read, and more."""
    if read is None or found is None:
        return found or read
    is_more = len(found.calls) > len(read.calls)
    # "…, same time" is no part of its own: the hour is kept.
    is_whole = all(SAME_HOUR.search(each) for each in _unread_of(read))
    return found if (is_more or is_whole) and set(_names(read)) <= set(_names(found)) else read


def _names(plan: IntentPlan) -> list[str]:
    return [call.name for call in plan.calls]


def may_be_told(context: TurnContext, asked: str) -> bool:
    """Whether the model may be asked for commands at all: never for what is a question about the world or a
    text. A model that calls by itself needs none."""
    if context.tools is None or not context.profile.is_guided or own_hints().needs_nothing(asked):
        return False
    # rede.txt is no speech that is to be written.
    named = reduce(lambda text, name: text.replace(name, " "), files_in(asked), asked)
    is_no_act = asks_if_done(asked) or asks_what_done(asked) or ASKS_IF_STANDS.search(asked)
    if DRAFTS.search(named) or LETTERS.match(asked) or is_no_act:
        return False
    # No command makes a text shorter; put into one it becomes a line to be added.
    if any(is_other_length(asked, language) for language in LANGUAGES):
        return False
    # "There" is the place of a server, in which no command of ours writes.
    return not any(tool.hint.alone for tool in context.served)


def may_be_commands(context: TurnContext, asked: str) -> bool:
    """Whether it is asked for them: where something was done just before, or `asked`, the question or a part
    of it, asks for something in plain words."""
    # Plain questions wait for no second look.
    goes_on = context.acted_lately and not _asks(asked)
    asks_for_act = context.follows_an_act or goes_on or is_act(asked) or bool(files_in(asked))
    return asks_for_act and not _wants_nothing_done(context, asked) and may_be_told(context, asked)


def _wants_nothing_done(context: TurnContext, asked: str) -> bool:
    behind = context.acted_lately
    return only_remarks(asked, behind) or only_asks(asked, behind)
