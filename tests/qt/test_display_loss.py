"""What happens between Qt's word that the display is gone and the end of the process."""

from __future__ import annotations

import pytest

from desktop.qt.display_loss import STATUS, DisplayLoss

X11 = "The X11 connection broke: I/O error (code 1)"
WAYLAND = "The Wayland connection experienced a fatal error: Broken pipe"
OLDER_WAYLAND = "The Wayland connection broke. Did the Wayland compositor die?"


@pytest.mark.parametrize("text", [X11, WAYLAND, OLDER_WAYLAND])
def test_what_is_to_be_kept_is_kept_before_the_end(text: str) -> None:
    """Once, also when closing the windows brings the same warning again."""
    done: list[object] = []
    loss = DisplayLoss(done.append)
    loss.keep_by(lambda: done.append(loss.hear(text)))
    assert loss.hear(text)
    assert done == [True, STATUS]


def test_what_refuses_does_not_hold_up_the_end() -> None:
    """The loop refuses to be closed while it runs: the process ends all the same."""
    ended: list[int] = []
    loss = DisplayLoss(ended.append)

    def refuse() -> None:
        raise RuntimeError("Cannot close a running event loop")

    loss.keep_by(refuse)
    loss.hear(X11)
    assert ended == [STATUS]


def test_other_messages_end_nothing() -> None:
    """Qt warns of much that is no reason to go."""
    loss = DisplayLoss(lambda _status: pytest.fail("the process was ended"))
    assert not loss.hear("QXcbConnection: XCB error: 3 (BadWindow)")
