"""Services between Steward and other programs: the loopback server, whom it answers and which programs may
ask the model; the tools of agents; servers of other people's tools, and extensions.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.app.services import Services
from desktop.paths import Paths, own_program

if TYPE_CHECKING:
    from desktop.agents.hook_handler import AgentHandler
    from desktop.chat.extension_texts import AnswerRewriter, ExtensionTools
    from desktop.extensions.chain import Chain
    from desktop.extensions.shared_state import RedisState
    from desktop.mcp.selection import ToolSelection
    from desktop.mcp.servers import Servers
    from desktop.mcp.setup import ServerSetup
    from desktop.offload.workers import Worker
    from desktop.reasons import Reason
    from desktop.server.connection import Arrivals
    from desktop.server.held_calls import HeldCalls
    from desktop.server.mcp import AgentServices, Caller
    from desktop.server.openai.programs import ProgramLog, ProgramTokens
    from desktop.server.openai.routes import ApiRoutes
    from desktop.server.server import Server


@Services.servers.built_by
def build_servers(services: Services) -> Servers:
    from desktop.gate.snapshots import Snapshots
    from desktop.mcp.pins import Pins
    from desktop.mcp.servers import ServerParts, Servers

    parts = ServerParts(
        services.paths,
        services.network,
        services.grants,
        Snapshots(services.journal, services.own_folders),
        services.secrets.get,
        lambda: services.workspace.root,
        services.redactor.text,
    )
    pins = Pins(services.paths.served_tools)
    return Servers(lambda: services.settings.current.mcp.servers, parts, pins, services.bus)


@Services.server_setup.built_by
def build_server_setup(services: Services) -> ServerSetup:
    from desktop.mcp.setup import Keyring, ServerSetup

    keyring = Keyring(services.secrets.set, services.secrets.delete)
    return ServerSetup(services.settings, services.servers, keyring)


@Services.served_tools.built_by
def build_served_tools(services: Services) -> ToolSelection:
    from desktop.mcp.selection import ToolSelection

    servers = services.servers
    return ToolSelection(
        servers.offered,
        servers.call,
        services.toolbox.names,
        servers.can_keep,
        lambda: services.workspace.root,
    )


@Services.extensions.built_by
def build_extensions(services: Services) -> Chain:
    from desktop.extensions.chain import Chain
    from desktop.extensions.registry import Registry
    from desktop.extensions.requests import HostServices
    from desktop.extensions.state import StateStore

    def tenant() -> str:
        return services.settings.current.memory.team_group.strip()

    means = HostServices(lambda: services.network, tenant, lambda: services.extension_team)
    return Chain(
        Registry(services.paths.extensions, services.bus),
        StateStore(services.database),
        means,
        lambda: float(services.settings.current.chat.extension_timeout_s),
    )


@Services.extension_team.built_by
def build_extension_team(services: Services) -> RedisState | None:
    from desktop.extensions.shared_state import shared_state
    from desktop.system.secrets import TEAM_CACHE_PASSWORD

    memory = services.settings.current.memory
    return shared_state(
        memory.team_cache.strip(),
        memory.team_group.strip(),
        lambda: services.secrets.get(TEAM_CACHE_PASSWORD),
        services.network,
    )


@Services.extension_tools.built_by
def build_extension_tools(services: Services) -> ExtensionTools:
    from desktop.chat.extension_texts import ExtensionTools

    return ExtensionTools(services.extensions_on)


@Services.extension_texts.built_by
def build_extension_texts(services: Services) -> AnswerRewriter:
    from desktop.chat.extension_texts import AnswerRewriter

    return AnswerRewriter(services.store, services.bus, services.extensions_on)


RECALLED = 5  # notes for one question of an agent


@Services.program_tokens.built_by
def build_program_tokens(services: Services) -> ProgramTokens:
    from desktop.server.openai.programs import ProgramTokens

    return ProgramTokens(services.paths)


@Services.program_log.built_by
def build_program_log(services: Services) -> ProgramLog:
    from desktop.server.openai.programs import ProgramLog

    return ProgramLog(services.paths, services.bus)


@Services.server.built_by
def build_server(services: Services) -> Server:
    from desktop.server.server import RequestHandlers, Server
    from desktop.server.sockets import Endpoint

    def api(calls: HeldCalls, arrivals: Arrivals) -> ApiRoutes:
        # With the first request to it: most runs never get one.
        from desktop.server.openai.embeddings import Embeddings
        from desktop.server.openai.routes import ApiParts, ApiRoutes

        embeddings = Embeddings(
            lambda: any(services.paths.embedding.glob("*.safetensors")),
            lambda: services.embedder,
            lambda: services.settings.current.memory.meaning,
        )
        parts = ApiParts(
            services.engine,
            lambda: services.settings.current,
            services.program_tokens,
            services.program_log,
            services.bus,
            embeddings,
        )
        return ApiRoutes(parts, calls, arrivals)

    endpoint = Endpoint(lambda: services.settings.current.hooks.port, services.paths.hook_socket)
    answering = RequestHandlers(
        services.handler,
        services.commands,
        services.figures,
        api,
        agent_services(services),
        lambda: services.settings.current.hooks.agent_tools,
    )
    return Server(answering, services.tokens, endpoint, services.bus)


def agent_services(services: Services) -> AgentServices:
    """What an agent may have done by MCP. No chats, no settings, nothing that allows anything."""
    from desktop.server.mcp import AgentServices

    def ask(caller: Caller, question: str, options: tuple[str, ...]) -> str | None:
        # Looked up with each question: whoever shows them puts itself there once there is a window.
        return services.ask_for_agent(caller, question, options)

    def notify(agent: str, text: str | Reason) -> None:
        from desktop.agents.events import AgentSaid

        services.bus.publish(AgentSaid(agent, text))

    def remind(agent: str, text: str, when: str) -> str:
        done = services.reminders.set_for_program(agent, text, when)
        notify(agent, done)
        return str(done)

    def build(agent: str, command: str, folder: str) -> str:
        said = build_for_agent(services.handler, services.paths, agent, command, folder)
        services.note_departures()
        return said

    return AgentServices(
        ask,
        recall=partial(_recall, services),
        remember=partial(_remember, services),
        classify=partial(_classify, services),
        notify=notify,
        remind=remind,
        build=build,
        can_build=lambda: services.settings.current.offload.enabled,
    )


def _recall(services: Services, query: str) -> str:
    from desktop.memory.item import Layer, MemoryKind
    from desktop.memory.store import View

    wanted = services.settings.current.memory
    if not wanted.enabled or wanted.paused:
        return "Memory is switched off."
    search = services.memory.search
    # What was said in chats stays there: notes alone, and of no project, whose folder nobody has proven.
    question = search.question(query, View.of(layers=(Layer.USER,)), (MemoryKind.NOTE,))
    notes = [hit.item for hit in search.hits(question, RECALLED) if hit.item.superseded_by is None]
    said = (f"{each.date}: {services.memory.store.without_secrets(each.text)}" for each in notes)
    return "\n".join(said) or "No note fits."


def _remember(services: Services, agent: str, text: str) -> str:
    from desktop.memory.item import MemorySource, MemoryStatus, NewItem

    if not services.settings.current.memory.enabled:
        return "Memory is switched off."
    note = NewItem(text, source=MemorySource.TOOL, status=MemoryStatus.SUGGESTED, origin=agent)
    services.memory.store.add(note)
    return "Proposed. It counts once the user has accepted it on the page Memory."


def _classify(services: Services, command: str) -> str:
    found = services.commands.verdict(command)
    flags = ", ".join(sorted(flag.value for flag in found.flags))
    beside = f" ({flags})" if flags else ""
    return f"{found.effect.name}: {found.reason}{beside}. Nothing is allowed by this."


# -- the tool `build` ------------------------------------------------------------------------------

BUILD_TOOL = "build"
MOST_OUTPUT_CHARACTERS = 30_000  # of each stream; the end says how it went
LONGEST_BUILD_S = 3600.0


def build_for_agent(handler: AgentHandler, paths: Paths, agent: str, command: str, folder: str) -> str:
    """What came of it, in words for the agent. Blocks while the user is asked and while it runs."""
    from desktop.agents.action import HookChoice
    from desktop.offload.history import History
    from desktop.offload.setup import where
    from desktop.offload.workers import WorkerFile
    from desktop.reasons import Reason

    place = Path(folder)
    if not place.is_absolute() or not place.is_dir():
        return f"{folder} is no folder here. Nothing was run."
    workers: tuple[Worker, ...] = WorkerFile(paths).all()
    found = where(command, place, paths, workers)
    if isinstance(found, Reason):
        return f"Not run, because {found}. Run it in your own shell."
    decided = handler.decide_call(agent, BUILD_TOOL, command, place)
    if decided is None:
        return "Only an agent that Steward knows may build. Nothing was run."
    call, outcome = decided
    if outcome.choice is not HookChoice.ALLOW:
        return outcome.says or "It was not allowed. Nothing was run."
    profile = ("--profile", str(paths.profile)) if paths.profile else ()
    job_id = os.urandom(8).hex()
    head = (*own_program(), *profile, "offload", "run", "--id", job_id, "--")
    words = (*head, *shlex.split(command.removesuffix(" 2>&1")))
    try:
        done = subprocess.run(
            words,
            cwd=place,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=LONGEST_BUILD_S,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return "It was stopped after an hour."
    job = History(paths).job(job_id)
    if job is not None and job.worker:
        handler.call_ran(call, job.worker, job.processor_s)
    return f"exit code {done.returncode}\n{_told('stdout', done.stdout)}{_told('stderr', done.stderr)}"


def _told(name: str, text: str) -> str:
    if not text:
        return ""
    cut = "…\n" if len(text) > MOST_OUTPUT_CHARACTERS else ""
    return f"--- {name} ---\n{cut}{text[-MOST_OUTPUT_CHARACTERS:]}"
