# ruff: noqa: E501 - programs of other languages, whose lines are their own
"""Thirty commands of five languages, here and on a worker: nothing tells one run from the other.

What a tool prints of its own clock is left out of the comparison, and nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from tests.offload.conftest import Workplace
from tests.offload.loopback_worker import TOOLS

C = {
    "main.c": '#include <stdio.h>\n#include "sum.h"\nint main(void) { printf("%d\\n", sum(1, 2)); return 0; }\n',
    "sum.c": '#include "sum.h"\nint sum(int a, int b) { return a + b; }\n',
    "sum.h": "int sum(int a, int b);\n",
    "bad.c": "int main(void) { return missing; }\n",
    "main.cpp": "#include <iostream>\nint main() { std::cout << 42 << std::endl; }\n",
    "Makefile": "CFLAGS = -Wall\nall: prog\nprog: main.o sum.o\n\t$(CC) -o $@ $^\nmain.o sum.o: sum.h\n"
    "test: prog\n\t./prog; exit 3\ncheck: prog\n\t./prog\nlib: libsum.a\nlibsum.a: sum.o\n\tar rcD $@ $^\n"
    "debug: bad.o\nworld:\n\t@echo started; sleep 86416\n.PHONY: all test check debug world\n",
    ".gitignore": "*.o\nprog\n*.a\nbuild/\n",
    "CMakeLists.txt": "cmake_minimum_required(VERSION 3.10)\nproject(p C)\nadd_executable(app main.c sum.c)\n"
    "enable_testing()\nadd_test(NAME runs COMMAND app)\nadd_test(NAME fails COMMAND false)\n",
}
RUST = {
    "Cargo.toml": '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n[features]\nbroken = []\n',
    "src/lib.rs": '#[cfg(feature = "broken")]\ncompile_error!("broken");\n'
    "/// ```\n/// assert_eq!(sums::sum(1, 1), 2);\n/// ```\npub fn sum(a: i32, b: i32) -> i32 { a + b }\n"
    "#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() { assert_eq!(super::sum(1, 1), 2); }\n"
    "    #[test]\n    #[ignore]\n    fn fails() { assert_eq!(super::sum(1, 1), 3); }\n"
    '    #[test]\n    #[ignore]\n    fn sleeps() { println!("started"); std::thread::sleep(std::time::Duration::from_secs(900)); }\n}\n',
    "src/main.rs": 'fn main() { println!("{}", sums::sum(1, 1)); }\n',
    ".gitignore": "target\n",
}
GO = {
    "go.mod": "module example.org/sums\n\ngo 1.19\n",
    "sums.go": "package sums\n\nfunc Sum(a, b int) int { return a + b }\n",
    "sums_test.go": 'package sums\n\nimport "testing"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 1) != 2 {\n\t\tt.Fatal("no")\n\t}\n}\n\n'
    'func TestFails(t *testing.T) {\n\tif !testing.Short() {\n\t\tt.Fatal("wanted")\n\t}\n}\n',
    "cmd/app/main.go": 'package main\n\nimport (\n\t"fmt"\n\n\t"example.org/sums"\n)\n\nfunc main() { fmt.Println(sums.Sum(1, 1)) }\n',
    "bad/bad.go": "package bad\n\nfunc Bad() int { return missing }\n",
}
PYTHON = {
    "sums.py": "def sum_of(a, b):\n    return a + b\n",
    "test_sums.py": "from sums import sum_of\n\n\ndef test_sum():\n    assert sum_of(1, 1) == 2\n",
    "fails/test_fails.py": "def test_fails():\n    print('seen')\n    assert 1 == 2\n",
    "slow/test_slow.py": "import time\n\n\ndef test_slow():\n    print('started', flush=True)\n    time.sleep(900)\n",
    "empty/readme.txt": "",
}
SCRIPT = {
    "package.json": '{"name": "sums", "version": "1.0.0", "scripts": {"build": "node build.js", "test": "node test.js"}}\n',
    "build.js": 'const fs = require("fs"); fs.mkdirSync("dist", {recursive: true});\n'
    'fs.writeFileSync("dist/sums.js", fs.readFileSync("src/sums.ts", "utf8").replace(/: number/g, "")); console.log("built");\n',
    "test.js": 'console.log("tested"); console.error("told"); process.exit(process.env.NODE_ENV === "production" ? 0 : 4);\n',
    "src/sums.ts": "export function sum(a: number, b: number): number { return a + b; }\n",
    "tsconfig.json": '{"compilerOptions": {"outDir": "out", "strict": true}, "include": ["src"]}\n',
    ".gitignore": "node_modules\ndist\nout\n",
}
# With the compiler as a project has it: in node_modules, which git ignores and the worker is sent.
TYPED = {
    "package.json": '{"name": "sums", "version": "1.0.0", "license": "MIT", "scripts": '
    '{"build": "tsc -p .", "test": "node out/test.js", "slow": "node slow.js"}}\n',
    "tsconfig.json": '{"compilerOptions": {"outDir": "out", "strict": true, "module": "commonjs", "target": "es2020", '
    '"types": []}, "include": ["src"]}\n',
    "src/sums.ts": "export function sum(a: number, b: number): number { return a + b; }\n",
    "src/test.ts": 'import { sum } from "./sums";\nif (sum(1, 1) !== 2) throw new Error("no");\n',
    "src/sums.test.ts": 'declare function require(name: string): any;\nconst { test, expect } = require("bun:test");\n'
    'import { sum } from "./sums";\ntest("adds", () => { expect(sum(1, 1)).toBe(2); });\n',
    "bad/tsconfig.json": '{"compilerOptions": {"strict": true, "types": [], "outDir": "out"}}\n',
    "bad/bad.ts": 'const wrong: number = "text";\nexport { wrong };\n',
    ".gitignore": "node_modules\nout\n",
}
# As pnpm and npm lay out several packages: each with compiled files and modules of its own.
WORKSPACE = {
    "package.json": '{"name": "all", "version": "1.0.0", "scripts": {"test": "node packages/a/out/test.js"}}\n',
    ".gitignore": TYPED[".gitignore"],
    **{f"packages/a/{name}": TYPED[name] for name in ("package.json", "tsconfig.json", "src/sums.ts")},
    "packages/a/src/test.ts": 'declare function require(name: string): any;\nimport { sum } from "./sums";\n'
    'console.log(require("typescript").version, sum(1, 1));\n',
}
# What Maven's plugins need lies in Debian's own repository, which a server on loopback stands for Maven Central with.
REPOSITORY = Path("/usr/share/maven-repo")
AT = "http://localhost:@PORT@"
MAVEN = {
    "pom.xml": '<project xmlns="http://maven.apache.org/POM/4.0.0">\n<modelVersion>4.0.0</modelVersion>\n'
    "<groupId>org.example</groupId><artifactId>sums</artifactId><version>1.0</version>\n"
    "<properties><maven.compiler.release>17</maven.compiler.release>"
    "<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>\n"
    f"<repositories><repository><id>central</id><url>{AT}</url></repository></repositories>\n"
    f"<pluginRepositories><pluginRepository><id>central</id><url>{AT}</url></pluginRepository></pluginRepositories>\n"
    "<dependencies><dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>"
    "<scope>test</scope></dependency></dependencies>\n</project>\n",
    "src/main/java/org/example/Sums.java": "package org.example;\n\npublic class Sums {\n"
    "    public static int sum(int a, int b) { return a + b; }\n}\n",
    "src/test/java/org/example/SumsTest.java": "package org.example;\n\npublic class SumsTest {\n"
    "    @org.junit.Test public void adds() { org.junit.Assert.assertEquals(2, Sums.sum(1, 1)); }\n}\n",
    ".gitignore": "target\n",
}
WRONG = "package org.example;\n\npublic class WrongTest {\n"
WRONG += "    @org.junit.Test public void fails() { org.junit.Assert.assertEquals(3, Sums.sum(1, 1)); }\n}\n"
BROKEN = "package org.example;\n\npublic class Broken { int missing() { return missing; } }\n"
GRADLE = {
    "build.gradle": "apply plugin: 'java'\nversion = '1.0'\n"
    f'repositories {{ maven {{ url "{AT}" }} }}\ndependencies {{ testCompile "junit:junit:4.13.2" }}\n',
    "settings.gradle": "rootProject.name = 'sums'\n",
    ".gitignore": "build\n.gradle\n",
    **{name: text for name, text in MAVEN.items() if name.startswith("src/")},
}
INTERRUPTED_SCRIPT = {
    "package.json": '{"name": "sums", "version": "1.0.0", "scripts": {"test": "node slow.js"}}\n',
    "slow.js": 'console.log("started"); setTimeout(() => {}, 900000);\n',
}
INTERRUPTED_GO = {
    "go.mod": GO["go.mod"],
    "slow_test.go": 'package sums\n\nimport (\n\t"fmt"\n\t"testing"\n\t"time"\n)\n\n'
    'func TestSlow(t *testing.T) {\n\tfmt.Println("started")\n\ttime.Sleep(15 * time.Minute)\n}\n',
}


@dataclass(frozen=True)
class Case:
    """A command. `before` prepares the folder here; `idle` is what a local run prints that has nothing to do."""

    words: str
    files: Mapping[str, str]
    before: str = ""
    works: str = ""  # a pattern that a local run afterwards must not print, as it would be at work
    variables: Mapping[str, str] = field(default_factory=dict)

    @property
    def program(self) -> str:
        return self.words.split()[0]


NODE_MODULES = f'mkdir node_modules; cp -rL "{TOOLS}/../typescript" node_modules/; mkdir node_modules/.bin; '
NODE_MODULES += "ln -s ../typescript/bin/tsc node_modules/.bin/tsc"
CMAKE = "cmake -G Ninja -S . -B build >/dev/null"
CASES = (
    Case("make", C, works="cc"),
    Case("make -j2 all", C, works="cc"),
    Case("make lib", C, works="ar "),
    Case("make test", C),
    Case("make check", C),
    Case("make debug", C),
    Case("make CFLAGS=-O2 prog.o", C),
    Case("gcc -c main.c", C),
    Case("gcc -O2 -o prog main.c sum.c", C),
    Case("gcc -Wall -o bad bad.c", C),
    Case("g++ -o prog main.cpp", C),
    Case("clang -c main.c", C),
    Case("clang -O2 -o prog main.c sum.c", C),
    Case("clang -Wall -o bad bad.c", C),
    Case("clang++ -o prog main.cpp", C),
    Case("make CC=clang", C, works="clang"),
    Case("cmake --build build -j 1", C, CMAKE, works="Building"),
    Case("cmake --build build -j 1 --target app", C, CMAKE, works="Building"),
    Case("ninja -C build -j1", C, CMAKE, works="Building"),
    Case("ctest --test-dir build", C, f"{CMAKE}; cmake --build build >/dev/null"),
    Case("cargo build", RUST, works="Compiling"),
    Case("cargo build --release", RUST, works="Compiling"),
    Case("cargo check", RUST, works="Checking"),
    Case("cargo test", RUST, works="Compiling", variables={"RUST_TEST_THREADS": "1"}),
    Case("cargo test --lib -- --ignored fails", RUST, works="Compiling"),
    Case("cargo build --features broken", RUST),
    Case("go build ./cmd/... .", GO),
    Case("go build -o app ./cmd/app", GO),
    Case("go build ./bad", GO),
    Case("go vet .", GO),
    Case("go test -short .", GO),
    Case("go test .", GO),
    Case("pytest -q test_sums.py", PYTHON),
    Case("pytest -q fails", PYTHON),
    Case("pytest -q empty", PYTHON),
    Case("npm run build", SCRIPT),
    Case("npm test", SCRIPT),
    Case("npm test", SCRIPT, variables={"NODE_ENV": "production"}),
    Case("tsc", TYPED),
    Case("tsc -p bad", TYPED),
    Case("npm run build", TYPED, NODE_MODULES),
    Case("pnpm run build", TYPED, NODE_MODULES),
    Case("pnpm test", TYPED, f"{NODE_MODULES}; tsc"),
    Case("yarn build", TYPED, NODE_MODULES),
    Case("yarn run test", TYPED, f"{NODE_MODULES}; tsc"),
    Case("bun run build", TYPED, NODE_MODULES),
    Case("bun test", TYPED),
    Case("mvn -B -ntp compile", MAVEN, works="Compiling"),
    Case("mvn -B -ntp package", MAVEN, works="Compiling"),
    Case("mvn -B -ntp test", {**MAVEN, "src/test/java/org/example/WrongTest.java": WRONG}, works="Compiling"),
    Case("mvn -B -ntp package", {**MAVEN, "src/main/java/org/example/Broken.java": BROKEN}),
    Case("gradle --no-daemon build", GRADLE, works=" executed"),
    Case("gradle --no-daemon test", {**GRADLE, "src/test/java/org/example/WrongTest.java": WRONG}),
    Case("gradle --no-daemon assemble", {**GRADLE, "src/main/java/org/example/Broken.java": BROKEN}),
    Case("npm test", WORKSPACE, f"{NODE_MODULES}; mv node_modules packages/a/; cd packages/a; tsc"),
)
# Durations as the tools write them, the number of a thread, and where a kept result is told as one.
_CLOCKS = re.compile(
    rb"(?<=' )\(\d+\)(?= panicked)|\d+(\.\d+)? ?m?s(ec)?\b|in \d+\.\d+s|\(cached\)|[ \t]+"
    rb"|Finished at: .*|Total time: .*|(?<=^BUILD SUCCESSFUL in ).*|(?<=^BUILD FAILED in ).*",
    re.MULTILINE,
)
# What yarn 1 says of a home folder and a network that it does not find on a worker, and what gradle had to download on
# each side; no word of the command.
_OF_CACHES = re.compile(
    rb"^warning .*(internet connection|cache folder|global folder).*\n|^Download http.*\n", re.MULTILINE
)
_OF_THE_MOMENT = re.compile(
    r"incremental|LastTest|\.ninja_log|__pycache__|\.pytest_cache|Testing/Temporary|/_logs/"
)


def made(folder: Path) -> dict[str, int]:
    """Every file below it with its mode, but for logs that name a moment."""
    return {
        str(each.relative_to(folder)): each.lstat().st_mode
        for each in folder.rglob("*")
        if ".git/" not in f"{each}/" and not _OF_THE_MOMENT.search(str(each)) and not each.is_dir()
    }


def heard(done: subprocess.CompletedProcess[bytes]) -> tuple[int, bytes, bytes]:
    said, told = (_CLOCKS.sub(b" ", _OF_CACHES.sub(b"", each)) for each in (done.stdout, done.stderr))
    return done.returncode, said, told


class Repository(SimpleHTTPRequestHandler):
    """Its files, and their checksums, which Debian leaves out and Maven tells of at length where they are missing."""

    def do_GET(self) -> None:
        file = Path(self.translate_path(self.path.removesuffix(".sha1")))
        if not self.path.endswith(".sha1") or not file.is_file():
            super().do_GET()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(hashlib.sha1(file.read_bytes(), usedforsecurity=False).hexdigest().encode())

    def log_message(self, *_: object) -> None:
        """Maven asks for much."""


@pytest.fixture(scope="module")
def repository() -> Iterator[int]:
    """The port of a server for Debian's Maven repository."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Repository, directory=str(REPOSITORY)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield server.server_port
    server.shutdown()
    server.server_close()
    thread.join()


