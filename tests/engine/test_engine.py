"""The engine as its users see it: requests in, streams and events out."""

from __future__ import annotations

import gc
import threading
from pathlib import Path

import pytest

from desktop.engine.crash_marker import LoadAttempt
from desktop.engine.engine import reason_to_unload
from desktop.engine.events import (
    EngineState,
    GenerationFinished,
    ModelFailed,
    ModelLoaded,
    ModelLoading,
    ModelUnloaded,
)
from desktop.engine.generation import WEIGHED_AT_ONCE
from desktop.engine.host import MB
from desktop.engine.inference import InferenceError, TextOrigin
from desktop.engine.kv_cache import Parking
from desktop.engine.reasons import EngineReason
from desktop.engine.requests import (
    ContextOverflow,
    FinishReason,
    GenerateRequest,
    Message,
    Priority,
)
from desktop.errors import UserFacing
from desktop.events import Bus, Event
from desktop.models.fit import KV_SHARE, MODEL_SHARE, SPARE_BYTES, ram_needed_bytes
from desktop.models.gguf import GgufFacts
from desktop.paths import Paths
from desktop.reasons import size_text
from desktop.settings import ModelSettings
from tests.engine.conftest import PlentyOfMemory, StartEngine, ask
from tests.engine.test_crash_marker import crash
from tests.fakes.clock import FakeClock
from tests.fakes.scripted_model import ScriptedBackend, ScriptedContext, installed

LONG = " ".join(f"word{number}" for number in range(1000))
WAIT_S = 10


class Pause:
    """Holds the model at a chosen computation until the test lets it go on, or it is interrupted."""

    def __init__(self, at_tokens: int, from_tokens: int = 1) -> None:
        self._sizes = range(from_tokens, at_tokens + 1)
        self.reached = threading.Event()
        self._go_on = threading.Event()
        self.interrupted = 0

    def __call__(self, context: ScriptedContext, tokens: object) -> None:
        if len(tokens) not in self._sizes or self._go_on.is_set():  # type: ignore[arg-type]
            return
        self.reached.set()
        while not self._go_on.is_set():
            if context.interrupt.wait(0.005):
                self.interrupted += 1
                return

    def let_go(self) -> None:
        self._go_on.set()


def test_an_answer_streams(start_engine: StartEngine) -> None:
    """The pieces together are the answer, and the metrics tell what it cost."""
    engine = start_engine(ScriptedBackend("The sea is blue."))
    stream = engine.submit(ask())
    assert "".join(stream) == "The sea is blue."
    assert stream.finish is FinishReason.STOP
    assert stream.metrics.answer_tokens == 5
    assert stream.metrics.reused_tokens == 0
    assert stream.metrics.prompt_tokens > 0
    assert (stream.metrics.device, stream.metrics.threads, stream.metrics.outcome) == ("cpu", 2, "stop")


def test_marks_that_models_write_are_text_and_control_tokens_are_not(start_engine: StartEngine) -> None:
    """<think> comes through, <|im_start|> does not, <|im_end|> ends the answer."""
    backend = ScriptedBackend("x")
    backend.vocabulary.tokenize = lambda text, origin: (  # type: ignore[method-assign]
        [2, 0, 3, backend.vocabulary.id("ok"), 1, 2] if text == "x" else [backend.vocabulary.id("prompt")]
    )
    assert start_engine(backend).submit(ask()).text(WAIT_S) == "<think></think>ok"


def test_the_second_turn_computes_only_what_is_new(start_engine: StartEngine) -> None:
    """Prompt and answer of the first turn are in the KV cache, token for token."""
    backend = ScriptedBackend(["A green  one.", "Yes."])
    engine = start_engine(backend)
    first = (Message("system", "Be kind."), Message("user", LONG))
    assert engine.submit(GenerateRequest("a", first)).text(WAIT_S) == "A green  one."
    before = backend.evaluated_tokens
    later = (*first, Message("assistant", "A green  one."), Message("user", "Really?"))
    stream = engine.submit(GenerateRequest("a", later))
    assert stream.text(WAIT_S) == "Yes."
    computed = backend.evaluated_tokens - before - stream.metrics.answer_tokens
    assert computed == stream.metrics.prompt_tokens - stream.metrics.reused_tokens
    assert computed < 20
    assert backend.prompts[1].endswith(
        "<|im_end|>\n<|im_start|>user\nReally?<|im_end|>\n<|im_start|>assistant\n"
    )


def test_two_conversations_keep_their_caches(start_engine: StartEngine) -> None:
    """Going to and fro between two long conversations computes neither of them again."""
    backend = ScriptedBackend("Fine.")
    engine = start_engine(backend)
    for conversation in ("a", "b"):
        engine.submit(ask(conversation + LONG, conversation)).text(WAIT_S)
    for conversation in ("a", "b", "a"):
        stream = engine.submit(ask(conversation + LONG, conversation))
        stream.text(WAIT_S)
        assert stream.metrics.reused_tokens == stream.metrics.prompt_tokens - 1


