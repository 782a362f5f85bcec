"""The official conformance suite against our client, where its package is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SUITE = os.environ.get("STEWARD_MCP_CONFORMANCE", "")  # its `dist/index.js`
COMMAND = f"{sys.executable} -m tests.mcp.conformance_client"


@pytest.mark.slow
@pytest.mark.skipif(not SUITE, reason="STEWARD_MCP_CONFORMANCE does not name the suite's dist/index.js")
@pytest.mark.parametrize("scenario", ["initialize", "tools_call", "sse-retry"])
def test_the_client_passes_the_scenarios_it_takes_part_in(scenario: str, tmp_path: Path) -> None:
    """Not the others: no answers to questions of servers, no sign-in by browser."""
    node = shutil.which("node")
    assert node is not None
    words = [node, SUITE, "client", "--scenario", scenario, "--command", COMMAND, "-o", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False, env=environment)
    assert done.returncode == 0, done.stdout[-2000:]
    assert "0 failed" in done.stdout + done.stderr
