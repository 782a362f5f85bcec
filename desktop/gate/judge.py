"""The judge: what the loaded model thinks of a command whose program no table knows.

One token is asked for, and only its logits are read: the instructions and examples stay in the KV cache (and
on disk), so a question costs the tokens of its command. The answer is an opinion. It never makes a verdict
milder; without a model, or without an answer in time, there is none.
"""

from __future__ import annotations

import math
import re
import shlex
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

import structlog

from desktop.engine.events import EngineState, EngineStatus
from desktop.engine.host import MB, HostMemory
from desktop.engine.requests import ContextOverflow, GenerateRequest, Message, Priority, Sampling, Stream
from desktop.errors import Cancelled, UserFacing
from desktop.gate.reasons import GateReason
from desktop.gate.verdict import Effect
from desktop.paths import resources
from desktop.reasons import Reason
from desktop.settings import Judge as Which
from desktop.settings import Settings

if TYPE_CHECKING:
    from desktop.models.library import InstalledModel

log = structlog.get_logger(__name__)

HARD_LIMIT_S = 2.0
REMEMBERED = 512
LONGEST = 400  # characters of a command that the model sees
WARMING_S = 60.0  # after which another try may be made
NEEDS_OVER_FILE = 1.3  # a loaded model takes so much more memory than its file has bytes
CLASSES = (Effect.READ, Effect.CREATE, Effect.UPDATE, Effect.DELETE)
# Sets of words for the four classes. The first whose words begin with four different tokens is used.
LABELS: tuple[tuple[str, ...], ...] = (
    (" READ", " CREATE", " UPDATE", " DELETE"),
    ("READ", "CREATE", "UPDATE", "DELETE"),
    ("read", "create", "update", "delete"),
    ("Read", "Create", "Update", "Delete"),
    ("A", "B", "C", "D"),
    ("1", "2", "3", "4"),
)
ONE_TOKEN = Sampling(temperature=0, max_tokens=1)
# The command stands in an answer that was begun: as a message it would have the template's words around it.
GO_ON = Message("user", "Go on with the list.")
PLAIN = re.compile(r"(?=.{0,79}\w)[\w./:@%+,=~&?-]{1,80}")
# A file called READ must not be taken for the answer.
LABEL_WORD = re.compile(r"(?<![a-z])(?:READ|CREATE|UPDATE|DELETE)(?![a-z])")
HIDDEN = "…"

# Above this the 1.5B model took no write for a read, of 200 labelled commands and of those that
# `dev.py bench judge` holds.
SURE = 0.97

_WORDS = {
    Effect.READ: GateReason.MODEL_THINKS_IT_READS,
    Effect.CREATE: GateReason.MODEL_THINKS_IT_MAKES,
    Effect.UPDATE: GateReason.MODEL_THINKS_IT_CHANGES,
    Effect.DELETE: GateReason.MODEL_THINKS_IT_DELETES,
}


@dataclass(frozen=True)
class ModelVerdict:
    """`probabilities` has one for each of READ, CREATE, UPDATE, DELETE; they add up to 1."""

    effect: Effect
    probability: float
    probabilities: Mapping[str, float]
    model: str  # its name
    ms: float  # 0.0 where it was remembered

    def in_words(self) -> Reason:
        """For the dialog, which says beside it that a model's opinion is not a check."""
        said = _WORDS.get(self.effect, GateReason.MODEL_CANNOT_TELL)
        return Reason(said, (("model", self.model), ("probability", self.probability)))

    @property
    def is_sure_to_read(self) -> bool:
        return self.effect is Effect.READ and self.probability >= SURE


@dataclass(frozen=True)
class Consulted:
    """What came of asking the model; no opinion where there is none, or none in time."""

    opinion: ModelVerdict | None = None
    timed_out: bool = False


class Engine(Protocol):
    """What of the engine is used here."""

    status: EngineStatus

    @property
    def model(self) -> InstalledModel | None: ...
    def submit(self, request: GenerateRequest) -> Stream: ...
    def preload(self) -> None: ...


