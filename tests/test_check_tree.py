"""The check of lock files and tree finds what it is there for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.check_tree import giveaways, wrong_with_locks

PROJECT = """
[project]
dependencies = ["httpx>=0.28", "llama-cpp-python==0.3.36"]
[dependency-groups]
dev = ["Types_PyYAML>=6"]
"""
HASH = " \\\n    --hash=sha256:00\n"
RUN = f"httpx==0.28.1{HASH}"
DEV = f"{RUN}types-pyyaml==6.0{HASH}"
LLAMA = f"llama-cpp-python==0.3.36{HASH}"


@pytest.mark.parametrize(
    ("run", "dev", "llama", "said"),
    [
        (RUN, DEV, LLAMA, []),
        ("", DEV, LLAMA, ["run.lock lacks httpx"]),
        (RUN, RUN, LLAMA, ["dev.lock lacks Types_PyYAML"]),
        (RUN, DEV, "", ["llama.lock lacks llama-cpp-python"]),
        (RUN, DEV, LLAMA.replace("36", "35"), ["llama.lock has llama-cpp-python 0.3.35"]),
        (RUN.replace("1", "2"), DEV, LLAMA, ["run.lock has httpx 0.28.2, dev.lock has 0.28.1"]),
        (RUN, "--index-url https://example.org\n" + DEV, LLAMA, ["dev.lock names an address"]),
    ],
)
def test_locks(tmp_path: Path, run: str, dev: str, llama: str, said: list[str]) -> None:
    """A package that is missing, too old, different for tests, or tied to an index is named."""
    (tmp_path / "requirements").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    for name, text in (("run", run), ("dev", dev), ("llama", llama)):
        (tmp_path / "requirements" / f"{name}.lock").write_text(text, encoding="utf-8")
    sentences = list(wrong_with_locks(tmp_path))
    assert len(sentences) == len(said)
    assert all(sentence.startswith(start) for sentence, start in zip(sentences, said, strict=True))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("see /work" + "/main/dev.py", True),
        ("see /tmp" + "/w/brief", True),
        ("file:///" + "opt/index/simple", True),
        ("https://packages.corp" + ".test/api/simple", True),
        ("https://pypi.org/simple", False),
        ("https://mirror.example.org/simple", False),
        ("http://127.0.0.1:8080/simple", False),
        ("homework/main and /usr/share", False),
        ("https://huggingface.co/a/resolve/main/b.gguf", False),
    ],
)
def test_giveaways(tmp_path: Path, text: str, found: bool) -> None:
    """Folders and indexes of one computer are reported with their place; public addresses are not."""
    (tmp_path / "a.md").write_text(f"one\n{text}\n", encoding="utf-8")
    (tmp_path / "b.bin").write_bytes(b"\0" + text.encode())
    sentences = list(giveaways(tmp_path, ["a.md", "b.bin"]))
    assert [sentence.startswith("a.md:2:") for sentence in sentences] == [True] * found
