"""What a question is read with: the workspace around it, and the rooms that find in its words what is to be
done or looked up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.app.services import Services
from desktop.paths import resources

if TYPE_CHECKING:
    from desktop.chat.file_judgements import LastRanking
    from desktop.chat.message_purposes import PurposeJudge
    from desktop.chat.rules import DirectAnswer
    from desktop.chat.tool_args import Submit
    from desktop.chat.turn_context import TurnContext
    from desktop.engine.requests import GenerateRequest
    from desktop.sandbox.workspace import Workspace
    from desktop.tools.workspace_names import WorkspaceNames


@Services.names_around.built_by
def build_names_around(services: Services) -> Callable[[TurnContext], WorkspaceNames]:
    """The files that a question may be about: of the workspace, or of the project of its chat."""
    from desktop.app.toolbox import document_text
    from desktop.chat.rules import AnswerRule, Rules
    from desktop.tools.calculator import Calculator
    from desktop.tools.system_info import CURRENT_TIME_HINT, SYSTEM_INFO_HINT
    from desktop.tools.units import read_units
    from desktop.tools.workspace_names import DocumentTexts, WorkspaceNames

    rules = Rules(Calculator(read_units(resources() / "units.toml")))

    def worked_out(question: str) -> str:
        found = rules.answer(question)
        is_sum = found is not None and found.rule is AnswerRule.SUM
        return found.text.rpartition(" = ")[2] if found is not None and is_sum else ""

    def is_looked_up(question: str) -> bool:
        return any(hint.is_said(question) for hint in (CURRENT_TIME_HINT, SYSTEM_INFO_HINT))

    documents = DocumentTexts(document_text)

    def around(context: TurnContext) -> WorkspaceNames:
        folder = context.project.folder if context.project is not None else ""
        workspace = services.project_folders.workspace(folder) if folder else services.workspace
        return WorkspaceNames(workspace, services.reminders, worked_out, is_looked_up, documents)

    return around


def _has_entries(services: Services, context: TurnContext) -> bool:
    """Whether the folder at work has anything: without a file nothing is loaded for it."""
    folder = context.project.folder if context.project is not None else ""
    root = Path(folder or services.settings.current.chat.workspace or services.paths.workspace)
    try:
        return any(root.iterdir())
    except OSError:  # not there, or not to be read, which the tools tell
        return False


def in_files(services: Services, context: TurnContext) -> bool:
    """Whether a file here speaks of what the question of `context` says, or has rows that it may be about."""
    if context.question is None or not _has_entries(services, context):
        return False
    from desktop.chat.content_search import mentions
    from desktop.chat.described_requests import own_files
    from desktop.chat.speech_acts import asks_for_own
    from desktop.chat.tool_choice import own_hints
    from desktop.errors import UserFacing

    asked, around = context.question.sent, services.names_around(context)
    is_world = own_hints().needs_nothing(asked)
    try:
        if mentions(asked, around, not is_world):
            return True
        return not is_world and (bool(own_files(asked, around)) or asks_for_own(asked))
    except UserFacing:  # a project's folder that is gone, which its tools tell
        return False


def read_first(services: Services, context: TurnContext) -> Sequence[GenerateRequest]:
    """What a model reads before the first request about a table, where the workspace has one."""
    if context.tools is None or not context.profile.is_guided or not _has_entries(services, context):
        return ()
    from desktop.chat import (
        file_arrangements,
        message_purposes,
        message_sums,
        table_changes,
        table_questions,
    )
    from desktop.tools.table_queries import rows_in

    around = services.names_around(context)
    has_rows = any(rows_in(around.whole(each)) for each in around.files())
    of_rows = (*table_questions.beginnings(), *table_changes.beginnings()) if has_rows else ()
    return (message_purposes.beginning(), *of_rows, file_arrangements.beginning(), message_sums.beginning())


@Services.last_ranking.built_by
def build_last_ranking(_services: Services) -> LastRanking:
    """Shared by the two that look at the files of one question."""
    from desktop.chat.file_judgements import LastRanking

    return LastRanking()


@Services.purposes.built_by
def build_purposes(_services: Services) -> PurposeJudge:
    """Asked once in a turn, where a request is read, and known to those that answer it."""
    from desktop.chat.message_purposes import PurposeJudge

    return PurposeJudge()


@Services.intents.built_by
def build_intents(services: Services) -> Callable[[TurnContext, Submit], DirectAnswer | None]:
    """What a question asks to be done, read with the conversation before it and the workspace as it is: by
    tables, and where these do not understand it by the model."""
    from desktop.chat.receipts import told_plan
    from desktop.chat.references import past_of
    from desktop.chat.request_reading import read_request
    from desktop.chat.rules import DirectAnswer

    def direct(context: TurnContext, submit: Submit) -> DirectAnswer | None:
        question = context.question
        if question is None or context.attached_names:
            return None
        before = context.messages[: context.messages.index(question)]
        folder = context.project.folder if context.project is not None else ""
        here = services.names_around(context)
        past = past_of(before, services.toolbox.names)
        plan = read_request(context, past, here, submit, services.last_ranking, services.purposes)
        if plan is None:
            return reply_to_story(services, context, submit)
        written = plan.written
        target = str(written.call.arguments["path"]) if written and written.call else ""
        if (plan.is_asked or target) and [each.name for each in plan.calls] == ["read_file"]:
            at = services.project_folders.workspace(folder) if folder else services.workspace
            source = str(plan.calls[0].arguments["path"])
            in_parts = summary_in_parts(services, at, question.sent, source, target)
            if in_parts is not None:
                return in_parts
        return DirectAnswer(
            text="" if plan.calls or written else told_plan(plan, ()),
            calls=plan.calls,
            tell_all=lambda ended: told_plan(plan, ended),
            written=target,
            making=written.making if written else "",
            goes_on=plan.is_asked,
            question=plan.question,
            looks=plan.looks,
        )

    return direct


@Services.excuse_fallback.built_by
def build_excuse_fallback(services: Services) -> Callable[[TurnContext, Submit], DirectAnswer | None]:
    """What stands for an answer in which the model excuses itself; None where that stands."""
    import structlog

    from desktop.chat.excuse_fallback import ExcuseFallback
    from desktop.chat.message_purposes import Purpose
    from desktop.chat.receipts import told_plan
    from desktop.chat.rules import DirectAnswer
    from desktop.engine.requests import ContextOverflow
    from desktop.errors import UserFacing
    from desktop.tools.times import local_now

    log = structlog.get_logger(__name__)

    def look(context: TurnContext, submit: Submit) -> DirectAnswer | None:
        question = context.question
        if question is None or not _has_entries(services, context):
            return None
        # "I cannot send messages" to who wants one written is no word on files.
        if services.purposes.known(context.asked) is Purpose.WRITE:
            return None
        around = services.names_around(context)
        try:
            plan = ExcuseFallback(around, submit, local_now().date(), services.last_ranking).plan(
                context.asked
            )
        except (UserFacing, ContextOverflow) as error:  # the model's own words stand
            log.info("not looked once more", reason=str(error))
            return None
        if plan is None:
            return None
        return DirectAnswer(
            text="" if plan.calls else told_plan(plan, ()),
            calls=plan.calls,
            tell_all=lambda ended: told_plan(plan, ended),
        )

    return look


def reply_to_remark(services: Services, context: TurnContext, submit: Submit) -> DirectAnswer | None:
    """What is said to the question of `context` where it only tells something; None for any other, where a
    text of the model's went before, which it may be about, where there are no files, and where a model
    answers that needs no help."""
    from desktop.chat.message_classes import is_likeliest_told

    is_helped = context.tools is not None and context.profile.is_guided and not context.attached_names
    # The plain question of every day needs no more than that.
    if not is_helped or not is_likeliest_told(context.asked) or not _has_entries(services, context):
        return None
    from desktop.chat.fixed_answers import is_answered_here, reply_to
    from desktop.chat.message_purposes import Purpose
    from desktop.chat.rules import DirectAnswer
    from desktop.chat.store import Role
    from desktop.engine.requests import ContextOverflow
    from desktop.errors import UserFacing

    if any(each.role is Role.ASSISTANT and each.model for each in context.messages):
        return None
    # "A word for the school, about their two invoices" tells nothing, whatever its words look like.
    if services.purposes.known(context.asked) not in (None, Purpose.TALK):
        return None
    speaks_of_files = in_files(services, context)
    try:
        is_sure = is_answered_here(context.asked, speaks_of_files)
        if not is_sure and services.purposes.of(context.asked, _before(context), submit) is not Purpose.TALK:
            return None
        text = reply_to(context.asked, submit, speaks_of_files)
    except (UserFacing, ContextOverflow):  # the answer that follows says what is wrong
        return None
    return DirectAnswer(text=text, is_kept=True)


def _before(context: TurnContext) -> str:
    """The sentence of the user's before the question of `context`."""
    from desktop.chat.store import Role

    said = [each.text for each in context.messages if each.role is Role.USER]
    return said[-2] if len(said) > 1 else ""


