"""Servers of other people's tools: built when there are any, or somebody wants to add one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from desktop.app.services import Services

if TYPE_CHECKING:
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