def test_a_new_conversation_shares_the_system_prompt(start_engine: StartEngine) -> None:
    """The tokens that both begin with are not computed again."""
    backend = ScriptedBackend("Fine.")
    engine = start_engine(backend)
    engine.submit(ask("one", "a", system=LONG)).text(WAIT_S)
    stream = engine.submit(ask("two", "b", system=LONG))
    stream.text(WAIT_S)
    assert stream.metrics.reused_tokens > 1000
    assert backend.prompts[1].endswith("user\ntwo<|im_end|>\n<|im_start|>assistant\n")
    assert "one" not in backend.prompts[1]


def test_a_model_that_cannot_go_back_computes_anew(start_engine: StartEngine) -> None:
    """A recurrent state is used whole or not at all; the metrics say that nothing was reused."""
    backend = ScriptedBackend("Fine.", whole_only=True)
    engine = start_engine(backend)
    engine.submit(ask("one " + LONG)).text(WAIT_S)
    stream = engine.submit(ask("two " + LONG))
    assert stream.text(WAIT_S) == "Fine."
    assert stream.metrics.reused_tokens == 0
    assert backend.prompts[1].startswith("<|im_start|>user\ntwo word0")


def test_the_stable_prefix_survives_a_restart(start_engine: StartEngine, bus: Bus) -> None:
    """After a restart the system prompt comes from disk; only the question is computed."""
    unloaded = threading.Event()
    bus.subscribe(ModelUnloaded, lambda _event: unloaded.set())
    first = start_engine(ScriptedBackend("Fine."))
    first.submit(ask("one", system=LONG)).text(WAIT_S)
    first.submit(ask("again", "b", system=LONG)).text(WAIT_S)
    backend = ScriptedBackend("Fine.", vocabulary=first._loader._backend.vocabulary)  # type: ignore[attr-defined]
    first.close()
    assert unloaded.wait(WAIT_S)  # what is being saved is saved first
    stream = start_engine(backend).submit(ask("two", system=LONG))
    assert stream.text(WAIT_S) == "Fine."
    assert stream.metrics.reused_tokens > 1000
    assert backend.prompts[0].endswith("user\ntwo<|im_end|>\n<|im_start|>assistant\n")


@pytest.mark.parametrize("content", [b"", b"steward prefix 1\n", b"something else" * 100])
def test_a_damaged_saved_prefix_is_thrown_away(
    start_engine: StartEngine, paths: Paths, content: bytes
) -> None:
    """It is deleted, and the prompt is computed."""
    first = start_engine(ScriptedBackend("Fine."))
    first.submit(ask("one", system=LONG)).text(WAIT_S)
    first.unload("test")
    first.submit(ask("one", "b")).text(WAIT_S)  # the model was unloaded in between: all is on disk
    (saved,) = paths.prefixes.glob("*.prefix")
    saved.write_bytes(saved.read_bytes()[: len(content)] + content)
    backend = ScriptedBackend("Fine.", vocabulary=first._loader._backend.vocabulary)  # type: ignore[attr-defined]
    stream = start_engine(backend).submit(ask("two", system=LONG))
    stream.text(WAIT_S)
    assert stream.metrics.reused_tokens == 0


def test_a_judge_goes_first_while_a_prompt_is_computed(start_engine: StartEngine) -> None:
    """The chunk is interrupted, the judge answers, the chat goes on and loses nothing."""
    pause = Pause(at_tokens=512, from_tokens=400)
    backend = ScriptedBackend(lambda prompt: "judged" if "harmless" in prompt else "chatted", on_decode=pause)
    engine = start_engine(backend)
    chat = engine.submit(ask(LONG))
    assert pause.reached.wait(WAIT_S)
    judge = engine.submit(ask("harmless", "judge", Priority.JUDGE))
    assert judge.text(WAIT_S) == "judged"
    assert pause.interrupted == 1
    pause.let_go()
    assert chat.text(WAIT_S) == "chatted"
    assert LONG in backend.prompts[1]


def test_a_chunk_that_was_interrupted_twice_runs_to_its_end(start_engine: StartEngine) -> None:
    """However many judges come, a chat gets on: the third, shorter chunk is not interrupted."""
    pause = Pause(at_tokens=512, from_tokens=2)
    backend = ScriptedBackend(lambda prompt: "judged" if "harmless" in prompt else "chatted")
    engine = start_engine(backend)
    engine.submit(ask("warm up", "x")).text(WAIT_S)
    backend.on_decode = lambda context, tokens: pause(context, tokens) if context.shape.cells > 2048 else None
    chat = engine.submit(ask(LONG))
    for expected in (1, 2):
        assert pause.reached.wait(WAIT_S)
        pause.reached.clear()
        assert engine.submit(ask("harmless", "judge", Priority.JUDGE)).text(WAIT_S) == "judged"
        assert pause.interrupted == expected
    assert pause.reached.wait(WAIT_S)
    judge = engine.submit(ask("harmless", "judge", Priority.JUDGE))
    with pytest.raises(TimeoutError):
        judge.text(0.1)
    assert pause.interrupted == 2
    pause.let_go()
    assert chat.text(WAIT_S) == "chatted"


