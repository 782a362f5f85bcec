"""The one place where it is decided whether something may happen.

    never > denied by a rule > granted > read without flags > ask

Nothing here asks, runs or looks at the disk: `decide` is a function of the action and of what is known.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from desktop.gate.verdict import Effect, Flag, Gate, gate_for


@dataclass(frozen=True)
class Action:
    """What is about to happen. `what` is its object: resolved paths, the whole command, the note.

    `own_notes`: it changes nothing but what Steward keeps for the user and the user sees.
    """

    tool: str
    effect: Effect
    flags: frozenset[Flag] = frozenset()
    what: str = ""
    own_notes: bool = False


@dataclass(frozen=True)
class Rule:
    """A kind of action that is never done, whatever was granted; an empty field matches all."""

    reason: str
    tool: str = ""
    contains: str = ""

    def applies(self, action: Action) -> bool:
        return self.tool in ("", action.tool) and self.contains in action.what


@dataclass(frozen=True)
class Context:
    """What is known beside the action.

    `granted` tells why a grant covers it, or "". `tainted_by` names the source of untrusted text that the
    model has read in this conversation, or is "".
    """

    auto_allow_read: bool = True
    require_confirmation_cud: bool = True
    dangerously_skip_permissions: bool = False
    deny: tuple[Rule, ...] = ()
    granted: Callable[[Action], str] = lambda _action: ""
    tainted_by: str = ""


@dataclass(frozen=True)
class Decision:
    """The answer, with its reason in words for the dialog, the card and the log."""

    gate: Gate
    reason: str


def decide(action: Action, context: Context) -> Decision:
    """May this happen? Never raises for any action."""
    for rule in context.deny:
        if rule.applies(action):
            return Decision(Gate.DENY, rule.reason)
    if context.dangerously_skip_permissions:
        return Decision(Gate.ALLOW, "all questions are switched off in the settings")
    if action.own_notes:
        return Decision(Gate.ALLOW, "it only adds to your notes")
    if gate_for(action.effect, action.flags) is Gate.ALLOW and Flag.OUTSIDE not in action.flags:
        if context.auto_allow_read:
            return Decision(Gate.ALLOW, "it only reads, inside the folders you have opened")
        return Decision(Gate.ASK, "the settings say that reading asks too")
    if context.tainted_by:
        return Decision(Gate.ASK, f"the conversation holds text from {context.tainted_by}")
    granted = context.granted(action)
    if granted:
        return Decision(Gate.ALLOW, granted)
    if not context.require_confirmation_cud and _is_plain_change(action):
        return Decision(Gate.ALLOW, "the settings allow changes inside the workspace without asking")
    return Decision(Gate.ASK, _why_ask(action))


def _is_plain_change(action: Action) -> bool:
    return action.effect in (Effect.CREATE, Effect.UPDATE) and not action.flags


def _why_ask(action: Action) -> str:
    if action.effect is Effect.READ:
        return "it reads outside the folders you have opened" if Flag.OUTSIDE in action.flags else "it reads"
    words = {
        Effect.CREATE: "it makes something new",
        Effect.UPDATE: "it changes something",
        Effect.DELETE: "it deletes something",
        Effect.UNKNOWN: "what it does cannot be read off its text",
    }
    return words[action.effect]
