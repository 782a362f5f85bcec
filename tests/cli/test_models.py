"""`steward engines` and `--engine`: model servers through the real command line and a real server."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from desktop.cli import main
from tests.fakes.model_server import ModelServer, calls, model_server, status, words

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    def verb(*given: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(typed.encode())))
        code = main(["--profile", str(tmp_path / "profile"), *given])
        said = capsys.readouterr()
        return code, said.out, said.err

    return verb


def test_a_server_is_added_listed_tested_and_removed(run: Run) -> None:
    """Its only model is taken; where words would go is said; no words are sent."""
    with model_server() as server:
        code, said, _ = run("engines", "add", "big", server.url.removesuffix("/v1"))
        assert code == 0
        assert "with the model big-model" in said
        assert "another program on this computer" in said
        (row,) = json.loads(run("engines", "list", "--json")[1])
        assert (row["name"], row["address"], row["model"]) == ("big", server.url, "big-model")
        assert (row["here"], row["encrypted"], row["key"]) == (True, False, False)
        assert run("engines", "test", "big")[:2] == (0, "big-model\n")
        assert server.asked == []
        assert run("engines", "remove", "big")[0] == 0
        assert "There are no model servers." in run("engines", "list")[1]


def test_one_of_several_models_is_named(run: Run) -> None:
    """Without a name, and with one that it does not have, nothing is added."""
    with model_server() as server:
        server.models = ("small", "large")
        assert "small, large" in run("engines", "add", "big", server.url)[2]
        assert "no model called huge" in run("engines", "add", "big", server.url, "--model", "huge")[2]
        assert run("engines", "add", "big", server.url, "--model", "large")[0] == 0


@pytest.mark.parametrize("code", [404, 405, 500])
def test_a_server_without_a_list_of_models_needs_a_name(run: Run, code: int) -> None:
    """Proxies leave it out, and some servers fail at it; whoever names the model knows it."""
    with model_server() as server:
        server.listing = status(code)
        assert run("engines", "add", "big", server.url)[0] != 0
        assert run("engines", "add", "big", server.url, "--model", "large")[0] == 0
        (row,) = json.loads(run("engines", "list", "--json")[1])
        assert row["model"] == "large"


@pytest.mark.parametrize(
    ("words_", "said"),
    [
        (("Big!", "https://a.example"), "cannot be the name"),
        (("big", "a.example"), "not the address"),
        (("big", "http://192.0.2.1"), "--unencrypted"),
        (("big", "http://93.184.215.14", "--unencrypted"), "does not use https"),
    ],
)
def test_what_is_unfit_is_not_added(run: Run, words_: tuple[str, ...], said: str) -> None:
    """And nothing is asked of anybody."""
    code, _, error = run("engines", "add", *words_)
    assert code != 0
    assert said in error
    assert run("engines", "list", "--json")[1].strip() == "[]"


def test_a_server_that_does_not_answer_is_not_kept(run: Run) -> None:
    """Neither in the settings nor in the keyring."""
    with model_server() as server:
        server.listing = status(401)
        for words_, typed in ((("--key",), "sk-1\n"), ((), "")):
            error = run("engines", "add", "big", server.url, *words_, typed=typed)[2]
            assert "needs a key, or a different one" in error
            assert "Add it again with its key" in error  # it is not there to be given another
        assert run("engines", "list", "--json")[1].strip() == "[]"


def test_the_key_is_in_no_file_but_the_keyrings(run: Run, tmp_path: Path) -> None:
    """Typed unseen or piped, never an argument; sent as the protocol wants it; gone with the server."""
    with model_server() as server:
        run("engines", "add", "big", server.url, "--key", typed="sk-secret-77\n")
        assert server.seen[0][1]["Authorization"] == "Bearer sk-secret-77"
        run("engines", "key", "big", typed="sk-secret-78\n")
        run("engines", "test", "big")
        assert server.seen[-1][1]["Authorization"] == "Bearer sk-secret-78"
        holders = [each.name for each in _files(tmp_path) if b"sk-secret" in each.read_bytes()]
        assert holders in ([], ["secrets.json"])  # where there is no keyring its file takes its place
        run("engines", "remove", "big")
    assert not [each for each in _files(tmp_path) if b"sk-secret" in each.read_bytes()]


def test_a_key_with_a_line_break_is_refused(run: Run) -> None:
    """It would become another header."""
    with model_server() as server:
        assert "not a key" in run("engines", "add", "big", server.url, "--key", typed="a b\n")[2]
        assert not server.seen


def _asked(run: Run, server: ModelServer, *more: str) -> tuple[int, str, str]:
    run("engines", "add", "big", server.url)
    return run("ask", "--engine", "big", "--no-memory", *more, "Why is the sky blue?")


def test_ask_sends_to_the_host_that_the_command_names(run: Run) -> None:
    """With the preview on stderr, the answer alone on stdout, and no model on this computer."""
    with model_server(words("Rayleigh", " scattering.")) as server:
        code, said, error = _asked(run, server, "--to", server.shown)
        assert (code, said) == (0, "Rayleigh scattering.\n")
        assert f"Your words go to: another program on this computer ({server.shown})" in error
        assert len(server.asked) == 1


@pytest.mark.parametrize("more", [(), ("--to", "models.example.org")])
def test_ask_sends_nothing_without_a_yes(run: Run, more: tuple[str, ...]) -> None:
    """Where nobody can be asked, and where the command names another host."""
    with model_server() as server:
        code, said, error = _asked(run, server, *more)
        assert code != 0
        assert said == ""
        assert "not agreed to send" in error
        assert server.asked == []


def test_json_names_model_and_host(run: Run) -> None:
    """For scripts."""
    with model_server() as server:
        _, said, _ = _asked(run, server, "--to", server.shown, "--json")
        assert json.loads(said)["model"] == f"big-model @ {server.shown}"


def test_json_tells_of_calls_with_their_decision(run: Run) -> None:
    """In words: a reason is no JSON."""
    with model_server(calls(("current_time", "{}")), words("It is late.")) as server:
        _, said, _ = _asked(run, server, "--to", server.shown, "--json")
        (call,) = json.loads(said)["calls"]
        assert (call["name"], type(call["decision"])) == ("current_time", str)


def test_chat_says_where_each_question_goes(run: Run) -> None:
    """Every question of the chat goes there, after one yes."""
    with model_server() as server:
        run("engines", "add", "big", server.url)
        code, said, error = run(
            *("chat", "--engine", "big", "--to", server.shown, "--no-memory"), typed="One\nTwo\nquit\n"
        )
        assert code == 0
        assert said.count("Hello there") == 2
        assert error.count("Your words go to") == 1
        assert len(server.asked) == 2


def test_an_unknown_engine_is_a_sentence(run: Run) -> None:
    """Before anything is loaded or asked."""
    assert "no model server called none" in run("ask", "--engine", "none", "Hello")[2]
    assert "no model server called none" in run("chat", "--engine", "none", typed="quit\n")[2]


def _files(folder: Path) -> list[Path]:
    return [each for each in folder.rglob("*") if each.is_file()]
