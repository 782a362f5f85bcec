"""Conversations, memory, the assistant's tools, and turns, which bring them together."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.app.services import Services, made_of
from desktop.paths import resources
from desktop.reasons import ENGLISH, GERMAN
from desktop.settings import MemorySettings, SettingsChanged

if TYPE_CHECKING:
    from desktop.chat.conversation_memory import ConversationMemory, MemoryProject
    from desktop.chat.destinations import Agreed
    from desktop.chat.export_import import ChatExchange
    from desktop.chat.fixed_answers import FixedAnswer, OwnState
    from desktop.chat.intents import Intents
    from desktop.chat.lessons import Lessons
    from desktop.chat.note_proposals import NoteProposals
    from desktop.chat.remote_turn import OutgoingText, RemoteAnswers
    from desktop.chat.rules import AnswerByRule, DirectAnswer
    from desktop.chat.schedules import ScheduledQuestions
    from desktop.chat.skills import SkillLibrary
    from desktop.chat.store import ChatStore
    from desktop.chat.tool_mode import ToolRuntime
    from desktop.chat.turns import Turns
    from desktop.database import Database, Migration
    from desktop.memory.capture import CaptureMode
    from desktop.memory.memory import Memory
    from desktop.memory.shared.connection import Passwords
    from desktop.memory.shared.team import Team
    from desktop.memory.vectors.minilm import MiniLM
    from desktop.memory.vectors.ranker import BetterSearch, VectorRanker
    from desktop.memory.vectors.subject_search import SubjectSearch
    from desktop.memory.vectors.vector_store import VectorWriter
    from desktop.presence import Presence
    from desktop.tools.calls import CallResult
    from desktop.tools.clipboard import ClipboardTools
    from desktop.tools.reminders import Reminders
    from desktop.tools.tool import Tool, Toolbox, ToolCatalogue


# --- Conversations


@Services.migrations.built_by
def build_migrations(_services: Services) -> tuple[Migration, ...]:
    """Every step of every room's tables."""
    from desktop.agents import rewriting as agents
    from desktop.chat import migrations as chat
    from desktop.extensions import state as extensions
    from desktop.gate import migrations as gate
    from desktop.memory import migrations as memory
    from desktop.tools import notes, reminders

    tools = (*notes.MIGRATIONS, *reminders.MIGRATIONS)
    above = (*memory.MIGRATIONS, *agents.MIGRATIONS, *extensions.MIGRATIONS)
    return (*chat.MIGRATIONS, *gate.MIGRATIONS, *tools, *above)


@Services.presence.built_by
def build_presence(services: Services) -> Presence:
    from desktop.presence import Presence

    return Presence(services.paths.presence)


@Services.database.built_by
def build_database(services: Services) -> Database:
    from desktop.database import Database

    return Database(services.paths.database, services.migrations)


@Services.store.built_by
def build_store(services: Services) -> ChatStore:
    from desktop.chat.store import ChatStore

    presence = services.presence
    return ChatStore(services.database, presence=presence)


@Services.exchange.built_by
def build_exchange(services: Services) -> ChatExchange:
    from desktop import __version__
    from desktop.chat.export_import import ChatExchange

    return ChatExchange(services.database, services.store, __version__)


# --- Memory


@Services.team.built_by
def build_team(services: Services) -> Team:
    """The memory of a group, where one is set up."""
    from desktop.memory.shared.authors import Authors
    from desktop.memory.shared.team import Team, TeamIdentity
    from desktop.system.secrets import TEAM_CACHE_PASSWORD, TEAM_PASSWORD, TEAM_SIGNING_KEY

    def wanted() -> MemorySettings:
        return services.settings.current.memory

    def passwords() -> Passwords:
        from desktop.memory.shared.connection import Passwords

        return Passwords(services.secrets.get(TEAM_PASSWORD), services.secrets.get(TEAM_CACHE_PASSWORD))

    def signing_key() -> str | None:
        return services.secrets.get(TEAM_SIGNING_KEY)

    def keep_signing_key(key: str) -> None:
        services.secrets.set(TEAM_SIGNING_KEY, key)

    identity = TeamIdentity(passwords, Authors(services.database, signing_key, keep_signing_key))
    return Team(wanted, identity, services.network, services.bus, lambda text: _meaning_of(services, text))


