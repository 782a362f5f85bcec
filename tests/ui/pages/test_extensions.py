"""The sentence at the top of the page: it promises only what this computer keeps."""

from __future__ import annotations

from typing import NoReturn

import pytest

from desktop.ui.pages import extensions
from desktop.ui.pages.extensions import ExtensionsPage
from tests.ui.pages.conftest import World


def unread() -> NoReturn:
    raise AssertionError("a page that was not shown reads nothing")


@pytest.mark.parametrize("confines", [True, False])
def test_the_page_says_what_holds_an_extension_here(
    world: World, monkeypatch: pytest.MonkeyPatch, confines: bool
) -> None:
    """Where the system has nothing for it, an extension can do all that its user can."""
    monkeypatch.setattr(extensions, "can_confine", lambda: confines)
    page = ExtensionsPage(unread, lambda _name: None, world.relay, world.background)
    world.qtbot.addWidget(page)
    said = page.says.text().replace("\u200b", "")
    assert ("can only ask Steward" in said) == confines
    assert ("nothing confines it" in said) != confines