@dataclass(frozen=True)
class JudgeFigures:
    """Counts since the start."""

    asked: int = 0  # without those remembered
    answered: int = 0
    timed_out: int = 0
    remembered: int = 0
    not_ready: int = 0  # no model, or one that is not loaded
    unsure: int = 0  # something was hidden from the model, and the rest looked like a read


def labels_for(first_token: Callable[[str], Hashable]) -> tuple[str, ...] | None:
    """The words to ask for in a vocabulary, which `first_token` knows; None when no set fits."""
    for words in LABELS:
        if len({first_token(word) for word in words}) == len(words):
            return words
    return None


@dataclass(frozen=True)
class ShownCommand:
    """A command as the model sees it. `whole` is False where words were hidden or cut."""

    text: str
    whole: bool


def shown(command: str) -> ShownCommand | None:
    """The command without what could speak to the model: free text, comments, words like an answer.

    None where its words cannot be told.
    """
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        return None
    if not words:
        return None
    # A quoted text could tell the model what to answer.
    seen = [word if PLAIN.fullmatch(word) and not LABEL_WORD.search(word) else HIDDEN for word in words]
    text = " ".join(seen)
    return ShownCommand(text[:LONGEST], HIDDEN not in seen and len(text) <= LONGEST)


class Judge:
    """Asks the engine. `consult` blocks: not on the main, server or engine thread."""

    def __init__(
        self,
        engine: Engine | None,
        settings: Callable[[], Settings],
        memory: HostMemory | None = None,
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._memory = memory or HostMemory()
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[str, str], ModelVerdict] = OrderedDict()
        self._labels: dict[str, tuple[str, ...] | None] = {}
        self._warming: tuple[float, Stream] | None = None
        self._figures = JudgeFigures()
        self._prompt = (resources() / "prompts" / "judge.txt").read_text(encoding="utf-8")

    @property
    def figures(self) -> JudgeFigures:
        return self._figures

    def consult(self, command: str, timeout_s: float | None = None) -> Consulted:
        """Without an opinion: no model, not loaded, switched off, not in time, or it cannot be told.

        `timeout_s` counts where it is less than the settings'.
        """
        started_s = time.monotonic()
        engine, model = self._engine, self._model()
        seen = shown(command)
        if engine is None or model is None or seen is None:
            return Consulted()
        kept = self._remembered((model.id, command))
        if kept is not None:
            return Consulted(kept)
        if not self._is_ready(engine, model):
            self._count("not_ready")
            return Consulted()
        return self._ask(engine, model, command, seen, started_s + self._limit_s(timeout_s))

    def warm(self) -> None:
        """Have the instructions computed, once the model is loaded. Returns at once; any thread."""
        engine, model = self._engine, self._model()
        if engine is not None and model is not None and engine.status.state is EngineState.READY:
            self._warm(engine, self._labels.get(model.id) or LABELS[0])

    # -- asking ---------------------------------------------------------------------------------

    def _ask(
        self, engine: Engine, model: InstalledModel, command: str, seen: ShownCommand, deadline_s: float
    ) -> Consulted:
        started_s = time.monotonic()
        self._count("asked")
        try:
            labels = self._labels_of(engine, model, deadline_s)
            scores = self._scores(engine, self._request(labels, seen.text), deadline_s) if labels else {}
        except TimeoutError:
            self._count("timed_out")
            self._warm(engine, self._labels.get(model.id) or LABELS[0])
            return Consulted(timed_out=True)
        except (UserFacing, ContextOverflow, Cancelled) as error:
            log.info("the judge has no opinion", reason=str(error))
            return Consulted()
        if not scores or not labels:
            return Consulted()
        self._count("answered")
        ms = (time.monotonic() - started_s) * 1000
        found = model_verdict([scores[label] for label in labels], model.name, ms)
        return self._believed((model.id, command), found, seen)

    def _believed(self, key: tuple[str, str], found: ModelVerdict, seen: ShownCommand) -> Consulted:
        """What was hidden could do anything: then it is not taken for a read."""
        if found.effect is Effect.READ and not seen.whole:
            self._count("unsure")
            return Consulted()
        with self._lock:
            # By the whole command and not by what was shown: hidden words make another command.
            self._kept[key] = replace(found, ms=0.0)
            if len(self._kept) > REMEMBERED:
                self._kept.popitem(last=False)
        return Consulted(found)

    def _request(self, labels: Sequence[str], text: str) -> GenerateRequest:
        names = {effect.name: label.strip() for effect, label in zip(CLASSES, labels, strict=True)}
        messages = (Message("system", self._prompt.format(**names)), GO_ON)
        return _to_score("judge", messages, f"{text} =", labels)

    def _scores(self, engine: Engine, request: GenerateRequest, deadline_s: float) -> Mapping[str, float]:
        stream = engine.submit(request)
        stream.text(timeout_s=max(deadline_s - time.monotonic(), 0.0))
        return stream.scores

    def _labels_of(self, engine: Engine, model: InstalledModel, deadline_s: float) -> tuple[str, ...] | None:
        """Found out once a model: words that begin with the same token get the same score."""
        if model.id not in self._labels:
            every = tuple(dict.fromkeys(word for words in LABELS for word in words))
            scores = self._scores(engine, _to_score("judge labels", (GO_ON,), "ls =", every), deadline_s)
            if not scores:
                return None
            self._labels[model.id] = labels_for(scores.__getitem__)
        return self._labels[model.id]

    def _warm(self, engine: Engine, labels: Sequence[str]) -> None:
        """Let the instructions be computed whole: a question that is given up leaves nothing behind."""
        with self._lock:
            now_s = time.monotonic()
            if self._warming is not None:
                since_s, stream = self._warming
                # One is under way; a second would only stand behind it.
                if not stream.scores and now_s - since_s < WARMING_S:
                    return
            self._warming = (now_s, engine.submit(self._request(labels, "ls")))

    # -- whether ----------------------------------------------------------------------------------

    def _model(self) -> InstalledModel | None:
        hooks = self._settings().hooks
        if self._engine is None or not hooks.enabled or hooks.judge is Which.NONE:
            return None
        return self._engine.model

    def _is_ready(self, engine: Engine, model: InstalledModel) -> bool:
        """A model that is not in memory is loaded for the next question, unless memory is short."""
        if engine.status.state is EngineState.READY and engine.status.model_id == model.id:
            return True
        needed = model.size_bytes * NEEDS_OVER_FILE + self._settings().model.low_memory_mb * MB
        # For the next question: this one would have to wait for the whole load.
        if engine.status.state is EngineState.UNLOADED and self._memory.available_bytes() > needed:
            engine.preload()
        return False

    def _limit_s(self, timeout_s: float | None) -> float:
        limits = [HARD_LIMIT_S, self._settings().hooks.inference_timeout_ms / 1000]
        return min([*limits, timeout_s] if timeout_s is not None else limits)

    def _remembered(self, key: tuple[str, str]) -> ModelVerdict | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is not None:
                self._kept.move_to_end(key)
        if kept is not None:
            self._count("remembered")
        return kept

    def _count(self, name: str) -> None:
        with self._lock:
            self._figures = replace(self._figures, **{name: getattr(self._figures, name) + 1})


def _to_score(
    conversation: str, messages: tuple[Message, ...], begun: str, labels: Sequence[str]
) -> GenerateRequest:
    return GenerateRequest(
        conversation, messages, ONE_TOKEN, Priority.JUDGE, answer_start=begun, labels=tuple(labels)
    )


def model_verdict(scores: Sequence[float], model: str, ms: float) -> ModelVerdict:
    """Logits of READ, CREATE, UPDATE, DELETE to probabilities among the four."""
    top = max(scores)
    # Less the largest, or exp would overflow.
    weights = [math.exp(score - top) for score in scores]
    shares = [weight / sum(weights) for weight in weights]
    best = max(range(len(CLASSES)), key=shares.__getitem__)
    named = {effect.name: share for effect, share in zip(CLASSES, shares, strict=True)}
    return ModelVerdict(CLASSES[best], shares[best], named, model, ms)