@Services.embedder.built_by
def build_embedder(services: Services) -> MiniLM:
    from desktop.memory.vectors.minilm import MINILM, MiniLM

    pieces = resources() / "memory" / "wordpieces.txt"
    return MiniLM(services.paths.embedding / MINILM.file_name, pieces)


@Services.vectors.built_by
def build_vectors(services: Services) -> VectorRanker:
    from desktop.memory.vectors.ranker import VectorRanker

    return VectorRanker(
        services.database,
        services.embedder,
        lambda: services.settings.current.memory.meaning,
        lambda: services.settings.current.memory.least_likeness,
    )


@Services.subjects.built_by
def build_subjects(services: Services) -> SubjectSearch:
    from desktop.engine.events import EngineState
    from desktop.memory.vectors.subject_search import SubjectReader, SubjectSearch, read_words

    return SubjectSearch(
        services.database,
        SubjectReader(services.engine.submit, read_words(resources() / "memory" / "subjects.txt")),
        lambda: _subject_model(services),
        lambda: services.engine.status.state is EngineState.READY,
    )


# Of the chat model. A smaller one's words behind a text say little of it: not tried below a billion.
LEAST_PARAMETERS = 900_000_000


def _subject_model(services: Services) -> str:
    """The hash of the model that answers, where it is to tell what a text is about and large enough to."""
    model = services.engine.model
    if model is None or not services.settings.current.memory.subjects:
        return ""
    if model.facts.parameter_count < LEAST_PARAMETERS:
        return ""
    return model.sha256 or model.id


def _meaning_of(services: Services, text: str) -> Sequence[float]:
    """The meaning of a text as numbers; none while search by meaning is off."""
    if not services.settings.current.memory.meaning or not services.vectors.is_on:
        return ()
    try:
        return [float(number) for number in services.embedder.question(text)]
    except (OSError, ValueError):
        return ()  # of which the search by meaning tells


@Services.memory.built_by
def build_memory(services: Services) -> Memory:
    from desktop.chat.conversation_memory import MemoryBlocks
    from desktop.memory.events import MemoryForgotten
    from desktop.memory.memory import Memory, RecallSources
    from desktop.memory.search import LateRanker

    blocks = MemoryBlocks(services.database)

    def forget(event: MemoryForgotten) -> None:
        """What was told to a model goes too, whoever forgets it: the window or the command line."""
        blocks.forget(event.ids)

    # Subscribed here and not by conversations: the command line forgets without ever making one.
    services.bus.subscribe(MemoryForgotten, forget)

    def team() -> Team | None:
        """Most people have none: then nothing of it is loaded, and no question waits for it."""
        return services.team if services.settings.current.memory.team_store.strip() else None

    if (group := team()) is not None:
        group.warm()
    # The ranker asks for the vectors with the first search, not before: their model is 25 MB.
    meaning = LateRanker(
        "meaning", 1.0, lambda: services.settings.current.memory.meaning, lambda: services.vectors
    )

    def reader() -> SubjectSearch | None:
        return services.subjects if _subject_model(services) else None

    return Memory(
        services.database,
        services.redactor,
        RecallSources((meaning,), team, lambda text: _meaning_of(services, text), reader),
        made_of(lambda: services.settings.current.memory, _capture_mode),
        bus=services.bus,
    )


def _capture_mode(wanted: MemorySettings) -> CaptureMode:
    from desktop.memory.capture import CaptureLevel, CaptureMode

    # Paused means that nothing new is kept, also of what coding agents do.
    if not wanted.enabled or wanted.paused:
        return CaptureMode(CaptureLevel.OFF)
    return CaptureMode(CaptureLevel(wanted.capture.value), wanted.capture_one_in)


@Services.vector_writer.built_by
def build_vector_writer(services: Services) -> VectorWriter:
    """Begun with the first look at it."""
    from desktop.memory.events import MemoryChanged
    from desktop.memory.vectors.vector_store import VectorWriter

    writer = VectorWriter(services.database, services.vectors, lambda: not services.engine.is_busy)
    writer.start()
    # New words have no vectors yet; and a setting may have switched search by meaning on.
    for kind in (MemoryChanged, SettingsChanged):
        services.bus.subscribe(kind, lambda _event: writer.wake())
    return writer