def test_requests_are_worked_off_by_priority_then_age(start_engine: StartEngine) -> None:
    """While one answer is under way others queue up; the urgent come first, equals in their order."""
    pause = Pause(at_tokens=1)
    backend = ScriptedBackend("Well then.", on_decode=pause)
    engine = start_engine(backend)
    finished: list[str] = []
    engine._bus.subscribe(GenerationFinished, lambda event: finished.append(event.conversation))
    streams = [engine.submit(ask(conversation="first", priority=Priority.CHAT))]
    assert pause.reached.wait(WAIT_S)
    order = [Priority.BACKGROUND, Priority.CHAT, Priority.QUICK_ASK, Priority.CHAT, Priority.JUDGE]
    for number, priority in enumerate(order):
        streams.append(engine.submit(ask(conversation=f"{priority.name} {number}", priority=priority)))
    pause.let_go()
    for stream in streams:
        stream.text(WAIT_S)
    assert finished == ["JUDGE 4", "QUICK_ASK 2", "first", "CHAT 1", "CHAT 3", "BACKGROUND 0"]


@pytest.mark.parametrize("during", ["prompt", "answer"])
def test_cancel_stops_the_computation(start_engine: StartEngine, during: str) -> None:
    """The stream ends as cancelled, and the next request works."""
    pause = Pause(at_tokens=512, from_tokens=400) if during == "prompt" else Pause(at_tokens=1)
    backend = ScriptedBackend("One two three.", on_decode=pause)
    engine = start_engine(backend)
    stream = engine.submit(ask(LONG))
    assert pause.reached.wait(WAIT_S)
    stream.cancel()
    assert stream.text(WAIT_S) == ("" if during == "prompt" else "One")
    assert stream.finish is FinishReason.CANCELLED
    pause.let_go()
    again = engine.submit(ask(LONG))
    assert again.text(WAIT_S) == "One two three."
    assert backend.prompts[-1].startswith("<|im_start|>user\nword0")


def test_cancelling_a_request_that_waits_leaves_the_running_one_alone(start_engine: StartEngine) -> None:
    """Only the job that computes is interrupted, and only by its own cancel."""
    pause = Pause(at_tokens=512, from_tokens=400)
    engine = start_engine(ScriptedBackend("Done.", on_decode=pause))
    running = engine.submit(ask(LONG))
    assert pause.reached.wait(WAIT_S)
    waiting = engine.submit(ask("other", "b"))
    waiting.cancel()
    assert pause.interrupted == 0
    pause.let_go()
    assert running.text(WAIT_S) == "Done."
    assert waiting.text(WAIT_S) == ""
    assert waiting.finish is FinishReason.CANCELLED


def test_cancel_after_the_end_is_harmless(start_engine: StartEngine) -> None:
    """A late click on Stop neither fails nor hits the next answer."""
    engine = start_engine(ScriptedBackend("Done."))
    stream = engine.submit(ask())
    stream.text(WAIT_S)
    stream.cancel()
    assert engine.submit(ask()).text(WAIT_S) == "Done."


@pytest.mark.parametrize(
    ("max_tokens", "context", "answer", "finish", "tokens"),
    [(3, 4096, "one two three", FinishReason.LENGTH, 3), (500, 512, None, FinishReason.CONTEXT_FULL, None)],
)
def test_limits_are_told(
    start_engine: StartEngine,
    max_tokens: int,
    context: int,
    answer: str | None,
    finish: FinishReason,
    tokens: int | None,
) -> None:
    """An answer that reaches its length or the end of the context says which."""
    script = "one two three " + LONG
    engine = start_engine(ScriptedBackend(script), context_tokens=context)
    stream = engine.submit(ask(" ".join(["w"] * 400), max_tokens=max_tokens))
    text = stream.text(WAIT_S)
    assert stream.finish is finish
    assert script.startswith(text)
    assert answer is None or text == answer
    assert tokens is None or stream.metrics.answer_tokens == tokens


