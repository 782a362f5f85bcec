"""What others add: servers of tools, and extensions with their chain, tools, and what they make of texts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
    from desktop.chat.extension_texts import AnswerRewriter
    from desktop.chat.extension_tools import ExtensionTools
    from desktop.extensions.chain import Chain
    from desktop.extensions.shared_state import RedisState
    from desktop.mcp.selection import ToolSelection
    from desktop.mcp.servers import Servers
    from desktop.mcp.setup import ServerSetup


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
    from desktop.extensions.state import StateStore
    from desktop.extensions.wishes import Means

    def tenant() -> str:
        return services.settings.current.memory.team_group.strip()

    means = Means(lambda: services.network, tenant, lambda: services.extension_team)
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
    from desktop.chat.extension_tools import ExtensionTools

    return ExtensionTools(services.extensions_on)


@Services.extension_texts.built_by
def build_extension_texts(services: Services) -> AnswerRewriter:
    from desktop.chat.extension_texts import AnswerRewriter

    return AnswerRewriter(services.store, services.bus, services.extensions_on)
