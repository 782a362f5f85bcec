"""`dev.py bench calls`: does the model call the right tool, and none where none is needed?

    dev.py bench calls --cases FILE --out PREDICTIONS [--model NAME] [--limit N] [--every N] [--minutes N]
                 [--curve]

FILE has one case a line as JSON (`id`, `messages`, `tools`, `expect`), or is `built-in` or `fresh` for the
cases of `built_in_cases.txt` and `fresh_cases.txt` over Steward's own tools. Each case goes through the own
decision of the loop, with the tools of the case; nothing is run. A line of PREDICTIONS has the calls, the
seconds, and how sure the decision was. Cases that PREDICTIONS has already are not asked again, so that a run
that --minutes has ended goes on with the next. With --curve every call is written out, however unsure, and in
the end a table says what each threshold would have given, and what a five-fold cross-validation chooses.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from desktop.app import Services, build_core
from desktop.chat.tool_choice import ChoiceOptions, ToolChooser, own_hints
from desktop.chat.tool_mode import ToolMode, ToolProfile
from desktop.cli.chat import running_engine
from desktop.engine.requests import GenerateRequest, Message, Sampling
from desktop.gate.verdict import Effect
from desktop.paths import Paths
from desktop.tools.arguments import WrongArguments, repaired
from desktop.tools.tool import Parameter, ParameterType, Tool, Toolbox
from tests.bench.call_curve import rates, seen_of, table

HERE = Path(__file__).parent
OWN = {"built-in": "built_in_cases.txt", "fresh": "fresh_cases.txt"}
ANY = -1000.0  # a threshold that lets every call be written
_WORDS = {
    "dict": ParameterType.OBJECT,
    "object": ParameterType.OBJECT,
    "float": ParameterType.NUMBER,
    "number": ParameterType.NUMBER,
}
_WORDS |= {
    "integer": ParameterType.INTEGER,
    "int": ParameterType.INTEGER,
    "boolean": ParameterType.BOOLEAN,
    "bool": ParameterType.BOOLEAN,
}
_WORDS |= {"array": ParameterType.ARRAY, "list": ParameterType.ARRAY, "tuple": ParameterType.ARRAY}


@dataclass(frozen=True)
class Case:
    id: str
    messages: tuple[Message, ...]
    toolbox: Toolbox
    record: Mapping[str, Any]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", required=True)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--model")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--every", type=int, default=1, help="every Nth case")
    parser.add_argument("--profile", type=Path)
    parser.add_argument("--threshold", type=float)
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--minutes", type=float, default=0.0, help="0: to the end")
    options = parser.parse_args(words)
    core = build_core(Paths.under(options.profile) if options.profile else Paths.default())
    threshold = ANY if options.curve else options.threshold
    cases = list(cases_of(options.cases, core.toolbox))[:: options.every][: options.limit]
    known = predicted_before(options.out)
    begun = time.perf_counter()
    with running_engine(core, options.model), options.out.open("a", encoding="utf-8") as out:
        for case in (each for each in cases if each.id not in known):
            if 0 < options.minutes <= (time.perf_counter() - begun) / 60:
                break
            known[case.id] = predict(core, case, threshold)
            out.write(json.dumps(known[case.id], ensure_ascii=False) + "\n")
            out.flush()
    core.close()
    seen = [seen_of(case.record, known[case.id]) for case in cases if case.id in known]
    right, alone, called = rates(seen, ANY)
    sys.stdout.write(
        f"{len(seen)} of {len(cases)} cases, {(time.perf_counter() - begun) / 60:.1f} minutes now\n"
    )
    sys.stdout.write(f"right {right:.3f} (called {called:.3f}), left alone {alone:.3f}\n")
    if options.curve:
        sys.stdout.write(table(seen))
    return 0


def predicted_before(out: Path) -> dict[str, dict[str, Any]]:
    """What an earlier run has written, by the id of the case."""
    lines = out.read_text(encoding="utf-8").splitlines() if out.exists() else []
    return {each["id"]: each for each in map(json.loads, lines)}


def predict(core: Services, case: Case, threshold: float | None = None) -> dict[str, Any]:
    """What the loop would do first."""
    assert core.engine.model is not None
    facts = core.engine.model.facts
    own = case.toolbox is core.toolbox
    native = ToolProfile.of(facts, ToolMode.NATIVE)
    manner = native if native.family.native else ToolProfile.of(facts, ToolMode.COMPACT)
    messages = case.messages
    given = ""
    if messages[0].role == "system":
        given, messages = messages[0].content, messages[1:]
    base = GenerateRequest(
        "bench",
        (Message("system", manner.instructions(case.toolbox, given)), *messages),
        Sampling(temperature=0, max_tokens=512),
        tools=manner.schemas(case.toolbox, all_of_it=not own),
    )
    decider = ToolChooser(
        core.engine.submit, manner.family, own_hints() if own else None, ChoiceOptions(threshold)
    )
    begun = time.perf_counter()
    decided = decider.decide(base, case.toolbox, messages[-1].content)
    calls = []
    if decided.call is not None:
        tool = case.toolbox.get(decided.call.name)
        assert tool is not None
        try:
            calls = [{"name": tool.name, "arguments": repaired(tool.parameters, decided.call.arguments)}]
        except WrongArguments as error:
            sys.stderr.write(f"{case.id}: {error}\n")
    return {
        "id": case.id,
        "calls": calls,
        "seconds": round(time.perf_counter() - begun, 3),
        "tool": decided.tool,
        "preference": round(decided.preference, 3),
        "why": decided.why,
    }


def cases_of(name: str, built_in: Toolbox) -> Iterator[Case]:
    if name in OWN:
        for record in own_records(OWN[name]):
            if any(truth not in built_in.names for each in record["ground_truth"] for truth in each):
                continue  # a tool that is not there on this computer
            message = Message("user", record["messages"][0]["content"])
            yield Case(record["id"], (message,), built_in, record)
        return
    for line in Path(name).read_text(encoding="utf-8").splitlines():
        if line.strip():
            record = json.loads(line)
            messages = tuple(Message(each["role"], each["content"]) for each in record["messages"])
            yield Case(record["id"], messages, Toolbox([tool_of(each) for each in record["tools"]]), record)


def own_records(name: str) -> Iterator[dict[str, Any]]:
    """The cases of a file beside this one, in the form of the scorer."""
    lines = (HERE / name).read_text(encoding="utf-8").splitlines()
    for number, line in enumerate(each for each in lines if each and not each.startswith("#")):
        wanted, _, request = (part.strip() for part in line.partition("|"))
        name, *pairs = _words(wanted)
        truth: dict[str, list[Any]] = {}
        for key, _, value in (pair.partition("=") for pair in pairs):
            truth[key] = value.split("~")
        if name == "read_file":
            truth["offset"] = ["", 0]
        yield {
            "id": f"{name.removesuffix('_cases.txt')}_{number}",
            "source": "own/calls" if name != "-" else "own/none",
            "messages": [{"role": "user", "content": request}],
            "expect": "call" if name != "-" else "no_call",
            "ground_truth": [{name: truth}] if name != "-" else [],
        }


def _words(wanted: str) -> list[str]:
    """Split at spaces that come before the next `key=`; values may have spaces of their own."""
    return re.split(r"\s+(?=\w+=)", wanted)


def tool_of(record: Mapping[str, Any]) -> Tool:
    """A tool of a case, which is never run."""
    schema = record.get("parameters") or {"type": "object", "properties": {}}
    required = set(schema.get("required", ()))
    found = [_parameter(name, each, name in required) for name, each in schema.get("properties", {}).items()]
    in_order = (*(each for each in found if each.required), *(each for each in found if not each.required))
    return Tool(record["name"], record["description"], in_order, _never, Effect.UNKNOWN, shown_schema=schema)


def _parameter(name: str, schema: Mapping[str, Any], required: bool) -> Parameter:
    kind = _WORDS.get(str(schema.get("type", "string")).lower(), ParameterType.STRING)
    items = schema.get("items") or {}
    item_kind = _WORDS.get(str(items.get("type", "")).lower(), ParameterType.STRING) if items else None
    if item_kind in (ParameterType.OBJECT, ParameterType.ARRAY):
        item_kind = None
    described = str(schema.get("description") or "")
    return Parameter(name, kind, required, described, tuple(schema.get("enum") or ()), items=item_kind)


def _never(**_arguments: Any) -> str:
    raise AssertionError("a bench runs no tool")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