def reply_to_story(services: Services, context: TurnContext, submit: Submit) -> DirectAnswer | None:
    """The same to what speaks of their files, but of which nothing could be made, and that is rather a story
    than a wish: a small model makes up how it goes on. None for any other question."""
    from desktop.chat.fixed_answers import is_rather_told, reply_to
    from desktop.chat.message_purposes import Purpose
    from desktop.chat.rules import DirectAnswer
    from desktop.engine.requests import ContextOverflow
    from desktop.errors import UserFacing

    is_helped = context.tools is not None and context.profile.is_guided
    if not is_helped:
        return None
    purpose = services.purposes.known(context.asked)
    is_talk = purpose is Purpose.TALK
    if purpose not in (None, Purpose.TALK) or not (is_talk or is_rather_told(context.asked)):
        return None
    speaks_of_files = in_files(services, context)
    if not speaks_of_files and not is_talk:
        return None
    try:
        return DirectAnswer(text=reply_to(context.asked, submit, speaks_of_files), is_kept=True)
    except (UserFacing, ContextOverflow):  # the answer that follows says what is wrong
        return None


def summary_in_parts(
    services: Services, at: Workspace, asked: str, name: str, written: str
) -> DirectAnswer | None:
    """See `file_parts.summary_of_a_file`; None too where the file cannot be read, which its call tells."""
    from desktop.chat.attachments import LONGEST_TEXT_BYTES, AttachmentReader
    from desktop.chat.file_parts import SUMMARISES, summary_of_a_file
    from desktop.errors import UserFacing

    if SUMMARISES.search(asked) is None:
        return None
    try:
        data = at.place(name).read(limit_bytes=LONGEST_TEXT_BYTES + 1)
        whole = AttachmentReader(count=services.engine.count_tokens).document(data, Path(name))
    except UserFacing:
        return None
    return summary_of_a_file(asked, name, whole, services.engine.context_tokens, written)
