"""Steward's own tokens and keys are secret by place, however they are written."""

from __future__ import annotations

import pytest

from desktop.gate.shell.classifier import Classifier
from desktop.gate.shell.classify import judged
from desktop.gate.shell.tables import Tables
from desktop.gate.verdict import Flag, Gate
from desktop.paths import resources

CLASSIFIER = Classifier(Tables(resources() / "commands"))

SECRET = [
    "cat ~/.config/steward/hook_tokens/claude-code.token",
    "cat ~/.config/steward/hook_tokens/*",
    "cat ~/.config/steward/*/*",
    "cat ~/.config/st*/hook_tokens/c*",
    "cd ~/.config/steward && cat hook_tokens/codex.token",
    "cat ~/.config/steward/agent_tokens.json",
    "grep -r . ~/.config/steward",
    "cat /run/user/1000/steward/api.json",
    "cat /run/user/*/steward/a*.json",
    "cat /run/user/1000/steward/launch_tokens.json",
    "cat ~/.cache/steward/run/api.json",
    "cat /mnt/x/profile/run/api.json",
    "cat profile/config/hook_tokens/codex.token",
    "cat /dev/shm/steward-1000-0123456789abcdef/aa/hook.token",
    "cat /dev/shm/steward-1000-0123456789abcdef/aa/seal.key",
    "cat /dev/shm/steward-*/*/hook.t*",
    "head -c 99 /dev/shm/*/*/seal*",
    'cat "$(dirname $ORCHESTRATOR_SETTINGS)/hook.token"',
    "xxd ~/.local/share/steward/steward.sqlite3",
]
PLAIN = [
    "cat docs/steward.md",
    "cat steward/README.md",
    "grep -rn token desktop/agents/tokens.py",
    "cat src/hook_tokens.py",
    "cat api.json",
    "cat docs/api.json",
    "ls /dev/shm",
]


@pytest.mark.parametrize("command", SECRET)
def test_stewards_own_tokens_are_asked(command: str) -> None:
    """Who has read one can answer for the agent, or for Steward."""
    verdict = judged(CLASSIFIER, command, "bash", "/home/u/p")
    assert verdict.gate is Gate.ASK
    assert Flag.SECRET in verdict.flags


@pytest.mark.parametrize("command", PLAIN)
def test_what_is_only_called_so_is_read(command: str) -> None:
    """Source code and documents speak of tokens, too."""
    assert judged(CLASSIFIER, command, "bash", "/home/u/p").gate is Gate.ALLOW