@Services.subject_writer.built_by
def build_subject_writer(services: Services) -> VectorWriter:
    """Begun with the first look at it; it reads while a model is loaded and nobody waits for an answer.
    Whoever hears that one was loaded wakes it."""
    from desktop.memory.events import MemoryChanged
    from desktop.memory.vectors.subject_search import TABLE
    from desktop.memory.vectors.vector_store import VectorWriter

    # One text at a time: an answer that is asked for meanwhile waits for no other.
    writer = VectorWriter(
        services.database, services.subjects, lambda: not services.engine.is_busy, TABLE, batch=1
    )
    writer.start()
    for kind in (MemoryChanged, SettingsChanged):
        services.bus.subscribe(kind, lambda _event: writer.wake())
    return writer


@Services.better_search.built_by
def build_better_search(services: Services) -> BetterSearch:
    from desktop.memory.vectors.ranker import BetterSearch
    from desktop.models.download import SingleFile

    def set_on(wanted: bool) -> None:
        services.settings.change("memory", "meaning", wanted)

    files = SingleFile(services.network, services.bus, services.paths.embedding)
    return BetterSearch(files, services.vectors, services.vector_writer, set_on)


@Services.remembering.built_by
def build_remembering(services: Services) -> ConversationMemory:
    return remembering_for(services, services.store)


def remembering_for(services: Services, store: ChatStore) -> ConversationMemory:
    """Memory for the turns of `store`; what is said in the user's own history is kept."""
    from desktop.chat.conversation_memory import ConversationMemory, MemoryBlocks, MemoryScope
    from desktop.chat.messages import Role

    def project_of(conversation_id: int) -> MemoryProject | None:
        from desktop.chat.projects import ChatProjects

        found = ChatProjects(store.database, services.bus).of(conversation_id)
        return found.memory if found is not None else None

    def intents() -> Intents:
        from desktop.chat.intents import Intents
        from desktop.tools.workspace_names import DocumentTexts, WorkspaceNames

        names = WorkspaceNames(
            services.workspace,
            services.reminders,
            lambda _asked: "",
            lambda _asked: False,
            DocumentTexts(lambda _data: ""),
        )
        return Intents(names)

    def reminders_named(typed: str) -> Sequence[tuple[int, str]]:
        return intents().reminders_named(typed)

    def names_file(typed: str) -> bool:
        return intents().names_file(typed)

    def has_acted(conversation_id: int) -> bool:
        roles = [(each.role, each.tool) for each in store.messages(conversation_id, limit=8)]
        asked = [at for at, (role, _tool) in enumerate(roles) if role is Role.USER]
        return len(asked) > 1 and any(tool is not None for _role, tool in roles[asked[-2] : asked[-1]])

    return ConversationMemory(
        services.memory,
        MemoryBlocks(store.database),
        services.bus,
        lambda: services.settings.current.memory,
        services.engine.count_tokens,
        MemoryScope(
            _project(services),
            store.database is services.database,
            project_of,
            reminders_named,
            names_file,
            has_acted,
        ),
    )


@Services.lessons.built_by
def build_lessons(services: Services) -> Lessons:
    from desktop.chat.lessons import Lessons

    def wanted() -> MemorySettings:
        return services.settings.current.memory

    return Lessons(services.memory, services.bus, wanted, _project(services))


def _project(services: Services) -> Callable[[], MemoryProject]:
    """The folder that is worked in is the workspace's, which stays the same until the next start."""
    from desktop.chat.conversation_memory import MemoryProject

    @cache
    def project() -> MemoryProject:
        return MemoryProject(str(services.workspace.root), bool(services.settings.current.chat.workspace))

    return project


# --- Tools and turns


@Services.reminders.built_by
def build_reminders(services: Services) -> Reminders:
    from desktop.tools.reminders import Reminders

    return Reminders(services.database, services.bus, marker=services.paths.reminders_marker)