def test_a_prompt_that_does_not_fit_is_the_caller_s_to_shorten(start_engine: StartEngine) -> None:
    """Nothing is cut: the error has the count for each message, and the engine goes on."""
    engine = start_engine(ScriptedBackend("Done."), context_tokens=512)
    messages = (Message("system", "Be kind."), Message("user", LONG), Message("user", "and this"))
    with pytest.raises(ContextOverflow) as caught:
        engine.submit(GenerateRequest("a", messages)).text(WAIT_S)
    overflow = caught.value
    assert overflow.context_tokens == 512
    assert sum(overflow.message_tokens) == overflow.prompt_tokens > 1000
    assert overflow.message_tokens[1] > 1000 > 20 > overflow.message_tokens[2] > 0
    assert engine.submit(ask()).text(WAIT_S) == "Done."


def test_a_waiting_conversation_gives_up_its_cells(start_engine: StartEngine) -> None:
    """An urgent long prompt takes the cache of a chat that waits; the chat then goes on where it was."""
    pause = Pause(at_tokens=1)
    backend = ScriptedBackend(lambda prompt: "quick" if "urgent" in prompt else "one two", on_decode=pause)
    engine = start_engine(backend, context_tokens=1536)
    chat = engine.submit(ask(LONG + " more" * 400))
    assert pause.reached.wait(WAIT_S)
    assert backend.restored == 0
    quick = engine.submit(ask("urgent" + " w" * 1450, "q", Priority.QUICK_ASK, max_tokens=20))
    pause.let_go()
    assert quick.text(WAIT_S) == "quick"
    assert chat.text(WAIT_S) == "one two"
    assert backend.restored == 1


def test_an_error_reaches_only_its_own_stream(start_engine: StartEngine) -> None:
    """A grammar that cannot be read fails that request; the next one is answered."""
    engine = start_engine(ScriptedBackend("Done."))
    stream = engine.submit(ask(grammar="broken"))
    with pytest.raises(Exception, match="grammar"):
        stream.text(WAIT_S)
    assert stream.metrics.outcome == "failed"
    assert engine.submit(ask()).text(WAIT_S) == "Done."


@pytest.mark.parametrize(
    ("error", "code", "loads"),
    [(InferenceError("llama_decode failed"), "model-failed", 2), (ZeroDivisionError("a bug"), None, 1)],
)
def test_a_failure_in_the_middle_is_told_and_survived(
    start_engine: StartEngine, error: Exception, code: str | None, loads: int
) -> None:
    """A model that failed is loaded anew and the asker told; a bug stays loud; each ends one answer only."""

    def fail(context: ScriptedContext, tokens: object) -> None:
        if not failed:
            failed.append(True)
            raise error

    failed: list[bool] = []
    backend = ScriptedBackend("Done.", on_decode=fail)
    engine = start_engine(backend)
    with pytest.raises(UserFacing if code else type(error)) as caught:
        engine.submit(ask()).text(WAIT_S)
    assert getattr(caught.value, "code", None) == code
    assert engine.submit(ask()).text(WAIT_S) == "Done."
    assert len(backend.loads) == loads


def test_a_bug_while_loading_is_told_to_everyone_who_waits(start_engine: StartEngine) -> None:
    """The engine goes on, and tries again with the next request."""

    def fail(path: Path) -> None:
        if len(backend.loads) == 1:
            raise ZeroDivisionError("a bug")

    backend = ScriptedBackend("Done.", on_load=fail)
    engine = start_engine(backend)
    with pytest.raises(UserFacing, match="a bug"):
        engine.submit(ask()).text(WAIT_S)
    assert engine.submit(ask()).text(WAIT_S) == "Done."


def test_a_request_after_the_end_is_cancelled(start_engine: StartEngine) -> None:
    """Nobody waits for an engine that has been closed."""
    engine = start_engine(ScriptedBackend("Done."))
    engine.submit(ask()).text(WAIT_S)
    engine.close()
    stream = engine.submit(ask())
    assert stream.text(WAIT_S) == ""
    assert stream.finish is FinishReason.CANCELLED


def test_unloading_what_is_not_loaded_does_not_disturb_the_next_request(start_engine: StartEngine) -> None:
    """The model is loaded once, not loaded, unloaded and loaded."""
    backend = ScriptedBackend("Done.")
    engine = start_engine(backend)
    engine.unload("asked for")
    assert engine.submit(ask()).text(WAIT_S) == "Done."
    assert len(backend.loads) == 1


def test_changed_settings_take_effect_with_the_next_request(start_engine: StartEngine) -> None:
    """A larger context means loading again, once; other settings do not."""
    current = [ModelSettings(threads=2)]
    backend = ScriptedBackend("Done.")
    engine = start_engine(backend, current=lambda: current[0])
    engine.submit(ask()).text(WAIT_S)
    current[0] = ModelSettings(threads=2, temperature=1.0)
    engine.submit(ask()).text(WAIT_S)
    assert len(backend.loads) == 1
    current[0] = ModelSettings(threads=2, context_tokens=2048)
    engine.submit(ask()).text(WAIT_S)
    assert len(backend.loads) == 2
    assert engine.status.context_tokens == 2048


