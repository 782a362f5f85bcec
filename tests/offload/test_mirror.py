"""What goes to a worker: what git sees and the program needs, and never a secret."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from desktop.offload.mirror import MirrorState, changes, listing, root_of, settled
from desktop.offload.programs import read_programs
from tests.offload.conftest import Workplace

PROGRAMS = read_programs()
# One of each kind that people keep in their projects, as they are really called.
SECRETS = (
    *(
        ".env",
        ".env.local",
        ".env.production",
        "config/.env",
        "prod.env",
        ".envrc",
        "id_rsa",
        "keys/id_ed25519",
    ),
    *("deploy.pem", "tls/server.key", "store.p12", "cert.pfx", "app.keystore", "app.jks", "login.kdbx"),
    *("credentials.json", "credentials", "service-account.json", "client_secret_12.json", "secrets.yaml"),
    *(
        "secrets.toml",
        "config/secrets.json",
        "passwords.txt",
        "token.json",
        "api_key.txt",
        "access_token.json",
    ),
    *(".npmrc", ".netrc", ".pypirc", ".pgpass", ".git-credentials", ".htpasswd", ".my.cnf", ".s3cfg"),
    *(
        ".aws/credentials",
        ".ssh/id_rsa",
        ".kube/config",
        ".docker/config.json",
        ".gnupg/private-keys-v1.d/a.key",
    ),
    *("terraform.tfstate", ".vault-token", "wallet.dat", ".bash_history", "cookies.sqlite", "kubeconfig"),
    *("oauth_creds.json", ".cargo/credentials.toml", "firebase-adminsdk-x.json", "secring.gpg", "vpn.ovpn"),
)
assert len(SECRETS) >= 40


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "some" / "project"
    folder.mkdir(parents=True)
    subprocess.run(("git", "init", "-q", str(folder)), check=True)
    return folder


def put(folder: Path, *names: str, text: str = "x") -> None:
    for name in names:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


@pytest.mark.parametrize("program", ["make", "cargo", "pytest", "npm"])
@pytest.mark.parametrize("tracked", [True, False])
def test_no_secret_is_in_a_listing(repository: Path, program: str, tracked: bool) -> None:
    """Forty kinds, tracked or not, whatever the program may have of what git ignores."""
    put(repository, *SECRETS, "main.c", "token.py", "credentials.ts")
    if tracked:
        subprocess.run(("git", "-C", str(repository), "add", "-f", "."), check=True)
    found = listing(repository, PROGRAMS.by_name[program], PROGRAMS.heavy)
    assert set(found.files) == {"main.c", "token.py", "credentials.ts"}
    assert set(found.withheld) == set(SECRETS)


def test_a_link_to_a_secret_stays_here(repository: Path, tmp_path: Path) -> None:
    """Under whatever name."""
    put(tmp_path, "id_rsa")
    os.symlink(tmp_path / "id_rsa", repository / "harmless.txt")
    assert listing(repository, PROGRAMS.by_name["make"], PROGRAMS.heavy).files == {}


def test_what_git_ignores_goes_only_where_a_program_needs_it(repository: Path) -> None:
    """Object files for make, node_modules for npm, neither for cargo; heavy folders for nobody unasked."""
    put(repository, "main.c", "main.o", "node_modules/a/index.js", "target/debug/a", ".venv/bin/python")
    put(repository, ".gitignore", text="*.o\nnode_modules\ntarget\n.venv\n")

    def sent(program: str) -> set[str]:
        return set(listing(repository, PROGRAMS.by_name[program], PROGRAMS.heavy).files)

    plain = {"main.c", ".gitignore"}
    assert sent("cargo") == plain
    assert sent("make") == plain | {"main.o"}
    assert sent("npm") == plain | {"node_modules/a/index.js"}
    assert sent("pytest") == plain | {".venv/bin/python"}


def test_modules_and_outputs_of_each_package_go(repository: Path) -> None:
    """A workspace has node_modules and compiled files in each of its packages, and a test needs them."""
    kept = {"packages/a/node_modules/b/index.js", "packages/a/dist/a.js", "dist/all.js"}
    put(repository, *kept, "packages/a/coverage/a.html", "src/a.ts")
    put(repository, ".gitignore", text="node_modules\ndist\ncoverage\n")
    found = listing(repository, PROGRAMS.by_name["pnpm"], PROGRAMS.heavy)
    assert set(found.files) == kept | {"src/a.ts", ".gitignore"}


def test_a_repository_within_goes_with_its_files(repository: Path) -> None:
    """Git tells it by one name; its own ignored files and its store stay."""
    inner = repository / "vendor" / "lib"
    inner.mkdir(parents=True)
    subprocess.run(("git", "init", "-q", str(inner)), check=True)
    put(inner, "a.c", "b.o")
    put(inner, ".gitignore", text="*.o\n")
    found = listing(repository, PROGRAMS.by_name["cargo"], PROGRAMS.heavy)
    assert set(found.files) == {"vendor/lib/a.c", "vendor/lib/.gitignore"}


def test_names_of_every_kind_are_listed(repository: Path) -> None:
    """Blanks, quotes, line breaks, other alphabets, and bytes that are no text."""
    names = ["a b", "a'b", 'a"b', "a\nb", "ä/ß.c", "-rf", "$HOME", os.fsdecode(b"\xff.c")]
    put(repository, *names)
    assert set(listing(repository, PROGRAMS.by_name["cargo"], PROGRAMS.heavy).files) == set(names)


def test_only_changes_are_sent(repository: Path) -> None:
    """New, edited and removed files; an output that is gone here is gone there too."""
    put(repository, "a", "b", "c", "out")
    before = listing(repository, PROGRAMS.by_name["cargo"], PROGRAMS.heavy).files
    known = MirrorState("t", {name: before[name] for name in "abc"}, {"out": before["out"]})
    put(repository, "b", text="another")
    put(repository, "d")
    (repository / "c").unlink()
    (repository / "out").unlink()
    now = listing(repository, PROGRAMS.by_name["cargo"], PROGRAMS.heavy)
    found = changes(repository, now, known, sends_outputs=False)
    assert (found.written, found.removed) == (("b", "d"), ("c", "out"))


def test_a_folder_that_is_gone_is_named_itself(repository: Path) -> None:
    """The highest one that is gone, since rsync gives up over a file whose folder is not there."""
    put(repository, "a/b/one", "a/b/two", "a/c", "d/e/f")
    known = MirrorState("t", {}, dict(listing(repository, PROGRAMS.by_name["cargo"], PROGRAMS.heavy).files))
    shutil.rmtree(repository / "a" / "b")
    shutil.rmtree(repository / "d")
    now = listing(repository, PROGRAMS.by_name["cargo"], PROGRAMS.heavy)
    assert changes(repository, now, known, sends_outputs=False).removed == ("a/b", "d")


def test_what_is_as_young_as_the_look_is_not_remembered(repository: Path) -> None:
    """It may be written again within the same tick of the clock."""
    put(repository, "a")
    files = listing(repository, PROGRAMS.by_name["cargo"], PROGRAMS.heavy).files
    changed_ns = files["a"][1]
    assert settled(files, changed_ns + 1) == {}
    assert settled(files, changed_ns + 1_000_000_000) == files


@pytest.mark.parametrize("folder", ["/", "/usr/share", "/etc", "/home", str(Path.home())])
def test_the_systems_own_folders_are_no_projects(folder: str) -> None:
    """Nor is a whole home folder."""
    assert root_of(Path(folder)) is None


def test_planted_secrets_are_on_no_worker(workplace: Workplace) -> None:
    """After a real build nothing of them is there, neither as a file nor as content."""
    planted = "PLANTED-7f3a"
    put(workplace.project, *SECRETS, text=planted)
    workplace.write({"Makefile": "all:\n\t@echo done; env | grep -c PLANTED || true\n"})
    workplace.extra = {"MY_API_TOKEN": planted, "CFLAGS": "-O2", "AWS_SECRET_ACCESS_KEY": planted}
    done = workplace.run("make")
    assert (done.returncode, done.stdout) == (0, b"done\n0\n")
    assert workplace.last.worker == "tower"
    found = subprocess.run(("grep", "-rl", planted, str(workplace.worker.home)), capture_output=True)
    assert found.stdout == b""


def test_a_test_that_may_need_a_secret_runs_here(workplace: Workplace) -> None:
    """And a build that fails without one runs again here."""
    put(workplace.project, "server.key")
    workplace.write({"Makefile": "all:\n\t@cat server.key\ntest:\n\t@cat server.key\n"})
    tested, built = workplace.run("make", "test"), workplace.run("make")
    assert (tested.returncode, tested.stdout) == (0, b"x")
    assert b"server.key looks like a secret" in tested.stderr
    assert (built.returncode, built.stdout) == (0, b"x")
    assert b"server.key looks like a secret" in built.stderr


def test_a_folder_that_became_a_link_stays_here(repository: Path, tmp_path: Path) -> None:
    """Git still names its files; what they are now lies elsewhere, and nobody agreed to send that."""
    elsewhere = tmp_path / "elsewhere"
    for folder in (repository / "sub" / "deep", elsewhere / "deep"):
        folder.mkdir(parents=True)
        (folder / "file.txt").write_text("text")
    subprocess.run(("git", "-C", str(repository), "add", "-A"), check=True)
    shutil.rmtree(repository / "sub")
    (repository / "sub").symlink_to(elsewhere)
    found = listing(repository, PROGRAMS.by_name["make"], PROGRAMS.heavy)
    assert [path for path in found.files if path != "sub"] == []


@pytest.mark.skipif(os.name != "posix", reason="a script of the shell")
def test_no_program_of_the_repository_is_started(repository: Path, tmp_path: Path) -> None:
    """Its settings may name one that Git asks what has changed; nobody has agreed to run it."""
    (repository / "file.txt").write_text("text")
    subprocess.run(("git", "-C", str(repository), "add", "-A"), check=True)
    monitor, ran = tmp_path / "monitor.sh", tmp_path / "ran"
    monitor.write_text(f"#!/bin/sh\ntouch {ran}\n")
    monitor.chmod(0o755)
    subprocess.run(("git", "-C", str(repository), "config", "core.fsmonitor", str(monitor)), check=True)
    assert "file.txt" in listing(repository, PROGRAMS.by_name["make"], PROGRAMS.heavy).files
    assert not ran.exists()
