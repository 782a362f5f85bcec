"""The plugin for OpenCode: the file of resources/agents with the words that start the hook client in it."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any

from desktop.agents.install_entries import HOLDS_S, Door
from desktop.paths import resources

_PLACE = "__STEWARD__"
_FACTS = re.compile(r"^const STEWARD = (\{.*\})$", re.MULTILINE)


def written(door: Door) -> str:
    """The plugin's text."""
    words = [word for word in door.words() if word != "--fail-closed"]
    facts = {"client": [*words, "--fail-closed"], "holds_s": HOLDS_S}
    template = (resources() / "agents" / "opencode.js").read_text(encoding="utf-8")
    return template.replace(_PLACE, json.dumps(facts))


def read(text: str) -> tuple[Mapping[str, Any], ...]:
    """What stands in a plugin of ours: the client's words, or the address of an older one; else nothing."""
    found = _FACTS.search(text)
    if found is None:
        return ()
    try:
        facts = json.loads(found.group(1))
        if "url" in facts:
            return ({"url": str(facts["url"])},)
        return ({"command": shlex.join(str(word) for word in facts["client"])},)
    except (ValueError, KeyError, TypeError):
        return ()
