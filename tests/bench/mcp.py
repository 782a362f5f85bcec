"""`dev.py bench mcp`: what servers of tools cost, and whether the model finds the right one among 51.

    dev.py bench mcp --servers FOLDER [--model NAME] [--set SET] [--kept FILE] [--minutes N] [--requests-only]

FOLDER holds the six servers as their packages install them: `node_modules/.bin` (filesystem, everything,
memory) and `py/bin` (git, fetch, time). Measured are the tokens of their tools in the prompt against their
full schemas, the time of a call beside that of the server, what five servers that are set up cost while
nobody calls them, and, with --model, right function and arguments over the requests of `mcp_cases.txt`,
or of another set, Steward's own tools beside. With --kept a run that was cut short goes on where it
ended: the file holds one line for each request that was asked; --requests-only spares it what the first
part has measured already.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import psutil
import structlog

from desktop.app import Services, build_core
from desktop.chat.tool_choice import ChoiceOptions, ToolChooser, own_hints
from desktop.chat.tool_mode import ToolMode, ToolProfile
from desktop.cli.chat import running_engine
from desktop.engine.requests import GenerateRequest, Message, Sampling
from desktop.mcp.as_tool import as_tool
from desktop.paths import Paths
from desktop.tools.tool import Running
from tests.bench.machine import machine

HERE = Path(__file__).parent
HOSTILE = HERE.parent / "mcp" / "hostile_server.py"
TARGETS = {"tokens": 900, "overhead_ms": 3.0, "idle_processes": 0, "right": 0.80, "left_alone": 0.85}
CALLS = 300
IDLE_RUNS = 9
# Of each set a figure counts once: on the first run, before anybody has looked at its mistakes.
SETS = (
    "cases",
    "held_out",
    "unseen",
    "fresh",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
    "eleventh",
    "twelfth",
)


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--servers", type=Path, required=True)
    parser.add_argument("--model", default="", help="with it the requests are asked too")
    parser.add_argument("--set", choices=SETS, default=SETS[0], help="which requests, mcp_SET.txt")
    parser.add_argument("--kept", type=Path, help="outcomes, read first and added to; JSON lines")
    parser.add_argument("--minutes", type=float, default=8.0, help="no request begins after that")
    parser.add_argument("--requests-only", action="store_true", help="no cost of calls and of idleness")
    parser.add_argument("--idle-probe", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    if options.idle_probe is not None:
        sys.stdout.write(json.dumps(_idle(options.idle_probe)))
        return 0
    with tempfile.TemporaryDirectory() as place:
        result = {"machine": machine(), "targets": TARGETS, **measured(Path(place), options)}
    sys.stdout.write(json.dumps(result, ensure_ascii=False, indent=2) + "\n")
    return 0


def measured(place: Path, options: argparse.Namespace) -> dict[str, Any]:
    paths = Paths.under(place / "profile")
    paths.data.mkdir(parents=True)
    # The weights are those of the user's own profile; nothing is written there.
    paths.models.symlink_to(Paths.default().models)
    core = build_core(paths)
    try:
        names = add_servers(core, place, options.servers)
        result = {
            "tools": len(core.servers.offered()),
            "started_s": names,
            **({} if options.requests_only else _overhead(core) | _idle_cost(place)),
        }
        for name in core.settings.current.mcp.servers:
            core.servers.stop(name)
        if options.model:
            with running_engine(core, options.model):
                # Loaded with the first request; without weights nothing can be counted.
                core.engine.submit(
                    GenerateRequest("bench", (Message("user", "Hello"),), Sampling(max_tokens=1))
                ).text()
                result |= _tokens(core) | _choices(core, options)
        return result
    finally:
        core.close()


def add_servers(core: Services, place: Path, servers: Path) -> dict[str, float]:
    """The six, with a repository and a folder of their own; how long each took to start and list its
    tools."""
    folder, repository = place / "folder", place / "repository"
    folder.mkdir()
    subprocess.run(["git", "init", "-q", repository], check=True)
    took = {}
    for name, entry in entries_of(servers, folder, repository).items():
        begun = time.perf_counter()
        core.server_setup.add(name, entry, {})
        took[name] = round(time.perf_counter() - begun, 2)
    return took


def entries_of(servers: Path, folder: Path, repository: Path) -> dict[str, dict[str, Any]]:
    """The settings of the six. `folder` is what files and memory may write to; all commands are absolute."""
    node, python = servers / "node_modules" / ".bin", servers / "py" / "bin"
    files = str(folder)
    memory = {"MEMORY_FILE_PATH": str(folder / "memory.json")}
    return {
        "filesystem": {"command": [str(node / "mcp-server-filesystem"), files], "folders": [files]},
        "everything": {"command": [str(node / "mcp-server-everything")]},
        "memory": {"command": [str(node / "mcp-server-memory")], "folders": [files], "environment": memory},
        "git": {
            "command": [str(python / "mcp-server-git")],
            "folder": str(repository),
            "arguments": {"repo_path": str(repository)},
        },
        "fetch": {"command": [str(python / "mcp-server-fetch")], "network": True},
        "time": {"command": [str(python / "mcp-server-time")]},
    }


def _tokens(core: Services) -> dict[str, Any]:
    """Of all tools as lines, as full schemas, and of the four of one question."""
    tools = core.served_tools.all_tools()
    schemas = [
        {"name": each.pin.name, "description": each.pin.description, "inputSchema": dict(each.pin.schema)}
        for each in core.servers.offered()
    ]
    chosen = core.served_tools.chosen("What changed in this repository?")

    def count(text: str) -> int:
        counted = core.engine.count_tokens(text)
        assert counted is not None
        return counted

    return {
        "tokens": count("\n".join(each.signature for each in tools)),
        "tokens_of_full_schemas": sum(count(json.dumps(each)) for each in schemas),
        "tokens_of_one_question": count("\n".join(each.signature for each in chosen)),
    }


def _overhead(core: Services) -> dict[str, Any]:
    """A call of a server that answers at once, there and back, and the same through a bare pipe without
    Steward: what is left is the client's own. Milliseconds."""
    command = [sys.executable, "-I", "-S", str(HOSTILE), "plain"]
    core.server_setup.add("echo", {"command": command}, {})
    served = core.servers.served("echo", "echo")
    tool = as_tool("echo", served, core.servers.call)
    ours = list(_timed(lambda: tool.function(text="x", **{"\0running": Running("bench")})))
    core.server_setup.remove("echo")
    bare = _bare_pipe(command)
    return {
        "call_ms": round(statistics.median(ours), 3),
        "server_and_pipe_ms": round(statistics.median(bare), 3),
        "overhead_ms": round(statistics.median(ours) - statistics.median(bare), 3),
    }


