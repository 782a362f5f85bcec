"""The functions of the confined child, run in the test's own process: for tables about what they say, where a
process for each row would cost minutes. Whether the child holds is tested where it is a child."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from desktop.sandbox.parser import ParseFailed, ParseFailure, Parser, ParseRefused


@pytest.fixture
def parsed_in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on no parser of this test starts a child."""

    def parse(_self: Parser, function: str, source: Path, options: dict[str, Any], *_: Any, **__: Any) -> Any:
        module, _, name = function.partition(":")
        try:
            return getattr(importlib.import_module(module), name)(source, **options)
        except ParseRefused as refusal:
            raise ParseFailed(ParseFailure.REFUSED, str(refusal)) from refusal

    monkeypatch.setattr(Parser, "parse", parse)