@Services.scheduled.built_by
def build_scheduled(services: Services) -> ScheduledQuestions:
    from desktop.chat.schedules import ScheduledQuestions

    return ScheduledQuestions(services.reminders, services.store, lambda: services.turns, services.bus)


@Services.clipboard_tools.built_by
def build_clipboard_tools(services: Services) -> ClipboardTools | None:
    from desktop.tools.clipboard import ClipboardTools

    return ClipboardTools(services.clipboard) if services.clipboard is not None else None


@Services.toolbox.built_by
def build_toolbox(services: Services) -> Toolbox:
    from desktop.app.project_parts import tools_in

    return tools_in(services, services.workspace)


@Services.acting.built_by
def build_acting(services: Services) -> ToolRuntime:
    from desktop.app.project_parts import executor_in
    from desktop.chat.tool_mode import ToolRuntime
    from desktop.tools.tool import ToolCatalogue

    executor = executor_in(services, services.workspace)

    def guests(question: str, used: Sequence[str]) -> Sequence[Tool]:
        # Without a server none of that room is loaded.
        return services.served_tools.chosen(question, used) if services.settings.current.mcp.servers else ()

    def catalogue(question: str, used: Sequence[str]) -> ToolCatalogue:
        if not services.settings.current.mcp.servers:
            return ToolCatalogue()
        return services.served_tools.catalogue(question, used)

    return ToolRuntime(
        services.toolbox,
        executor,
        services.cancel_questions,
        native_only=True,
        lessons=services.lessons,
        guests=guests,
        catalogue=catalogue,
    )


def emergency_first(text: str) -> DirectAnswer | None:
    """Danger to life, in the user's own words: before any extension reads them."""
    from desktop.chat.message_classes import message_scores

    # The plain question of every day needs no more of this than that.
    if not message_scores(text).may_have_fixed_answer:
        return None
    from desktop.chat.fixed_answers import country_of_computer, emergency_in
    from desktop.chat.rules import DirectAnswer

    answer = emergency_in(text, country_of_computer())
    return DirectAnswer(text=answer) if answer is not None else None


# What every text about a check has; without it nothing of that room is loaded.
MAY_NAME_CHECK = re.compile(r"`|[\"„“]|\b(?:pytest|unittest|tests?|check)\b|\w\(", re.IGNORECASE)


def check_wished(services: Services, text: str) -> DirectAnswer | None:
    """A wish that a check is to pass, which the user has named: no model decides about it."""
    if not MAY_NAME_CHECK.search(text):
        return None
    from desktop.builder.reasons import BuilderReason
    from desktop.builder.requests import wish
    from desktop.chat.formats.calls import ParsedCall
    from desktop.chat.intent_words import language_of
    from desktop.chat.rules import DirectAnswer
    from desktop.tools.calls import CallStatus

    arguments = wish(text)
    if arguments is None:
        return None
    tool = services.check_fixing.tool()
    language = GERMAN if language_of(text) == GERMAN else ENGLISH

    def tell(ended: CallResult) -> str:
        """How it ended, in the language of the request; the card has the tries and the difference."""
        record = services.check_fixing.record(ended.call.id)
        if record is None and ended.ending is CallStatus.STOPPED:
            return BuilderReason.STOPPED.of().in_language(language)
        if record is None:
            return ended.failure.in_language(language) if ended.failure is not None else ended.text
        reasons = (record.says, *((record.next_step,) if record.next_step is not None else ()))
        return " ".join(each.in_language(language) for each in reasons)

    return DirectAnswer(ParsedCall(tool.name, arguments), tell=tell, tool=tool)


# What every text about a schedule has; without it nothing of that room is loaded.
MAY_REPEAT = re.compile(
    r"\b(?:every|each|daily|weekly|monthly|yearly|hourly|weekdays|weekends|jede|täglich|werkt|wochentags"
    r"|wöchentl|monatl|jährl|stündl|alle \d|(?:mon|tues|wednes|thurs|fri|satur|sun)days|(?:mon|diens|donners"
    r"|frei|sams|sonn)tags|mittwochs|chaque|tou(?:s|tes) les|quotidien|sur deux|en semaine|les \w+dis\b"
    r"|\w+di au \w+di\b|du mois|cada|tod[oa]s l[oa]s|diari|entre semana|los \w+es\b|los (?:s[áa]bado"
    r"|domingo)s|\w+es al? \w+es\b|del mes)",
    re.IGNORECASE,
)


