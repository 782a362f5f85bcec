"""`dev.py bench offload`: what a build on a worker costs this computer, against the same build here.

    dev.py bench offload [--units N] [--runs N] [--hooks N]

Needs root, for a worker with a home folder and processes of its own on this machine (tests/offload). Both
sides share the processor, so its time is counted: that of the client with ssh, rsync and the connection,
against that of the compiler here.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from desktop.app import build_core
from desktop.offload.ssh import SshConnection
from desktop.offload.workers import WorkerFile
from desktop.settings import OffloadSettings
from tests.bench.machine import ROOT, machine
from tests.offload.conftest import Workplace, laid_out
from tests.offload.loopback_worker import LoopbackWorker, why_not

TARGETS = {
    "cpp_client_share": 0.10,
    "rust_client_share": 0.20,
    "overhead_warm_s": 0.5,
}
LINES = ("ls -la", "git status", "cat README.md", "grep -rn x src", "rg --files")
UNIT = """#include <algorithm>
#include <iostream>
#include <map>
#include <regex>
#include <string>
#include <vector>
int work{0}(const std::string& text) {{
    std::map<std::string, std::vector<int>> found;
    std::regex word("([a-z]+)-([0-9]+)");
    for (std::sregex_iterator at(text.begin(), text.end(), word), end; at != end; ++at)
        found[(*at)[1]].push_back(std::stoi((*at)[2]));
    for (auto& each : found) std::sort(each.second.begin(), each.second.end());
    return static_cast<int>(found.size()) + {0};
}}
"""


def measure(units: int, runs: int, hooks: int) -> dict[str, object]:
    """All figures. Raises SystemExit where no worker can be had."""
    if reason := why_not():
        raise SystemExit(f"No worker can be had here: {reason}.")
    with tempfile.TemporaryDirectory(prefix="steward-bench-") as name:
        folder = Path(name)
        worker = LoopbackWorker(folder / "worker", hidden=(folder / "client",))
        place = laid_out(folder / "client", folder / "profile", worker)
        place.extra = {
            "PATH": f"{Path.home()}/.cargo/bin:/usr/local/bin:/usr/bin:/bin",
            # As installed: whoever works on the tree may have switched off what Python keeps of its modules.
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": str(folder / "bytecode"),
        }
        worker.start()
        try:
            figures: dict[str, object] = _compared(place, "cpp", ("make",), lambda: _cpp(place, units), 2)
            figures |= _warm(place, runs)
            if shutil.which("cargo"):
                figures |= _compared(place, "rust", ("cargo", "build"), lambda: _rust(place, units), 4)
                small = max(1, units // 3)
                figures |= _compared(place, "small_rust", ("cargo", "build"), lambda: _rust(place, small), 4)
            figures |= _hooks(folder / "hooks", place, hooks)
        finally:
            worker.kill()
    return figures


def _cpp(place: Workplace, units: int) -> None:
    names = [f"unit{number}" for number in range(units)]
    objects = " ".join(f"{name}.o" for name in names)
    files = {f"{name}.cpp": UNIT.format(number) for number, name in enumerate(names)}
    files["main.cpp"] = "int main() { return 0; }\n"
    place.write({**files, "Makefile": f"all: prog\nprog: main.o {objects}\n\t$(CXX) -o $@ $^\n"})


def _rust(place: Workplace, units: int) -> None:
    body = "".join(
        f"pub mod m{each} {{\n    use std::collections::BTreeMap;\n    pub fn f(n: usize) -> String {{\n"
        f"        let mut all: BTreeMap<String, Vec<usize>> = BTreeMap::new();\n"
        f'        for i in 0..n {{ all.entry(format!("{{i:?}}{each}")).or_default().push(i * {each}); }}\n'
        f'        format!("{{all:#?}}")\n    }}\n}}\n'
        for each in range(units * 40)
    )
    manifest = '[package]\nname = "units"\nversion = "0.1.0"\nedition = "2021"\n'
    place.write({"Cargo.toml": manifest, "src/lib.rs": body, ".gitignore": "target\n"})


def _emptied(place: Workplace) -> None:
    for each in place.project.iterdir():
        if each.name != ".git":
            shutil.rmtree(each) if each.is_dir() else each.unlink()


def _compared(
    place: Workplace, name: str, words: tuple[str, ...], lay_out: Callable[[], None], runs: int
) -> dict[str, object]:
    """Processor time of cold builds here, and of the client of the same on the worker. The first one of ten
    minutes also asks both sides for their compilers, so it is told apart from the following ones."""
    here, there = [], []
    for _ in range(runs):
        _emptied(place)
        lay_out()
        with _spent() as built:
            subprocess.run(words, cwd=place.project, env=place.environment, capture_output=True, check=True)
        here.append(built[0])
        _emptied(place)
        lay_out()
        before = _of_connection(place)
        with _spent() as client:
            done = place.run(*words)
        assert (done.returncode, place.last.worker) == (0, "tower"), done.stderr
        there.append(client[0] + _of_connection(place) - before)
    again = subprocess.run(words, cwd=place.project, env=place.environment, capture_output=True, text=True)
    built_s, later_s = statistics.median(here), statistics.median(there[1:])
    return {
        f"{name}_here_s": round(built_s, 2),
        f"{name}_first_client_s": round(there[0], 2),
        f"{name}_first_client_share": round(there[0] / built_s, 3),
        f"{name}_client_s": round(later_s, 2),
        f"{name}_client_share": round(later_s / built_s, 3),
        f"{name}_worker_s": round(place.last.processor_s, 2),
        f"{name}_fetched_kb": place.last.fetched_bytes // 1000,
        f"{name}_then_here": (again.stdout + again.stderr).strip().splitlines()[-1],
    }


def _warm(place: Workplace, runs: int) -> dict[str, object]:
    """A build that has nothing to do, here and there by turns: the difference is what a worker costs."""
    here, there, job, spent = [], [], [], []
    for _ in range(runs):
        begun = time.perf_counter()
        subprocess.run(("make",), cwd=place.project, capture_output=True, check=True)
        here.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        with _spent() as client:
            done = place.run("make")
        spent.append(client[0])
        there.append(time.perf_counter() - begun)
        job.append(place.last.seconds)
        assert done.returncode == 0
        assert place.last.worker == "tower"
    return {
        "warm_here_s": round(statistics.median(here), 3),
        "warm_there_s": round(statistics.median(there), 3),
        "overhead_warm_s": round(statistics.median(there) - statistics.median(here), 3),
        "of_that_after_the_start_s": round(statistics.median(job), 3),
        "warm_client_processor_s": round(statistics.median(spent), 3),
    }


def _hooks(folder: Path, place: Workplace, count: int) -> dict[str, object]:
    """Hooks about commands that are no builds, with workers off and on by turns, in microseconds."""
    core = build_core(place.paths)
    project = place.project

    def body(line: str) -> bytes:
        given = {"hook_event_name": "PreToolUse", "tool_name": "Bash", "cwd": str(project), "session_id": "b"}
        return json.dumps({**given, "tool_input": {"command": line}}).encode()

    bodies = [body(line) for line in LINES]
    took: dict[bool, list[float]] = {False: [], True: []}
    now = [False]
    core.dispatcher._settings = lambda: OffloadSettings(enabled=now[0])
    runs = core.handler._runs
    assert runs is not None
    runs._dispatcher = lambda: core.dispatcher if now[0] else None
    for number in range(count + 200):
        now[0] = number % 2 == 1
        begun = time.perf_counter()
        core.handler.quick("claude-code", bodies[(number // 2) % len(bodies)])
        if number >= 200:
            took[now[0]].append((time.perf_counter() - begun) * 1e6)
    core.close()
    del folder
    figures: dict[str, object] = {}
    for is_on, each in took.items():
        each.sort()
        name = "on" if is_on else "off"
        figures[f"hook_{name}_p50_us"] = round(each[len(each) // 2])
        figures[f"hook_{name}_p99_us"] = round(each[len(each) * 99 // 100])
    return figures


@contextmanager
def _spent() -> Iterator[list[float]]:
    """Processor seconds of the children that ended meanwhile."""
    found: list[float] = []
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    yield found
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def _of_connection(place: Workplace) -> float:
    """Processor seconds of the shared connection, which is nobody's child."""
    (worker,) = WorkerFile(place.paths).all()
    words = [*SshConnection(worker, place.paths.runtime).words[:-1], "-O", "check", worker.host]
    said = subprocess.run(words, capture_output=True, text=True).stderr
    number = said.partition("pid=")[2].partition(")")[0]
    if not number.isdigit():
        return 0.0
    spent = psutil.Process(int(number)).cpu_times()
    return float(spent.user + spent.system)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--units", type=int, default=12, help="files of C++; forty modules of Rust for each")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--hooks", type=int, default=4000)
    options = parser.parse_args(arguments)
    figures = measure(options.units, options.runs, options.hooks)
    load = os.getloadavg()[0]
    print(json.dumps({**machine(), "load": round(load, 1), **figures, "targets": TARGETS}, indent=1))
    return 0


if __name__ == "__main__":
    os.chdir(ROOT)
    sys.exit(main(sys.argv[1:]))