def prepared(place: Workplace, case: Case, port: int = 0) -> None:
    path = f"{TOOLS or '/usr/local/bin'}:{Path.home()}/.cargo/bin:/usr/local/bin:/usr/bin:/bin"
    # Beside npm's own, the programs of its registry are in a folder that STEWARD_OFFLOAD_TOOLS names.
    is_typed = case.files is TYPED or NODE_MODULES in case.before
    needed = ("tsc", case.program) if is_typed else (case.program,)
    needed += tuple(word.removeprefix("CC=") for word in case.words.split() if word.startswith("CC="))
    missing = next((each for each in needed if shutil.which(each, path=path) is None), "")
    if missing:
        pytest.skip(f"{missing} is not installed")
    if case.program in ("mvn", "gradle") and not (REPOSITORY / "junit").is_dir():
        pytest.skip("Debian's Maven repository has no junit4")
    for each in place.project.iterdir():
        if each.name != ".git":
            shutil.rmtree(each) if each.is_dir() else each.unlink()
    place.write({name: text.replace("@PORT@", str(port)) for name, text in case.files.items()})
    if case.before:
        environment = {**os.environ, "PATH": path}
        subprocess.run(("bash", "-ec", case.before), cwd=place.project, env=environment, check=True)
    # The user's own settings for npm are not sent.
    npm = {"npm_config_userconfig": "/dev/null", "npm_config_update_notifier": "false"}
    # Java asks nobody but the system for the home folder, where what it downloads would stay.
    home = place.client.parent / "home"
    java = {"HOME": str(home), "MAVEN_OPTS": f"-Duser.home={home}", "GRADLE_OPTS": f"-Duser.home={home}"}
    place.extra = {"PATH": path, "LANG": "C.UTF-8", **npm, **case.variables}
    if case.program in ("mvn", "gradle"):
        place.extra |= java