def schedule_wished(services: Services, text: str) -> DirectAnswer | None:
    """A question that Steward is to put to itself again and again, or to remind of: no model decides."""
    if not MAY_REPEAT.search(text):
        return None
    from desktop.chat.formats.calls import ParsedCall
    from desktop.chat.intent_words import say
    from desktop.chat.receipts import receipt
    from desktop.chat.rules import DirectAnswer
    from desktop.reasons import LANGUAGES
    from desktop.tools.reasons import ToolReason
    from desktop.tools.schedules import ScheduleWish, Scheduling, schedule_in
    from desktop.tools.times import local_now

    wanted = schedule_in(text, local_now())
    if wanted is None:
        return None
    language = wanted.language
    # The program's own sentences are English and German; its receipts are French and Spanish too.
    is_ours = language in LANGUAGES

    def tell(ended: CallResult) -> str:
        return ended.text if is_ours else receipt(ended, language)

    if wanted.refusal is not None:
        refused = wanted.refusal.in_language(language) if is_ours else say("schedule_too_often", language)
        return DirectAnswer(text=refused)
    if wanted.wish is ScheduleWish.ACT:
        reads = ToolReason.SCHEDULE_ONLY_READS.of()
        only_reads = reads.in_language(language) if is_ours else say("schedule_only_reads", language)
        return DirectAnswer(text=only_reads)
    if wanted.wish is ScheduleWish.REMIND:
        call = ParsedCall("set_reminder", {"text": wanted.text, "when": wanted.when})
        return DirectAnswer(call, tell=tell)
    tool = Scheduling(services.reminders).tool()
    # In no model's list: what repeats is read by rule or not at all.
    call = ParsedCall(tool.name, {"question": wanted.text, "when": wanted.when})
    return DirectAnswer(call, tell=tell, tool=tool)


def own_state(services: Services) -> OwnState:
    """What is so of Steward at this moment."""
    from desktop.chat.fixed_answers import OwnState

    settings, network = services.settings.current, services.network
    services.note_departures()
    model = services.engine.status.model_name or settings.model.active
    folder = settings.chat.workspace or str(services.paths.workspace)
    return OwnState(settings, model, folder, network.started.astimezone(), network.traffic)


def fixed_answer(services: Services, text: str, follows_a_call: bool = False) -> FixedAnswer | None:
    """What the host says to a question about Steward, or before the model's answer where there may be a
    danger. After a call "you" is whoever made it, and what a server keeps or may reach its own tools tell."""
    from desktop.chat.message_classes import message_scores, without_courtesy

    message = message_scores(text)
    if not (message.may_have_fixed_answer or message_scores(without_courtesy(text)).may_have_fixed_answer):
        return None
    from desktop.chat.fixed_answers import (
        OF_SERVERS_TOO,
        FixedAnswer,
        country_of_computer,
        fact_asked,
        in_doubt,
        own_answer,
    )

    fact = fact_asked(text, is_doubtful=follows_a_call)
    if fact in OF_SERVERS_TOO and services.settings.current.mcp.servers:
        fact = fact_asked(text, is_doubtful=True)
    if fact is not None:
        return FixedAnswer(own_answer(fact, message.language, own_state(services)))
    line = in_doubt(text, country_of_computer())
    return FixedAnswer(line, is_whole=False) if line is not None else None


def answers_by_rule(services: Services) -> AnswerByRule:
    """What is answered without the model: danger to life first, then wishes that name a check or a schedule,
    then the rules."""
    from desktop.chat.rules import Rules
    from desktop.tools.calculator import Calculator
    from desktop.tools.units import read_units

    rules = Rules(Calculator(read_units(resources() / "units.toml")))

    def answer(text: str) -> DirectAnswer | None:
        emergency = emergency_first(text)
        if emergency is not None:
            return emergency
        return check_wished(services, text) or schedule_wished(services, text) or rules.ruled(text)

    return answer


