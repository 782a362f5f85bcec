"""What is kept of a call in a conversation, so that a restart shows it and the model is told it again."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from desktop.tools.calls import Call, Ended, Ending


@dataclass(frozen=True)
class ToolRecord:
    """One call. `ending` is None while it is under way, and after a kill."""

    call_id: str
    name: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    ending: Ending | None = None
    decision: str = ""
    seconds: float = 0.0
    tainted_by: str = ""
    changes: tuple[int, ...] = ()
    hint: str = ""  # what worked when it failed like this before; told to the model with the result
    asking: bool = False  # the user is being asked at this moment; not kept

    @classmethod
    def of(cls, call: Call) -> ToolRecord:
        return cls(call.id, call.name, call.arguments)

    @classmethod
    def ended(cls, ended: Ended) -> ToolRecord:
        call = ended.call
        return cls(
            call.id,
            call.name,
            ended.arguments or call.arguments,
            ended.ending,
            ended.decision,
            ended.seconds,
            ended.tainted_by,
            ended.changes,
        )

    @classmethod
    def read(cls, text: str) -> ToolRecord:
        """The inverse of `as_json`."""
        kept = json.loads(text)
        ending, changes = kept.pop("ending"), tuple(kept.pop("changes", ()))
        return cls(**kept, changes=changes, ending=Ending(ending) if ending else None)

    def as_json(self) -> str:
        kept = {
            "call_id": self.call_id,
            "name": self.name,
            "arguments": dict(self.arguments),
            "ending": self.ending.value if self.ending else "",
            "decision": self.decision,
            "seconds": self.seconds,
            "tainted_by": self.tainted_by,
            "changes": list(self.changes),
            "hint": self.hint,
        }
        return json.dumps(kept, ensure_ascii=False, default=str)

    def with_hint(self, result: str) -> str:
        """The result as the model is told it."""
        return f"{result}\n{self.hint}" if self.hint else result

    @property
    def same_as(self) -> tuple[str, str]:
        """Equal for two calls that would do the same."""
        return self.name, json.dumps(self.arguments, sort_keys=True, ensure_ascii=False, default=str)