def test_stop_texts_end_an_answer(start_engine: StartEngine) -> None:
    """Nothing of the stop text is shown."""
    engine = start_engine(ScriptedBackend("All good. STOP and more"))
    stream = engine.submit(ask(stop=("STOP",)))
    assert stream.text(WAIT_S) == "All good. "
    assert stream.finish is FinishReason.STOP


def test_without_a_model_the_asker_is_told(start_engine: StartEngine) -> None:
    """Asking before a model is chosen is an error with one action."""
    engine = start_engine(ScriptedBackend())
    engine.use(None)
    with pytest.raises(UserFacing) as caught:
        engine.submit(ask()).text(WAIT_S)
    assert caught.value.code == "no-model"


def test_loading_is_announced(start_engine: StartEngine, bus: Bus) -> None:
    """Progress from 0 to 1, then the status of the loaded model."""
    events: list[Event] = []
    bus.subscribe(Event, events.append)
    engine = start_engine(ScriptedBackend("Done."))
    stream = engine.submit(ask())
    stream.text(WAIT_S)
    fractions = [event.fraction for event in events if isinstance(event, ModelLoading)]
    assert (fractions[0], fractions[-1]) == (0.0, 1.0)
    (loaded,) = [event for event in events if isinstance(event, ModelLoaded)]
    assert loaded.status.state is EngineState.READY
    assert loaded.status.context_tokens == 8192  # all that the model was trained for costs nothing here
    assert stream.metrics.load_s > 0


def test_a_model_that_cannot_be_loaded_is_told_to_everyone_who_waits(
    start_engine: StartEngine, bus: Bus
) -> None:
    """The streams and the event carry the error; once the file is right the next request works."""
    failed: list[ModelFailed] = []
    bus.subscribe(ModelFailed, failed.append)
    backend = ScriptedBackend("Done.", load_error="tensor missing")
    engine = start_engine(backend)
    with pytest.raises(UserFacing, match="tensor missing") as caught:
        engine.submit(ask()).text(WAIT_S)
    assert failed[0].error is caught.value
    assert engine.status.state is EngineState.FAILED
    backend.load_error = ""
    assert engine.submit(ask()).text(WAIT_S) == "Done."


@pytest.mark.parametrize(
    ("available", "total"), [(100_000_000, 16_000_000_000), (2_000_000_000, 1_600_000_000)]
)
def test_a_model_that_cannot_fit_is_refused_before_it_is_read(
    start_engine: StartEngine, memory: PlentyOfMemory, available: int, total: int
) -> None:
    """The message has the numbers; the file is not opened."""
    memory.available, memory.total = available, total
    backend = ScriptedBackend()
    with pytest.raises(UserFacing) as caught:
        start_engine(backend).submit(ask()).text(WAIT_S)
    assert caught.value.code == "model-too-large"
    assert size_text(total) in caught.value.cause
    assert backend.loads == []


def test_a_context_with_more_room_is_known_before_it_is_taken(
    start_engine: StartEngine, memory: PlentyOfMemory
) -> None:
    """The next power of two with what it costs by the file's head; none that model or memory lack."""
    engine = start_engine(ScriptedBackend(), context_tokens=4096)
    assert engine.model is not None
    facts = engine.model.facts
    larger = engine.larger_context(1000)
    assert larger is not None
    assert larger.tokens == 8192
    assert larger.memory_bytes == ram_needed_bytes(facts, 8192)
    assert engine.larger_context(0) is None
    assert facts.context_tokens
    assert engine.larger_context(facts.context_tokens) is None
    memory.available = 0
    assert engine.larger_context(1000) is None
    engine.use(None)
    assert engine.larger_context(1000) is None


def test_a_context_that_nobody_named_follows_the_memory_at_each_load(
    start_engine: StartEngine, memory: PlentyOfMemory
) -> None:
    """Known before the model is loaded, taken with it, and another one at the next load with less memory."""
    engine = start_engine(ScriptedBackend("Done."))
    assert engine.model is not None
    memory.available = plenty = automatic_need(engine.model.facts, 8192)
    assert engine.context_tokens == 8192
    memory.available = plenty - 1
    assert engine.context_tokens == 4096
    engine.submit(ask()).text(WAIT_S)
    memory.available = plenty
    assert engine.context_tokens == engine.status.context_tokens == 4096  # the loaded one is told, not a plan
    larger = engine.larger_context(1000)
    assert larger is not None
    assert larger.tokens == 8192


def automatic_need(facts: GgufFacts, tokens: int) -> int:
    """The least free memory with which so many are taken."""
    return max(facts.kv_bytes_per_token * tokens * KV_SHARE, ram_needed_bytes(facts, tokens) * MODEL_SHARE)


