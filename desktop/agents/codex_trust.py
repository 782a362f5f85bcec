"""Codex passes over hooks until the user trusts each one by its hash. For a launched run that trust is given
in the words of the run itself, for our hooks alone: Codex is asked for their hashes, and told them.
"""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Mapping
from typing import Any

from desktop.agents.install_entries import Entry
from desktop.errors import UserFacing

PATIENCE_S = 20.0
SOURCE = "sessionFlags"  # hooks of the command line, as `hooks/list` calls them


def trusted_words(
    program: str, entries: tuple[Entry, ...], environment: Mapping[str, str]
) -> tuple[str, ...]:
    """The words that give Codex these hooks for one run, trusted. Starts Codex once; raises UserFacing."""
    words = [word for path, entry in entries for word in ("-c", f"{'.'.join(path)}=[{toml(entry)}]")]
    listed = _listed(program, words, environment)
    trust = {str(hook["key"]): {"trusted_hash": str(hook["currentHash"])} for hook in listed}
    if len(trust) != len(entries):
        raise _not_taken(f"it lists {len(trust)} of {len(entries)} hooks")
    return (*words, "-c", f"hooks.state={toml(trust)}")


def toml(value: Any) -> str:
    """A value in one line, as `-c` takes it. A JSON string is a TOML string, once DEL is escaped."""
    if isinstance(value, Mapping):
        return "{" + ",".join(f"{toml(str(name))}={toml(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(toml, value)) + "]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _listed(program: str, words: list[str], environment: Mapping[str, str]) -> list[Mapping[str, Any]]:
    """What Codex made of the words, from `hooks/list` of its app server."""
    asked: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": {"clientInfo": {"name": "steward", "version": "1"}}},
        {"method": "initialized"},
        {"id": 2, "method": "hooks/list", "params": {}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in asked)
    try:
        with subprocess.Popen(
            [program, *words, "app-server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=dict(environment),
        ) as server:
            return _answer(server, lines)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise _not_taken(str(error)) from error


def _answer(server: subprocess.Popen[str], lines: str) -> list[Mapping[str, Any]]:
    """Ends the server, which would go on for ever, whatever comes."""
    assert server.stdin is not None
    assert server.stdout is not None
    patience = threading.Timer(PATIENCE_S, server.kill)
    patience.start()
    try:
        server.stdin.write(lines)
        server.stdin.flush()
        for line in server.stdout:
            told = json.loads(line)
            if told.get("id") == 2:
                return [
                    hook
                    for each in told["result"]["data"]
                    for hook in each["hooks"]
                    if hook["source"] == SOURCE
                ]
        raise ValueError("it ended without an answer")
    finally:
        patience.cancel()
        server.kill()


def _not_taken(why: str) -> UserFacing:
    return UserFacing(
        f"Codex did not take the hooks of this run: {why}.",
        "Nothing was started, and its settings are untouched.",
        "Try the newest Codex, or use: steward agents install codex",
        code="not-taken",
    )
