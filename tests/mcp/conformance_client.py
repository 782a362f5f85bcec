"""Steward's client as the official conformance suite starts it: the address of the suite's server is the
last word.

    npx @modelcontextprotocol/conformance client --scenario tools_call \
        --command "python -m tests.mcp.conformance_client"
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from desktop.app import build_core
from desktop.mcp.client import McpClient
from desktop.mcp.http import HttpTransport
from desktop.paths import Paths


def main(url: str) -> None:
    with tempfile.TemporaryDirectory() as place:
        core = build_core(Paths.under(Path(place)))
        client = McpClient("suite", lambda inbox: HttpTransport("suite", core.network, url, {}, inbox), print)
        client.open(20)
        for tool in client.tools(20).tools:
            names = tool.get("inputSchema", {}).get("properties", {})
            client.call(str(tool["name"]), dict.fromkeys(names, 3), 20)
        client.close()
        core.close()


if __name__ == "__main__":
    main(sys.argv[-1])