def test_an_automatic_context_without_memory_becomes_smaller_and_says_so(
    start_engine: StartEngine, bus: Bus
) -> None:
    """Halved down to the usual one; a number that the user named is refused and never changed."""
    loaded: list[ModelLoaded] = []
    bus.subscribe(ModelLoaded, loaded.append)
    backend = ScriptedBackend("Done.")
    tries = iter((True,))
    backend.context_error = lambda _device: next(tries, False)
    engine = start_engine(backend)
    assert engine.submit(ask()).text(WAIT_S) == "Done."
    assert engine.status.context_tokens == 4096
    assert loaded[0].notice == EngineReason.CONTEXT_REDUCED.of(tokens=4096, wanted=8192)
    named = ScriptedBackend("Done.", context_error=lambda _device: True)
    with pytest.raises(UserFacing) as caught:
        start_engine(named, context_tokens=8192).submit(ask()).text(WAIT_S)
    assert caught.value.code == "context-too-large"


def test_the_largest_context_that_fits_is_known(start_engine: StartEngine, memory: PlentyOfMemory) -> None:
    """Half the present one where memory is free for it, less where not, none where the model is too large."""
    engine = start_engine(ScriptedBackend())
    assert engine.model is not None
    assert engine.smaller_context() == 2048
    per_token = engine.model.facts.kv_bytes_per_token
    memory.available = ram_needed_bytes(engine.model.facts, 1024) + SPARE_BYTES
    assert engine.smaller_context() == (1024 if per_token else 2048)
    memory.available = 0
    assert engine.smaller_context() == 0
    engine.use(None)
    assert engine.smaller_context() == 0


def test_a_graphics_card_without_room_leaves_the_processor(start_engine: StartEngine, bus: Bus) -> None:
    """When the context does not fit the card, the model is loaded again without it, with a notice."""
    loaded: list[ModelLoaded] = []
    bus.subscribe(ModelLoaded, loaded.append)
    backend = ScriptedBackend("Done.", devices=("cuda", "cpu"), context_error=lambda device: device == "cuda")
    assert start_engine(backend).submit(ask()).text(WAIT_S) == "Done."
    assert loaded[0].status.device == "cpu"
    assert "graphics card" in str(loaded[0].notice)
    assert backend.open_models == 1


def test_another_model_waits_for_the_answer_under_way(start_engine: StartEngine, tmp_path: Path) -> None:
    """The running answer ends as it began; whatever comes after, however urgent, gets the new model."""
    pause = Pause(at_tokens=1)
    backend = ScriptedBackend(lambda prompt: f"I am {backend.loads[-1].stem}.", on_decode=pause)
    engine = start_engine(backend)
    first = engine.submit(ask())
    assert pause.reached.wait(WAIT_S)
    engine.use(installed(tmp_path / "models", "other"))
    second = engine.submit(ask(conversation="b", priority=Priority.JUDGE))
    pause.let_go()
    assert first.text(WAIT_S) == "I am scripted."
    assert second.text(WAIT_S) == "I am other."
    assert engine.status.model_id == "other"


def test_an_idle_model_is_unloaded(start_engine: StartEngine, bus: Bus) -> None:
    """After the minutes of the setting, not before; then nothing wakes the engine, and a request reloads."""
    clock, unloaded = FakeClock(), threading.Event()
    reasons: list[str] = []
    bus.subscribe(ModelUnloaded, lambda event: (reasons.append(event.reason), unloaded.set()))
    backend = ScriptedBackend("Done.")
    engine = start_engine(backend, clock, unload_after_minutes=10)
    engine.submit(ask()).text(WAIT_S)
    clock.advance(599)
    clock.advance(0)
    assert not unloaded.is_set()
    clock.advance(1)
    assert unloaded.wait(WAIT_S)
    assert reasons == ["idle"]
    assert (backend.open_models, backend.open_contexts) == (0, 0)
    clock.advance(0)
    assert clock.timeouts[-1] is None
    assert all(timeout is None or timeout >= 1 for timeout in clock.timeouts)
    assert engine.submit(ask()).text(WAIT_S) == "Done."


def test_a_model_that_is_given_back_takes_all_states_along(start_engine: StartEngine, bus: Bus) -> None:
    """None waits for the collector, which may come by hours later where nothing happens."""
    unloaded = threading.Event()
    bus.subscribe(ModelUnloaded, lambda _event: unloaded.set())
    engine = start_engine(ScriptedBackend("Done."))
    gc.collect()  # what other tests have left
    gc.disable()
    try:
        for conversation in ("a state of its own", "another"):
            engine.submit(ask(LONG, conversation)).text(WAIT_S)
        kept = [each for each in gc.get_objects() if isinstance(each, Parking) and any(each)]
        assert any(parked.conversation == "a state of its own" for each in kept for parked in each)
        engine.unload("test")
        assert unloaded.wait(WAIT_S)
        assert [list(each) for each in kept] == [[]] * len(kept)
    finally:
        gc.enable()


