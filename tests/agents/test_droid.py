"""Droid: its hooks and answers, its settings; from its documents alone."""

from __future__ import annotations

from typing import Any

from tests.agents.agent_cases import ASKS, REFUSED, RUNS, AgentCases, named

TOUCH = {"hook_event_name": "PreToolUse", "tool_name": "Execute", "tool_input": {"command": "touch x"}}
OTHERS = """{
  "PreToolUse": [
    {"matcher": "Execute", "hooks": [{"type": "command", "command": "/home/ada/guard.sh", "timeout": 5}]}
  ]
}
"""


def sent(tool: str, arguments: dict[str, Any], event: str = "PreToolUse", **more: str) -> dict[str, Any]:
    """As the reference has it."""
    return {
        "session_id": "abc123",
        "transcript_path": "/home/ada/.factory/projects/p/1.jsonl",
        "cwd": "/home/ada/p",
        "permission_mode": "default",
        "hook_event_name": event,
        "tool_name": tool,
        "tool_input": arguments,
        **more,
    }


def said(decision: str, reason: str) -> dict[str, Any]:
    specific = {
        "hookEventName": "PreToolUse",
        "permissionDecision": decision,
        "permissionDecisionReason": reason,
    }
    return {"hookSpecificOutput": specific}


LISTS = {
    "case": "a command that only reads is allowed",
    "body": sent("Execute", {"command": "ls", "riskLevel": "low"}),
    "read": {
        "moment": "before",
        "kind": "command",
        "command": "ls",
        "folder": "/home/ada/p",
        "session": "abc123",
        "unguarded": False,
    },
    "response": {"choice": "allow", "reason": "it only reads"},
    "out": said("allow", "it only reads"),
    "unanswered": "ask",
}
CASES = AgentCases(
    agent="droid",
    source="the vendor's hooks guide and reference, 2026; not tried",
    exchanges=(
        LISTS,
        {
            **LISTS,
            "case": "denied",
            "response": {"choice": "deny", "reason": "no"},
            "out": said("deny", "no"),
        },
        {
            **LISTS,
            "case": "left to its own prompt",
            "response": {"choice": "ask", "reason": "you decide"},
            "out": said("ask", "you decide"),
        },
        {**LISTS, "case": "no opinion is silence", "response": {"choice": "no opinion"}, "out": None},
        {
            **LISTS,
            "case": "an allow of another command is none",
            "response": {"choice": "allow", "reason": "confined", "command": "box ls"},
            "out": said("ask", "confined"),
        },
        {
            "case": "where nobody is asked, no answer is a no",
            "body": sent("Execute", {"command": "make"}, permission_mode="bypassPermissions"),
            "read": {"kind": "command", "unguarded": True, "mode": "bypassPermissions"},
            "response": {"choice": "deny", "reason": "no"},
            "out": said("deny", "no"),
            "unanswered": "deny",
        },
        {
            "case": "a new file",
            "body": sent("Create", {"file_path": "/home/ada/p/a.txt", "content": "x"}),
            "read": {"kind": "write", "path": "/home/ada/p/a.txt"},
            "response": {"choice": "allow", "reason": "you said so"},
            "out": said("allow", "you said so"),
        },
        {
            "case": "a page",
            "body": sent("FetchUrl", {"url": "https://example.org/"}),
            "read": {"kind": "fetch", "url": "https://example.org/"},
            "response": {"choice": "ask", "reason": ""},
            "out": said("ask", ""),
        },
        {
            "case": "a tool of a server",
            "body": sent("mcp__github__create_issue", {"title": "x"}),
            "read": {"kind": "mcp", "tool": "mcp__github__create_issue"},
            "response": {"choice": "deny", "reason": "no"},
            "out": said("deny", "no"),
        },
        {
            "case": "what worked the last time goes beside the result",
            "body": sent("Execute", {"command": "make"}, "PostToolUse"),
            "read": {"moment": "after"},
            "response": {"choice": "no opinion", "context": "remember"},
            "out": {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "remember"}},
        },
    ),
    hook=lambda tool: named("PreToolUse", tool),
    file="home/.factory/hooks.json",
    settings=(OTHERS, "{}", ""),
    asked=("ExitSpecMode", "KillProcess"),
    passes=("AskUser", "Task", "TodoWrite"),
    without_answer=(
        ({**TOUCH, "permission_mode": "default"}, ASKS, ASKS),
        ({**TOUCH, "permission_mode": "bypassPermissions"}, REFUSED, REFUSED),
        ({**TOUCH, "tool_name": "Read"}, RUNS, ASKS),
    ),
)