def run_here(place: Workplace, case: Case) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        case.words.split(),
        cwd=place.project,
        env={**os.environ, **place.extra},
        capture_output=True,
        stdin=subprocess.DEVNULL,
    )


@pytest.mark.slow
@pytest.mark.children
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.words} {' '.join(case.variables)}".strip())
def test_a_command_is_the_same_on_a_worker(workplace: Workplace, repository: int, case: Case) -> None:
    """Exit code, both streams and what it leaves behind; a local run afterwards has nothing to do."""
    prepared(workplace, case, repository)
    here = run_here(workplace, case)
    left_here = made(workplace.project)
    prepared(workplace, case, repository)
    there = workplace.run(*case.words.split())
    assert workplace.last.worker == "tower", workplace.last
    assert heard(there) == heard(here)
    assert made(workplace.project) == left_here
    if case.works:
        again = run_here(workplace, case)
        assert case.works.encode() not in again.stdout + again.stderr, again


INTERRUPTED = (
    Case("make world", C),
    Case("cargo test --lib -- --ignored --nocapture sleeps", RUST),
    Case("pytest -q -s slow", PYTHON),
    Case("go test -v .", INTERRUPTED_GO),
    Case("npm test", INTERRUPTED_SCRIPT),
)


@pytest.mark.slow
@pytest.mark.children
@pytest.mark.parametrize("case", INTERRUPTED, ids=lambda case: case.words)
def test_an_interrupt_is_the_same_on_a_worker(workplace: Workplace, case: Case) -> None:
    """The exit code is what a shell would have seen, and nothing of the command is left anywhere."""

    def interrupted(words: list[str]) -> int:
        process = subprocess.Popen(
            words,
            cwd=workplace.project,
            env={**os.environ, **workplace.environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert process.stdout is not None
        while b"started" not in (line := process.stdout.readline()):
            assert line, "it ended before it was interrupted"
        time.sleep(0.2)
        os.killpg(process.pid, signal.SIGINT)
        process.communicate(timeout=60)
        return process.returncode

    prepared(workplace, case)
    here = interrupted(case.words.split())
    prepared(workplace, case)
    assert interrupted(workplace.words(*case.words.split())) == here
    assert workplace.last.worker == "tower"
