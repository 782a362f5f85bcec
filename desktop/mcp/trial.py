"""One call of one tool by hand, from the page or the terminal: through the executor and the gate as any
other."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping
from typing import Any

from desktop.errors import UserFacing
from desktop.mcp.as_tool import as_tool
from desktop.mcp.reasons import McpReason
from desktop.mcp.servers import Servers
from desktop.tools.calls import Call, CallResult
from desktop.tools.executor import Executor
from desktop.tools.tool import Toolbox


def run_tool(servers: Servers, executor: Executor, server: str, tool: str, arguments: str) -> CallResult:
    """What came of it. `arguments` is a JSON object as text; nothing: none. Blocks. Raises UserFacing
    where the tool may not be called, or the arguments are none."""
    given = _object(arguments)
    if not servers.pins.is_known(server):
        servers.look(server)
    served = servers.served(server, tool)
    made = as_tool(tool, served, servers.call, can_keep=lambda: servers.can_keep(served.access))
    return executor.run(Call(secrets.token_hex(6), tool, given), Toolbox((made,)))


def _object(text: str) -> Mapping[str, Any]:
    try:
        given = json.loads(text or "{}")
    except (ValueError, RecursionError) as error:
        raise UserFacing(McpReason.ARGUMENTS_UNREADABLE.of(why=str(error))) from error
    if not isinstance(given, dict):
        raise UserFacing(McpReason.ARGUMENTS_UNREADABLE.of(why="no object"))
    return given