def test_low_memory_unloads_the_model(start_engine: StartEngine, bus: Bus, memory: PlentyOfMemory) -> None:
    """Within one look of five seconds after memory became scarce."""
    clock, unloaded = FakeClock(), threading.Event()
    bus.subscribe(ModelUnloaded, lambda event: unloaded.set() if event.reason == "memory is low" else None)
    start_engine(ScriptedBackend("Done."), clock, unload_after_minutes=0).submit(ask()).text(WAIT_S)
    clock.advance(5)
    assert not unloaded.is_set()
    memory.available = 100_000_000
    clock.advance(5)
    assert unloaded.wait(WAIT_S)


def test_unload_waits_for_the_answer_under_way(start_engine: StartEngine) -> None:
    """Asked to unload in the middle of an answer, the engine ends the answer first."""
    pause = Pause(at_tokens=1)
    backend = ScriptedBackend("One two.", on_decode=pause)
    engine = start_engine(backend)
    stream = engine.submit(ask())
    assert pause.reached.wait(WAIT_S)
    engine.unload("asked for")
    pause.let_go()
    assert stream.text(WAIT_S) == "One two."
    assert engine.submit(ask()).text(WAIT_S) == "One two."
    assert len(backend.loads) == 2


def test_a_model_that_ended_the_program_is_not_loaded_unasked(
    start_engine: StartEngine, paths: Paths, tmp_path: Path
) -> None:
    """A marker left by a dead process refuses that model until the user insists."""
    paths.data.mkdir(parents=True)
    crash(paths.load_marker, LoadAttempt("scripted", -1))
    backend = ScriptedBackend("Done.")
    engine = start_engine(backend)
    with pytest.raises(UserFacing) as caught:
        engine.submit(ask()).text(WAIT_S)
    assert caught.value.code == "crashed-while-loading"
    assert backend.loads == []
    engine.use(installed(tmp_path / "models"), insist=True)
    assert engine.submit(ask()).text(WAIT_S) == "Done."
    assert not paths.load_marker.exists()


def test_the_marker_is_there_while_loading_and_for_the_first_prompt(
    start_engine: StartEngine, paths: Paths
) -> None:
    """A crash at that moment would be remembered, also one of a card's driver, which is started when somebody
    first asks for the card; afterwards nothing is."""
    seen: list[tuple[str, bool]] = []

    def see(what: str) -> None:
        seen.append((what, paths.load_marker.exists()))

    class Watched(ScriptedBackend):
        @property
        def has_gpu(self) -> bool:
            see("card")
            return super().has_gpu

    backend = Watched("Done.", devices=("cuda", "cpu"), on_load=lambda _path: see("load"))
    backend.on_decode = lambda _context, tokens: see("prompt" if len(tokens) > 1 else "token")
    engine = start_engine(backend)
    engine.submit(ask()).text(WAIT_S)
    engine.submit(ask("And now?")).text(WAIT_S)
    assert seen[:3] == [("card", True), ("load", True), ("prompt", True)]
    assert {there for _what, there in seen[3:]} == {False}
    assert not paths.load_marker.exists()


def test_closing_ends_answers_under_way(start_engine: StartEngine) -> None:
    """Nobody is left waiting for a stream, and all memory is freed."""
    pause = Pause(at_tokens=512, from_tokens=400)
    backend = ScriptedBackend("Done.", on_decode=pause)
    engine = start_engine(backend)
    running, waiting = engine.submit(ask(LONG)), engine.submit(ask(conversation="b"))
    assert pause.reached.wait(WAIT_S)
    engine.close()
    for stream in (running, waiting):
        stream.text(WAIT_S)
        assert stream.finish is FinishReason.CANCELLED


def test_preload_makes_the_model_ready(start_engine: StartEngine, bus: Bus) -> None:
    """The model is loaded before somebody asks, and the first request does not wait for it."""
    ready = threading.Event()
    bus.subscribe(ModelLoaded, lambda event: ready.set())
    engine = start_engine(ScriptedBackend("Done."))
    engine.preload()
    assert ready.wait(WAIT_S)
    stream = engine.submit(ask())
    stream.text(WAIT_S)
    assert stream.metrics.load_s == 0


def test_a_consumer_that_waits_too_long_gives_up(start_engine: StartEngine) -> None:
    """`text` with a limit raises and cancels the request."""
    pause = Pause(at_tokens=512, from_tokens=2)
    engine = start_engine(ScriptedBackend("Done.", on_decode=pause))
    stream = engine.submit(ask(LONG))
    with pytest.raises(TimeoutError):
        stream.text(0.05)
    assert stream.text(WAIT_S) == ""
    assert stream.finish is FinishReason.CANCELLED


