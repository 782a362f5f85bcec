"""The official conformance suite against Steward as an MCP server, where its package is installed."""

from __future__ import annotations

import http.client
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.server.test_mcp import Door, door

__all__ = ["door"]

SUITE = os.environ.get("STEWARD_MCP_CONFORMANCE", "")  # its `dist/index.js`
# The others want resources, prompts, completions, logs, pictures and questions to the client, none of which
# an agent gets here, and tools of the suite's own that this server does not have.
TAKEN_PART_IN = ("server-initialize", "ping", "tools-list")


@contextmanager
def signed_in(door: Door) -> Iterator[str]:
    """The suite knows no tokens: an address that passes everything on, and adds one."""
    port = door.client.base_url.port
    assert port is not None

    class Passing(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            line = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
            try:
                line.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
                for name, value in self.headers.items():
                    if name.lower() not in ("connection", "host"):
                        line.putheader(name, value)
                line.putheader("Host", f"127.0.0.1:{port}")
                line.putheader("Authorization", f"Bearer {door.token}")
                line.endheaders(body)
                answer = line.getresponse()
                said = answer.read()
                self.send_response(answer.status)
                self.send_header("Content-Type", answer.headers.get("Content-Type", "text/plain"))
                self.send_header("Content-Length", str(len(said)))
                self.end_headers()
                self.wfile.write(said)
            finally:
                line.close()

        do_GET = do_DELETE = do_POST  # noqa: N815 - the names that the library calls

        def log_message(self, *_about: object) -> None:
            """Quiet: the suite says what it asked."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Passing) as passing:
        passing.daemon_threads = True
        thread = threading.Thread(target=passing.serve_forever, args=(0.02,))
        thread.start()
        yield f"http://localhost:{passing.server_port}/mcp"
        passing.shutdown()
        thread.join()


@pytest.mark.slow
@pytest.mark.skipif(not SUITE, reason="STEWARD_MCP_CONFORMANCE does not name the suite's dist/index.js")
@pytest.mark.parametrize("scenario", TAKEN_PART_IN)
def test_the_server_passes_the_scenarios_it_takes_part_in(door: Door, scenario: str, tmp_path: Path) -> None:
    """Its handshake and its list of tools. `dns-rebinding-protection` wants pages of this computer let in;
    none is (tests/server/test_auth.py)."""
    node = shutil.which("node")
    assert node is not None
    with signed_in(door) as url:
        words = [node, SUITE, "server", "--url", url, "--scenario", scenario, "-o", str(tmp_path)]
        done = subprocess.run(words, capture_output=True, text=True, timeout=100, check=False)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said[-3000:]
    assert "0 failed" in said
