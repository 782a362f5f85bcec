"""Services of the loopback server: whom it answers, and the programs that may ask the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
    from desktop.server.connection import Arrivals
    from desktop.server.held_calls import HeldCalls
    from desktop.server.openai.programs import ProgramLog, ProgramTokens
    from desktop.server.openai.routes import ApiRoutes
    from desktop.server.server import Server


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
    from desktop.server.server import Answering, Server
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
    answering = Answering(services.handler, services.commands, services.figures, api)
    return Server(answering, services.tokens, endpoint, services.bus)