# Where coding agents keep skills for all projects of a user.
FOLDERS_OF_AGENTS = (".claude/skills", ".codex/skills", ".agents/skills", ".gemini/skills")


@Services.skills.built_by
def build_skills(services: Services) -> Callable[[], SkillLibrary | None]:
    """The user's own skills, and those that coding agents have; None where they are switched off, or there is
    no folder of them: most people have none, and then no question should look for any.
    """
    places = (services.paths.skills, *(Path.home() / folder for folder in FOLDERS_OF_AGENTS))

    @cache
    def library() -> SkillLibrary:
        from desktop.chat.skills import SkillLibrary
        from desktop.memory.text import read_vocabulary

        vocabulary = read_vocabulary(resources() / "memory" / "words.toml")
        return SkillLibrary(places, vocabulary)

    def current() -> SkillLibrary | None:
        is_wanted = services.settings.current.chat.skills and any(map(Path.is_dir, places))
        return library() if is_wanted else None

    return current


@Services.turns.built_by
def build_turns(services: Services) -> Turns:
    return turns_for(services, services.store)


def turns_for(services: Services, store: ChatStore, remembers: bool = True) -> Turns:
    """Turns in `store`, which may be another than the user's history; `remembers`: memory is used."""
    from desktop.app.project_parts import model_chooser
    from desktop.app.request_parts import in_files, read_first, reply_to_remark
    from desktop.chat.tool_mode import Capabilities
    from desktop.chat.turns import Turns, TurnSupport

    uses_tools = services.settings.current.chat.tools

    def elsewhere() -> RemoteAnswers:
        """The room of other servers is loaded by the first chat that one answers."""
        return answers_elsewhere(services, store)

    # A history that ends with the command is remembered nowhere.
    own = store.database is services.database
    memory = services.remembering if own else remembering_for(services, store)
    return Turns(
        store,
        services.engine,
        services.bus,
        lambda: services.settings.current,
        services.acting if uses_tools else None,
        TurnSupport(
            answers_by_rule(services),
            Capabilities(services.paths.capabilities, services.toolbox) if uses_tools else None,
            memory if remembers else None,
            emergency_first,
            services.extensions_on,
            lambda: services.extension_tools() if services.extensions_on() is not None else (),
            services.skills,
            elsewhere,
            lambda context, submit: services.intents(context, submit),  # noqa: PLW0108 - read with the first request that acts
            lambda context, submit: services.excuse_fallback(context, submit),  # noqa: PLW0108 - as above
            lambda context, submit: reply_to_remark(services, context, submit),
            lambda context: in_files(services, context),
            lambda context: read_first(services, context),
            lambda folder: services.project_folders.tools(folder),  # noqa: PLW0108 - built with the first project
            model_chooser(services),
            (lambda: services.chat_folders) if own else None,
            lambda text, follows: fixed_answer(services, text, follows),
            lambda asked: services.purposes.wants_text(asked),  # noqa: PLW0108 - read with the first request that acts
        ),
    )


def answers_elsewhere(services: Services, store: ChatStore) -> RemoteAnswers:
    """What answers the chats of `store` that go to a model server."""
    from desktop.chat.destinations import Destinations
    from desktop.chat.remote_turn import RemoteAnswers

    def ask(leaving: OutgoingText) -> Agreed | None:
        # Looked up when it is asked: the window comes after the first part that knows of it.
        return services.ask_to_send(leaving)

    destinations = Destinations(store.database)
    return RemoteAnswers(services.remote_engines, destinations, services.bus, services.redactor.text, ask)


@Services.proposing.built_by
def build_proposing(services: Services) -> NoteProposals:
    """Proposes notes while nobody does anything; where somebody is there to say yes."""
    from desktop.chat.note_proposals import NoteProposals
    from desktop.engine.events import EngineState
    from desktop.engine.host import on_battery

    engine = services.engine
    prompt = (resources() / "memory" / "propose.txt").read_text(encoding="utf-8")
    return NoteProposals(
        engine,
        services.memory.store,
        prompt,
        services.bus,
        lambda: services.settings.current.memory,
        # No model is loaded for a proposal, and none computes on what the battery has left.
        lambda: engine.status.state is EngineState.READY and not on_battery(),
    )