def _bare_pipe(command: Sequence[str]) -> list[float]:
    params = {"name": "echo", "arguments": {"text": "x"}}
    line = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode() + b"\n"
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        sender, answers = child.stdin, child.stdout

        def ask() -> None:
            sender.write(line)
            answers.readline()

        took = list(_timed(ask))
        sender.close()
    return took


def _timed(act: Any) -> Iterator[float]:
    for number in range(CALLS):
        begun = time.perf_counter()
        act()
        if number >= CALLS // 10:  # the first ones load what is needed
            yield (time.perf_counter() - begun) * 1000


def _idle_cost(place: Path) -> dict[str, Any]:
    """Five servers that are set up against none: processes of their own that find the settings as they are,
    by turns. The difference of the medians, and how far apart the runs without any server are."""
    seen: dict[int, list[dict[str, Any]]] = {0: [], 5: []}
    for number in range(2 * IDLE_RUNS):
        count = (0, 5)[(number + number // 2) % 2]
        words = [sys.executable, "-m", "tests.bench.mcp", "--servers", str(place), "--idle-probe"]
        done = subprocess.run([*words, _set_up(place, count)], check=True, capture_output=True)
        seen[count].append(json.loads(done.stdout))
    none, five = ([each["rss"] / 1e6 for each in seen[count]] for count in (0, 5))
    return {
        "idle_mb": round(statistics.median(five) - statistics.median(none), 2),
        "idle_spread_mb": round(max(none) - min(none), 2),
        "idle_processes": max(each["children"] for each in seen[5]),
        "idle_room_is_loaded": any(each["loaded"] for each in seen[5]),
    }


def _set_up(place: Path, count: int) -> Path:
    """A profile with so many servers in its settings, that nobody has started. Made by this process: the
    probe only reads it."""
    profile = place / f"idle{count}"
    if not profile.exists():
        core = build_core(Paths.under(profile))
        # Both have a file of settings: to read one at all takes a codec and 0.1 MB.
        core.settings.change("api", "enabled", False)
        for number in range(count):
            core.settings.put("mcp", "servers", f"s{number}", {"command": [sys.executable, str(HOSTILE)]})
        core.close()
    return profile


def _idle(profile: Path) -> dict[str, Any]:
    core = build_core(Paths.under(profile))
    core.acting  # noqa: B018 - what the first question needs
    own = psutil.Process(os.getpid())
    loaded = "desktop.mcp.servers" in sys.modules
    seen = {"rss": own.memory_info().rss, "children": len(own.children(recursive=True)), "loaded": loaded}
    core.close()
    return seen


# -- right function and arguments ------------------------------------------------------------------


def _choices(core: Services, options: argparse.Namespace) -> dict[str, Any]:
    cases = list(cases_in(HERE / f"mcp_{options.set}.txt"))
    # In an order of its own, always the same: a run that is cut short has seen all six servers.
    random.Random(14).shuffle(cases)
    calls, none = ([each for each in cases if bool(each[0]) is wanted] for wanted in (True, False))
    until = time.monotonic() + options.minutes * 60
    outcomes = _read_back(options.kept)
    # One of each kind in turn, so that a run that is cut short has seen both.
    for names, wanted, request in _in_turn(calls, none):
        if time.monotonic() > until:
            break
        if request in outcomes:
            continue
        name, arguments = _decided(core, request)
        outcomes[request] = {
            "request": request,
            "wanted": "~".join(names),
            "got": name,
            "arguments": arguments,
            "right": name in names and _fits(wanted, arguments) if names else name == "",
        }
        if options.kept:
            with options.kept.open("a", encoding="utf-8") as file:
                file.write(json.dumps(outcomes[request], ensure_ascii=False) + "\n")
    asked = list(outcomes.values())
    return {
        "right": _share(asked, True),
        "left_alone": _share(asked, False),
        "asked": [sum(bool(each["wanted"]) is kind for each in asked) for kind in (True, False)],
        "of": [len(calls), len(none)],
        "wrong": [each for each in asked if not each["right"]],
    }


def _read_back(kept: Path | None) -> dict[str, dict[str, Any]]:
    """What an earlier turn wrote down, by request."""
    if kept is None or not kept.exists():
        return {}
    lines = map(json.loads, kept.read_text(encoding="utf-8").splitlines())
    return {line["request"]: line for line in lines}


def _decided(core: Services, request: str) -> tuple[str, Mapping[str, Any]]:
    """What the loop would call first, as in a chat that begins with this request; nothing is run."""
    assert core.engine.model is not None
    toolbox = core.acting.with_guests(request, ()).toolbox
    profile = ToolProfile.of(core.engine.model.facts, ToolMode.NATIVE)
    base = GenerateRequest(
        "bench",
        (Message("system", profile.instructions(toolbox)), Message("user", request)),
        Sampling(temperature=0, max_tokens=256),
        tools=profile.schemas(toolbox),
    )
    chooser = ToolChooser(core.engine.submit, profile.family, own_hints(), ChoiceOptions())
    found = chooser.decide(base, toolbox, request).call
    return (found.name, found.arguments) if found is not None else ("", {})


def cases_in(file: Path) -> Iterator[tuple[tuple[str, ...], dict[str, list[str]], str]]:
    """Accepted names (none: no call), accepted values by argument, and the request."""
    for line in file.read_text(encoding="utf-8").splitlines():
        if not line or line.startswith("#"):
            continue
        wanted, _, request = (part.strip() for part in line.partition("|"))
        name, _, rest = wanted.partition(" ")
        pairs = [] if not rest else rest.replace(" content=", "\0content=").split("\0")
        values = {}
        for pair in (each for part in pairs for each in _pairs(part)):
            key, _, value = pair.partition("=")
            values[key] = value.split("~")
        yield (() if name == "-" else tuple(name.split("~"))), values, request


def _pairs(text: str) -> Iterator[str]:
    """Split at spaces that come before the next `key=`."""
    held = ""
    for word in text.split(" "):
        if "=" in word and held:
            yield held
            held = word
        else:
            held = f"{held} {word}".strip()
    if held:
        yield held


def _fits(wanted: Mapping[str, Sequence[str]], arguments: Mapping[str, Any]) -> bool:
    """Every argument that is named has an accepted value; * accepts any that is there."""
    for key, values in wanted.items():
        if key not in arguments:
            return False
        given = str(arguments[key])
        if "*" not in values and given.casefold() not in [each.casefold() for each in values]:
            return False
    return True


def _in_turn(first: Sequence[Any], second: Sequence[Any]) -> Iterator[Any]:
    for number in range(max(len(first), len(second))):
        yield from first[number : number + 1]
        yield from second[number : number + 1]


def _share(outcomes: Sequence[Mapping[str, Any]], kind: bool) -> float | None:
    right = [each["right"] for each in outcomes if bool(each["wanted"]) is kind]
    return round(sum(right) / len(right), 3) if right else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
