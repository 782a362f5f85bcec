"""Makes the call that a known fix proposes, when the user presses its button."""

from __future__ import annotations

from desktop.chat.acting import Acting, Steps
from desktop.chat.answering import Desk, Running
from desktop.chat.calling import Calling
from desktop.chat.formats.found import Found
from desktop.errors import UserFacing
from desktop.memory.hindsight.hindsight import SuggestedFix
from desktop.tools.calls import Ended


def run_fix(
    desk: Desk, acting: Acting | None, conversation_id: int, fix: SuggestedFix, running: Running
) -> Ended:
    """Through the same executor and gate as any call, with a card of its own, counted as tried and, where it
    worked, as a success. Blocks; on a pool thread. Raises UserFacing where tools are off.
    """
    if acting is None:
        raise _no_tools()
    if acting.lessons is not None:
        acting.lessons.applied(conversation_id, fix.fix_id)
    calling = Calling(desk.store, desk.bus, desk.history, acting)
    call = Found(fix.tool, dict(fix.arguments))
    (ended,) = calling.run([call], conversation_id, Steps(limit=1), running.tools)
    return ended


def _no_tools() -> UserFacing:
    return UserFacing(
        "Tools are switched off, so this was not tried.",
        "Nothing was changed.",
        "Switch them on in the settings, then try again.",
        code="no-tools",
    )
