"""The plugin for OpenCode: the file of resources/agents with the address and the token in it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from desktop.agents.install_entries import HOLDS_S, SPARE_S, Door
from desktop.paths import resources

_PLACE = "__STEWARD__"
_FACTS = re.compile(r"^const STEWARD = (\{.*\})$", re.MULTILINE)


def written(door: Door) -> str:
    """The plugin's text."""
    facts = {"url": door.url, "token": door.token, "holds_s": HOLDS_S - SPARE_S}
    template = (resources() / "agents" / "opencode.js").read_text(encoding="utf-8")
    return template.replace(_PLACE, json.dumps(facts))


def read(text: str) -> tuple[Mapping[str, Any], ...]:
    """What stands in a plugin of ours, as a hook that posts; nothing for another file."""
    found = _FACTS.search(text)
    if found is None:
        return ()
    try:
        facts = json.loads(found.group(1))
        return ({"url": facts["url"], "headers": {"Authorization": f"Bearer {facts['token']}"}},)
    except (ValueError, KeyError, TypeError):
        return ()
