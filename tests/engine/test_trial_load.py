"""Model files from anywhere, loaded first where they can do no harm."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from desktop.engine.inference import InferenceError
from desktop.engine.llama import LlamaBackend
from desktop.engine.trial_load import TrialLoad
from desktop.errors import UserFacing
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser

pytestmark = [pytest.mark.model, pytest.mark.children]

PARSER = Parser(lambda: available().best)
EPSILON = b"llama.attention.layer_norm_rms_epsilon"


def trial(folder: Path, published: bool = False) -> TrialLoad:
    return TrialLoad(folder / "tried.json", PARSER, lambda _path: published)


def altered(model: Path, folder: Path, key: bytes, value: bytes) -> Path:
    """A copy in which the value of `key` is another of the same size."""
    content = bytearray(model.read_bytes())
    at = content.index(key) + len(key) + 4  # behind the number of its type
    content[at : at + len(value)] = value
    file = folder / "altered.gguf"
    file.write_bytes(content)
    return file


def test_a_file_that_aborts_ends_its_child_and_not_the_program(smollm2: Path, tmp_path: Path) -> None:
    """llama.cpp asserts on numbers that are none; here that is a sentence."""
    file = altered(smollm2, tmp_path, EPSILON, struct.pack("<f", float("nan")))
    with pytest.raises(UserFacing, match="crashed there") as refused:
        LlamaBackend(trial(tmp_path).check).load(file, 0, lambda _fraction: True)
    assert refused.value.code == "model-unsafe"


def test_what_llama_cpp_refuses_is_refused_as_ever(smollm2: Path, tmp_path: Path) -> None:
    """Its own refusal is passed on; nothing is remembered of the file."""
    file = altered(smollm2, tmp_path, b"llama.feed_forward_length", struct.pack("<I", 77))
    with pytest.raises(InferenceError, match="could not load"):
        trial(tmp_path).check(file)
    assert not (tmp_path / "tried.json").exists()


def test_a_good_file_is_tried_once(smollm2: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """The second load costs nothing, and so does one after a start; a changed file is a new one."""
    copy = tmp_path / "copy.gguf"
    copy.write_bytes(smollm2.read_bytes())
    trial(tmp_path).check(copy)
    remembered = (tmp_path / "tried.json").read_bytes()
    trial(tmp_path).check(copy)
    assert (tmp_path / "tried.json").read_bytes() == remembered
    copy.write_bytes(copy.read_bytes() + b"\0")
    trial(tmp_path).check(copy)
    assert (tmp_path / "tried.json").read_bytes() != remembered


def test_a_published_file_is_not_tried(tmp_path: Path) -> None:
    """Its hash was compared with what its publisher states, so nobody waits for it twice."""
    trial(tmp_path, published=True).check(tmp_path / "not even there.gguf")


@pytest.mark.parametrize("content", [b"", b"{}", b"[1, null]", b"\xff\xfe", b'["x"'])
def test_a_damaged_list_only_costs_another_try(smollm2: Path, tmp_path: Path, content: bytes) -> None:
    """Nothing of it is believed, and it is written anew."""
    (tmp_path / "tried.json").write_bytes(content)
    trial(tmp_path).check(smollm2)
    assert str(smollm2) in (tmp_path / "tried.json").read_text(encoding="utf-8")