def test_labels_are_scored_and_nothing_is_written(start_engine: StartEngine) -> None:
    """The logits of the labels as the next text; the cache holds the prompt for what comes after."""
    backend = ScriptedBackend("Done.", calls=[("read_file", {})])
    engine = start_engine(backend)
    stream = engine.submit(ask(labels=("yes", "no")))
    assert stream.text(WAIT_S) == ""
    assert stream.scores["yes"] > stream.scores["no"]
    assert stream.finish is FinishReason.STOP
    assert backend.prompts == []
    following = engine.submit(ask())
    assert following.text(WAIT_S) == "Done."
    assert following.metrics.reused_tokens > 0


@pytest.mark.parametrize("words", [1, 2, WEIGHED_AT_ONCE, 3 * WEIGHED_AT_ONCE + 1])
def test_a_text_is_weighed_as_the_answer_and_nothing_is_written(
    start_engine: StartEngine, words: int
) -> None:
    """All of its tokens, in as many steps as they need, and again where the cache has them from before."""
    backend = ScriptedBackend("Done.")
    engine = start_engine(backend)
    said = " ".join(f"word{number}" for number in range(words))
    tokens = len(backend.vocabulary.tokenize(said, TextOrigin.FOREIGN))
    for _ in range(2):
        stream = engine.submit(ask(weighed=said))
        assert stream.text(WAIT_S) == ""
        assert stream.scores == {said: -5.0 * tokens}
        assert stream.finish is FinishReason.STOP
    assert backend.prompts == []
    following = engine.submit(ask())
    assert following.text(WAIT_S) == "Done."
    assert following.metrics.reused_tokens > 0


def test_what_is_weighed_makes_way_and_is_weighed_whole(start_engine: StartEngine) -> None:
    """Somebody more urgent comes in the middle; no token is counted twice."""
    backend = ScriptedBackend("Done.", prompt_token_s=0.002)
    engine = start_engine(backend)
    said = " ".join(f"word{number}" for number in range(4 * WEIGHED_AT_ONCE))
    tokens = len(backend.vocabulary.tokenize(said, TextOrigin.FOREIGN))
    stream = engine.submit(ask(priority=Priority.BACKGROUND, weighed=said))
    urgent = engine.submit(ask("Hello", "c2", priority=Priority.QUICK_ASK))
    assert urgent.text(WAIT_S) == "Done."
    assert stream.text(WAIT_S) == ""
    assert stream.scores == {said: -5.0 * tokens}


def test_what_is_weighed_and_has_no_room_is_refused(start_engine: StartEngine) -> None:
    """As any other prompt that does not fit."""
    engine = start_engine(ScriptedBackend("Done."))
    with pytest.raises(ContextOverflow):
        engine.submit(ask(weighed="word " * 9000)).text(WAIT_S)


def test_a_conversation_is_measured_as_its_prompt_would_be(start_engine: StartEngine) -> None:
    """Without a model nobody knows; with one its messages are counted, also while it answers."""
    backend = ScriptedBackend("word " * 50, token_s=0.002)
    engine = start_engine(backend)
    assert engine.measure(ask()) is None
    stream = engine.submit(ask())
    next(stream)
    assert engine.measure(ask()) == engine.measure(ask())
    assert sum(engine.measure(ask()) or ()) > 0
    assert stream.text().split() == ["word"] * 49
    engine.unload("a test")
    stream = engine.submit(ask())
    assert stream.text()


PLENTY = 8_000 * MB


@pytest.mark.parametrize(
    ("settings", "idle_s", "available", "on_battery", "reason"),
    [
        ({}, 599, PLENTY, False, None),
        ({}, 600, PLENTY, False, "idle"),
        ({}, 180, PLENTY, True, "idle, on battery"),
        ({}, 179, PLENTY, True, None),
        ({"unload_after_minutes": 2}, 120, PLENTY, True, "idle, on battery"),
        ({"battery_minutes": 0}, 180, PLENTY, True, None),
        ({"battery_minutes": 0}, 600, PLENTY, True, "idle"),
        ({"unload_after_minutes": 0}, 86_400, PLENTY, False, None),
        ({"unload_after_minutes": 0}, 180, PLENTY, True, "idle, on battery"),
        ({}, 0, 499 * MB, False, "memory is low"),
        ({"low_memory_mb": 0}, 0, 1 * MB, False, None),
    ],
)
def test_a_model_goes_when_nobody_needs_it_or_others_need_the_memory(
    settings: dict[str, int], idle_s: float, available: int, on_battery: bool, reason: str | None
) -> None:
    """On battery sooner; each of the three can be switched off."""
    assert reason_to_unload(ModelSettings(**settings), idle_s, available, on_battery) == reason
