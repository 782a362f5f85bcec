"""What the hook client does by itself where Steward does not answer: the lines behind the token in its file.

Steward may be ended, killed or stuck, and then an agent falls back to its own prompt. Where it has none, in a
mode that asks nobody, the client must ask or refuse instead. It knows no agent; these lines tell it:

    else WHAT           Steward is not there: silence, ask or refuse
    lost WHAT           Steward was there and then no answer came, or it does not know the token
    ask JSON            what makes this agent ask
    refuse-in MODE…     sessions that would run it unasked, by their permission_mode
    ask-in MODE…        sessions in which silence would run some of it
    reads TOOL…         tools for which silence does while Steward is not there
"""

from __future__ import annotations

from dataclasses import dataclass

from desktop.agents import copilot_cli, cursor, gemini_cli
from desktop.agents.action import Action, Choice, Kind, Moment, Ruling
from desktop.agents.adapters import adapter
from desktop.agents.tool_forms import Tools

WHY = "Steward did not answer, so this is left to you."


@dataclass(frozen=True)
class Unanswered:
    """One agent. `tools` where it does not say in which mode it runs, so that only reading may be silent."""

    otherwise: str = "silence"
    lost: str = "refuse"
    refuse_in: tuple[str, ...] = ()
    ask_in: tuple[str, ...] = ()
    tools: Tools | None = None


RULES = {
    "claude-code": Unanswered(lost="ask", refuse_in=("bypassPermissions",), ask_in=("acceptEdits", "auto")),
    "codex": Unanswered(refuse_in=("bypassPermissions",)),
    "gemini-cli": Unanswered("ask", "ask", tools=gemini_cli.TOOLS),
    "copilot-cli": Unanswered("ask", "ask", tools=copilot_cli.TOOLS),
    # Its preToolUse passes over an ask; where a question was open already, only a refusal holds.
    "cursor": Unanswered("ask", "refuse", tools=cursor.TOOLS),
    # Its plugin runs nothing without an answer.
    "opencode": Unanswered("refuse", "refuse"),
}


def token_file(agent: str, token: str) -> str:
    """The text of the file that an agent's hooks name: its token, and what to do without an answer."""
    rules = RULES.get(agent, Unanswered())
    lines = [token, f"else {rules.otherwise}", f"lost {rules.lost}"]
    if "ask" in (rules.otherwise, rules.lost):
        lines.append(f"ask {_ask(agent)}")
    if rules.refuse_in:
        lines.append(f"refuse-in {' '.join(rules.refuse_in)}")
    if rules.ask_in:
        lines.append(f"ask-in {' '.join(rules.ask_in)}")
    if rules.tools is not None:
        lines.append(f"reads {' '.join(_reading(rules.tools))}")
    return "\n".join(lines) + "\n"


def _ask(agent: str) -> str:
    """In the agent's own form, one line."""
    known = adapter(agent)
    assert known is not None
    action = Action(agent, Moment.BEFORE, mode="beforeShellExecution")
    return known.reply(action, Ruling(Choice.ASK, WHY)).body.decode()


def _reading(tools: Tools) -> list[str]:
    """What looks at files of this computer, and what only steers the agent."""
    looks = [name for name, form in tools.forms.items() if form.kind is Kind.READ]
    return sorted({*looks, *tools.quiet})
