"""Failures that happened once, the same told in other words, and others that only look like them.

Each row: tool, arguments of the first failure, its message; arguments and message of the repeat; arguments
and message of the look-alike. None of it is copied from a log; programs say such things.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from desktop.memory.hindsight.hindsight import Hindsight
from desktop.memory.hindsight.signature import Failure, normalised_error

Said = tuple[dict[str, Any], str]


@dataclass(frozen=True)
class Case:
    """One known failure, its repeat, and its look-alike."""

    tool: str
    first: Said
    repeat: Said
    look_alike: Said

    def failure(self, said: Said) -> Failure:
        return Failure(self.tool, said[1], arguments=said[0])


def run(command: str) -> dict[str, Any]:
    return {"command": command}


def path(name: str) -> dict[str, Any]:
    return {"path": name}


def _commands() -> Iterator[tuple[Said, Said, Said]]:
    yield (
        (run("git push"), "fatal: The current branch topic has no upstream branch."),
        (
            run("git push"),
            "fatal: Der Zweig: the current branch fix-9 has no upstream branch; use --set-upstream",
        ),
        (
            run("git push"),
            "error: failed to push some refs: the tip of your current branch is behind (fetch first)",
        ),
    )
    yield (
        (run("git commit -m x"), "fatal: not a git repository (or any of the parent directories): .git"),
        (run("git commit -m 'second'"), "fatal: not a git repository: '/home/tom/notes/.git'"),
        (run("git commit -m x"), "fatal: Unable to create '/srv/a/.git/index.lock': File exists."),
    )
    yield (
        (
            run("git pull"),
            "error: Your local changes to the following files would be overwritten by merge: a.txt",
        ),
        (
            run("git pull"),
            "error: local changes to these files would be overwritten by merge: src/b.py, c.md",
        ),
        (
            run("git pull"),
            "fatal: unable to access 'https://example.org/x.git/': Could not resolve host: example.org",
        ),
    )
    yield (
        (run("python main.py"), "ModuleNotFoundError: No module named 'yaml'"),
        (run("python3.11 tools/make.py"), "ModuleNotFoundError: No module named 'requests'"),
        (run("python main.py"), "NameError: name 'yaml' is not defined"),
    )
    yield (
        (
            run("python main.py"),
            "python: can't open file '/srv/main.py': [Errno 2] No such file or directory",
        ),
        (run("python app.py"), "python: can't open file 'app.py': [Errno 2] No such file or directory"),
        (run("python main.py"), "PermissionError: [Errno 13] Permission denied: '/srv/main.py'"),
    )
    yield (
        (run("pip install numpyy"), "ERROR: No matching distribution found for numpyy"),
        (
            run("pip3 install reqests"),
            "ERROR: Could not find a version (no matching distribution found for reqests)",
        ),
        (run("pip install numpy"), "ERROR: Could not install packages: [Errno 28] No space left on device"),
    )
    yield (
        (
            run("pip install numpy"),
            "error: externally-managed-environment. This environment is externally managed",
        ),
        (
            run("pip install scipy"),
            "error: externally-managed-environment: this environment is managed externally",
        ),
        (
            run("pip install numpy"),
            "error: metadata-generation-failed. Encountered error while generating metadata",
        ),
    )
    yield (
        (run("npm start"), "Error: listen EADDRINUSE: address already in use :::3000"),
        (run("npm start"), "Error: listen EADDRINUSE: address already in use 127.0.0.1:8080"),
        (run("npm start"), "Error: connect ECONNREFUSED 127.0.0.1:3000"),
    )
    yield (
        (run("npm install"), "npm ERR! code EACCES: permission denied, mkdir '/usr/lib/node_modules'"),
        (run("npm install"), "npm error EACCES permission denied, access '/usr/local/lib/node_modules/x'"),
        (run("npm install"), "npm ERR! code ENOENT: no such file or directory, open '/srv/package.json'"),
    )
    yield (
        (run("npm run build"), 'npm ERR! Missing script: "build"'),
        (run("npm run test"), 'npm error Missing script: "test"'),
        (run("npm run build"), "npm ERR! Build failed with 3 type problems in strict mode"),
    )
    yield (
        (
            run("docker run web"),
            "docker: permission denied while trying to connect to the Docker daemon socket",
        ),
        (
            run("docker run db"),
            "docker: got permission denied trying to connect to the daemon socket at unix:///x.sock",
        ),
        (
            run("docker run web"),
            "docker: Cannot connect to the Docker daemon at unix:///x.sock. Is it running?",
        ),
    )
    yield (
        (run("docker run -p 80:80 web"), "Bind for 0.0.0.0:80 failed: port 80 is already allocated"),
        (run("docker run -p 8080:80 web"), "Bind for 0.0.0.0:8080 failed: port 8080 is already allocated."),
        (
            run("docker run -p 80:80 web"),
            "pull access denied for web, repository does not exist or may need login",
        ),
    )
    yield (
        (run("ffmpg -i a.mp4 b.mp3"), "bash: ffmpg: command not found"),
        (run("ffmpg -i talk.mov talk.wav"), "/bin/sh: 1: ffmpg: command not found"),
        (run("ffmpg -i a.mp4 b.mp3"), "a.mp4: No such file or directory"),
    )
    yield (
        (run("tar xf a.zip"), "tar: This does not look like a tar archive"),
        (run("tar xf photos.zip"), "tar: photos.zip: this does not look like a tar archive; exiting"),
        (run("tar xf a.zip"), "tar: a.zip: Cannot open: No such file or directory"),
    )
    yield (
        (run("cp a.txt out/"), "cp: cannot create regular file 'out/': Not a directory"),
        (run("cp b.txt dist/"), "cp: cannot create regular file 'dist/': Not a directory"),
        (run("cp a.txt out/"), "cp: cannot stat 'a.txt': No such file or directory"),
    )
    yield (
        (run("rm build"), "rm: cannot remove 'build': Is a directory"),
        (run("rm dist"), "rm: cannot remove 'dist': Is a directory"),
        (run("rm build"), "rm: cannot remove 'build': Operation not permitted"),
    )
    yield (
        (run("rmdir old"), "rmdir: failed to remove 'old': Directory not empty"),
        (run("rmdir cache"), "rmdir: cache: Directory not empty"),
        (run("rmdir old"), "rmdir: failed to remove 'old': No such file or directory"),
    )
    yield (
        (run("mkdir a/b/c"), "mkdir: cannot create directory 'a/b/c': No such file or directory"),
        (run("mkdir x/y"), "mkdir: x: No such file or directory"),
        (run("mkdir a/b/c"), "mkdir: cannot create directory 'a/b/c': File exists"),
    )
    yield (
        (run("curl https://a.example"), "curl: (60) SSL certificate problem: self-signed certificate"),
        (
            run("curl https://b.example/x"),
            "curl: (60) SSL certificate problem: self signed certificate in chain",
        ),
        (
            run("curl https://a.example"),
            "curl: (7) Failed to connect to a.example port 443: Connection refused",
        ),
    )
    yield (
        (run("curl -f https://a.example/x"), "curl: (22) The requested URL returned error: 404"),
        (run("curl -f https://a.example/y/z"), "curl: (22) The requested URL returned error: 404 Not Found"),
        (run("curl -f https://a.example/x"), "curl: (22) The requested URL returned error: 403"),
    )
    yield (
        (run("ssh host"), "ssh: Could not resolve hostname host: Name or service not known"),
        (run("ssh build-7"), "ssh: Could not resolve hostname build-7: Temporary failure in name resolution"),
        (run("ssh host"), "ssh: connect to host host port 22: Connection timed out"),
    )
    yield (
        (run("ssh host"), "user@host: Permission denied (publickey)."),
        (run("ssh other"), "tom@other: Permission denied (publickey,password)."),
        (run("ssh host"), "Host key verification failed: the host key has changed"),
    )
    yield (
        (run("ls --colour"), "ls: unrecognized option '--colour'"),
        (run("ls --size-first"), "ls: unrecognized option '--size-first'; try 'ls --help'"),
        (run("ls out"), "ls: cannot access 'out': No such file or directory"),
    )
    yield (
        (
            run("apt install foo"),
            "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4242",
        ),
        (run("apt install bar"), "E: Could not get lock /var/lib/dpkg/lock. It is held by process 77 (apt)"),
        (run("apt install foo"), "E: Unable to locate package foo"),
    )
    yield (
        (run("make"), "make: *** No targets specified and no makefile found.  Stop."),
        (run("make"), "make: no targets specified and no makefile found. stop"),
        (run("make"), "make: *** [Makefile:12: all] Error 2"),
    )
    yield (
        (run("cargo build"), "error: linker `cc` not found"),
        (run("cargo build --release"), "error: linker `clang` not found"),
        (run("cargo build"), "error: could not compile `app` due to 3 previous errors"),
    )
    yield (
        (run("pytest"), "pytest: error: unrecognized arguments: --cov"),
        (run("pytest -x"), "ERROR: pytest: error: unrecognized arguments: --timeout"),
        (run("pytest"), "ERROR: file or directory not found: tests/unit"),
    )
    yield (
        (run("psql shop"), 'psql: error: FATAL: database "shop" does not exist'),
        (run("psql crm"), 'psql: error: connection failed: FATAL: database "crm" does not exist'),
        (run("psql shop"), 'psql: error: FATAL: password authentication failed for user "tom"'),
    )
    yield (
        (run("sqlite3 a.db .tables"), "Error: database is locked"),
        (run("sqlite3 b.db .tables"), "Error: in prepare, database is locked (5)"),
        (run("sqlite3 a.db .tables"), "Error: file is not a database"),
    )
    yield (
        (run("unzip a.zip"), "unzip: cannot find or open a.zip, a.zip.zip or a.zip.ZIP."),
        (run("unzip x.zip"), "unzip:  cannot find or open x.zip, x.zip.zip or x.zip.ZIP"),
        (
            run("unzip a.zip"),
            "End-of-central-directory signature not found. Either this file is not a zipfile",
        ),
    )


def _tools() -> Iterator[tuple[str, Said, Said, Said]]:
    yield (
        "read_file",
        (path("Report.TXT"), "There is no file Report.TXT in the workspace."),
        (path("Notes.MD"), "There is no file Notes.MD in your workspace."),
        (path("Report.TXT"), "Report.TXT is a folder."),
    )
    yield (
        "read_file",
        (path("a.csv"), "'utf-8' codec can't decode byte 0xe4 in position 12: invalid continuation byte"),
        (path("old/b.csv"), "'utf-8' codec can't decode byte 0xfc in position 4711: invalid start byte"),
        (path("a.csv"), "a.csv is too large: 14.2 MB; 2 MB are read."),
    )
    yield (
        "write_file",
        ({"path": "out/a.txt", "content": "x"}, "The folder for out/a.txt does not exist."),
        (
            {"path": "new/b.md", "content": "y"},
            "No such directory: 'new'. The folder of new/b.md does not exist",
        ),
        ({"path": "out/a.txt", "content": "x"}, "out/a.txt already exists."),
    )
    yield (
        "write_file",
        ({"path": "/etc/hosts", "content": "x"}, "Permission denied: '/etc/hosts'"),
        ({"path": "/usr/a", "content": "z"}, "[Errno 13] Permission denied: '/usr/a'"),
        ({"path": "/etc/hosts", "content": "x"}, "[Errno 30] No space left on device: '/etc/hosts'"),
    )
    yield (
        "move_file",
        ({"source": "a", "destination": "b"}, "The file is being used by another process: 'a'"),
        ({"source": "c.xls", "destination": "d.xls"}, "c.xls is being used by another process (WinError 32)"),
        ({"source": "a", "destination": "b"}, "b already exists."),
    )
    yield (
        "fetch_page",
        ({"url": "https://a.example/x"}, "The server answered HTTP 429 (too many requests)."),
        ({"url": "https://b.example/y"}, "HTTP status 429: too many requests, try again in 30 s"),
        ({"url": "https://a.example/x"}, "The server answered HTTP 404 (not found)."),
    )
    yield (
        "fetch_page",
        ({"url": "https://a.example"}, "The page did not answer within 30 seconds."),
        ({"url": "https://b.example"}, "The request timed out after 10 s."),
        ({"url": "https://a.example"}, "The certificate of a.example has expired."),
    )
    yield (
        "calculator",
        ({"expression": "2 pi r"}, "r is not defined."),
        ({"expression": "3 * width"}, "The name 'width' is not defined"),
        ({"expression": "2 +"}, "Unexpected end of the expression."),
    )
    yield (
        "set_reminder",
        ({"text": "milk", "when": "soonish"}, "The time 'soonish' could not be understood."),
        (
            {"text": "call", "when": "some day"},
            "The time 'some day' could not be understood; say a day or an hour.",
        ),
        ({"text": "milk", "when": "yesterday"}, "That time has passed already."),
    )
    yield (
        "list_folder",
        (path("docs"), "docs is not a folder."),
        (path("README"), "README is not a folder"),
        (path("docs"), "Access is denied: 'docs'"),
    )


CASES = (
    *(Case("run_command", *rows) for rows in _commands()),
    *(Case(tool, *rows) for tool, *rows in _tools()),
)


def learned(hindsight: Hindsight, case: Case) -> None:
    """The first failure of a case, and a call that worked after it."""
    session = f"{case.tool} {case.first[1]}"
    hindsight.failed(Failure(case.tool, case.first[1], arguments=case.first[0], session=session))
    name, value = next(iter(case.first[0].items()))
    assert hindsight.worked(case.tool, {**case.first[0], name: f"{value} fixed"}, session)


def recognised(hindsight: Hindsight, case: Case) -> bool:
    """Whether the repeat brings the fix of the first failure."""
    offers = hindsight.lookup(case.failure(case.repeat))
    return any(offer.fix.message == normalised_error(case.first[1]) for offer in offers)
