"""`dev.py learn`: learn what messages are from their examples, and write `resources/message_classes.bin`.

    dev.py learn [--apart N]

The examples are lines of JSON in `message_examples/`: each a text with its class, for a danger also its kind,
for a question about Steward its topic; some 5,900 also with their speech act. They were written for this in
four languages, by people who had not seen how they are read, the look-alikes above all; `strangers.jsonl` is
what strangers said to the program. `--apart N` writes nothing: each Nth part in turn is left out, learned
without, and judged, which tells what the table does with messages that it has not seen.

The model is multinomial logistic regression over the features of `desktop/chat/message_classes.py`. The same
examples give the same file, byte for byte.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from desktop.chat.message_classes import ACT, CLASSES, DANGER, FORGET, LANGUAGE, OWN, buckets_of
from desktop.paths import resources

HERE = Path(__file__).parent
EXAMPLES = HERE / "message_examples"
TABLE = resources() / "message_classes.bin"
BITS, BITS_OF_NAMES = 17, 15  # of buckets; few enough to share them costs certainty where it counts
STIFFNESS = 0.0167
MOST_STEPS, KEPT_PAIRS = 150, 10
SMALLEST_GAIN = 1e-6
SEED = 7
BOUNDS = (-3.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 3.0)  # nats
LARGEST = 127  # of a signed byte
Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Example:
    """`column` is the class or, where the table is one of kinds or topics, the name behind it. `act`: what
    somebody does who says it, "" where nobody has said so."""

    text: str
    language: str
    column: str
    kind: str = ""
    act: str = ""

    def named(self, of: str) -> str:
        """Its language, its speech act, or its kind where it is of the class `of`; "" for none."""
        if of == LANGUAGE:
            return self.language
        if of == ACT:
            return self.act
        return self.kind if self.column == of else ""


@dataclass(frozen=True)
class Messages:
    """The features of many messages in a table of 2 to the power of `bits`: the buckets of all messages one
    after another, with values that make each message of length 1, and where each message begins."""

    bits: int
    buckets: npt.NDArray[np.int64]
    values: Array
    starts: npt.NDArray[np.int64]

    @classmethod
    def of(cls, texts: Sequence[str], bits: int, rarity: Array | None = None) -> tuple[Messages, Array]:
        """With the rarity of each bucket, counted here unless it is known."""
        found = [np.array(buckets_of(text, bits) or [0], dtype=np.int64) for text in texts]
        if rarity is None:
            seen = np.bincount(np.concatenate(found), minlength=1 << bits)
            rarity = np.log((1 + len(texts)) / (1 + seen)) + 1
            # In bytes, as it is kept: what is learned is what is read.
            rarity = np.round(rarity * (LARGEST / rarity.max()))
        values = [rarity[each] / np.sqrt((rarity[each] ** 2).sum()) for each in found]
        starts = np.cumsum([0, *map(len, found)])[:-1]
        return cls(bits, np.concatenate(found), np.concatenate(values), starts), rarity

    def some(self, places: Sequence[int]) -> Messages:
        """Those at `places` alone."""
        ends = np.append(self.starts[1:], len(self.buckets))
        spans = [np.arange(self.starts[place], ends[place]) for place in places]
        kept = np.concatenate(spans)
        starts = np.cumsum([0, *map(len, spans)])[:-1]
        return Messages(self.bits, self.buckets[kept], self.values[kept], starts)

    def scores(self, weights: Array) -> Array:
        """One row for each message, one column for each of `weights`."""
        return np.array(
            [np.add.reduceat(column[self.buckets] * self.values, self.starts) for column in weights.T]
        ).T

    def slopes(self, wrong: Array) -> Array:
        """The gradient of the weights, where each message's scores are `wrong` by so much."""
        counts = np.diff(np.append(self.starts, len(self.buckets)))
        return np.array(
            [
                np.bincount(self.buckets, np.repeat(column, counts) * self.values, minlength=1 << self.bits)
                for column in wrong.T
            ]
        ).T


def examples() -> list[Example]:
    """All of them, in the order of the files."""
    found = []
    for path in sorted(EXAMPLES.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            kind, act = row.get("kind", ""), row.get("act", "")
            found.append(Example(row["text"], row["language"], row["class"], kind, act))
    return found


def learned(messages: Messages, named: Sequence[str], names: Sequence[str]) -> tuple[Array, Array]:
    """Weights (buckets × names) and biases that tell the names of `named` apart: the least of multinomial
    logistic loss and `STIFFNESS` times the squares of the weights."""
    places = {name: index for index, name in enumerate(names)}
    wanted = np.eye(len(names))[[places[name] for name in named]]
    shape = ((1 << messages.bits) + 1, len(names))  # the last row is the bias

    def loss(flat: Array) -> tuple[float, Array]:
        weights = flat.reshape(shape)
        scores = messages.scores(weights[:-1]) + weights[-1]
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        wrong = (np.exp(logs) - wanted) / len(wanted)
        slope = np.vstack([messages.slopes(wrong), wrong.sum(axis=0)])
        stiff = STIFFNESS / len(wanted)
        slope[:-1] += 2 * stiff * weights[:-1]
        value = -(logs * wanted).sum() / len(wanted) + stiff * (weights[:-1] ** 2).sum()
        return float(value), slope.ravel()

    found = least(loss, np.zeros(shape[0] * shape[1])).reshape(shape)
    return found[:-1], found[-1]


def least(loss: Callable[[Array], tuple[float, Array]], start: Array) -> Array:
    """Where the convex `loss` is about least, by L-BFGS (Nocedal 1980) with steps that are halved until they
    help."""
    place, (value, slope) = start, loss(start)
    pairs: list[tuple[Array, Array]] = []  # the latest steps, and how the slope changed with them
    for _ in range(MOST_STEPS):
        direction = slope.copy()
        shares = []
        for step, change in reversed(pairs):
            share = step @ direction / (step @ change)
            shares.append(share)
            direction -= share * change
        if pairs:
            step, change = pairs[-1]
            direction *= step @ change / (change @ change)
        for (step, change), share in zip(pairs, reversed(shares), strict=True):
            direction += step * (share - change @ direction / (step @ change))
        length = 1.0
        while True:
            there = place - length * direction
            new_value, new_slope = loss(there)
            if new_value <= value - 1e-4 * length * (slope @ direction) or length < 1e-6:
                break
            length /= 2
        pairs = [*pairs[1 - KEPT_PAIRS :], (there - place, new_slope - slope)]
        is_still = value - new_value < SMALLEST_GAIN
        place, value, slope = there, new_value, new_slope
        if is_still:
            break
    return place


@dataclass(frozen=True)
class Part:
    """Some columns of the table, in full precision; they share the buckets and their rarity."""

    bits: int
    columns: Sequence[str]
    weights: Array
    bias: Array
    rarity: Array

    def scores(self, texts: Sequence[str]) -> Array:
        """One row for each text, one column for each of `columns`."""
        return Messages.of(texts, self.bits, self.rarity)[0].scores(self.weights) + self.bias


def learn(rows: Sequence[Example]) -> tuple[Part, Part]:
    """The classes; and kinds and topics, each from the examples of its class, languages and speech acts."""
    texts = [each.text for each in rows]
    messages, rarity = Messages.of(texts, BITS)
    classes = Part(BITS, CLASSES, *learned(messages, [each.column for each in rows], CLASSES), rarity)
    messages, rarity = Messages.of(texts, BITS_OF_NAMES)
    columns, weights, bias = [], [], []
    for name in (DANGER, OWN, LANGUAGE, ACT):
        named = {place: each.named(name) for place, each in enumerate(rows) if each.named(name)}
        names = sorted(set(named.values()))
        if not names:
            continue
        found = learned(messages.some(list(named)), list(named.values()), names)
        columns += [f"{name}:{each}" for each in names]
        weights.append(found[0])
        bias.append(found[1])
    return classes, Part(BITS_OF_NAMES, columns, np.hstack(weights), np.concatenate(bias), rarity)


def write(parts: Sequence[Part]) -> int:
    """The file that the program reads; its size in bytes."""
    heads, tables = [], []
    for part in parts:
        steps = np.abs(part.weights).max(axis=0) / LARGEST
        small = np.round(part.weights / steps).astype(np.int8)
        heads.append(
            {
                "bits": part.bits,
                "columns": list(part.columns),
                "bias": [round(float(each), 4) for each in part.bias],
                "steps": [float(f"{each:.6g}") for each in steps],
            }
        )
        tables.append(np.hstack([part.rarity.astype(np.int8)[:, None], small]).tobytes())
    head = {"learned_from": fingerprint(), "parts": heads}
    TABLE.write_bytes(b"".join((json.dumps(head).encode(), b"\n", *tables)))
    return TABLE.stat().st_size


def fingerprint() -> str:
    """Of the examples: a table that was learned from others is stale."""
    whole = hashlib.sha256()
    for path in sorted(EXAMPLES.glob("*.jsonl")):
        whole.update(path.read_bytes())
    return whole.hexdigest()


@dataclass(frozen=True)
class Judged:
    """An example, and what a table says of it that was learned without its part."""

    example: Example
    classes: dict[str, float]
    names: dict[str, float]

    def over_others(self, name: str) -> float:
        """How much more speaks for the class than for the others together, in nats."""
        others = [score for each, score in self.classes.items() if each != name]
        return self.classes[name] - float(np.logaddexp.reduce(others))

    def likeliest(self, name: str) -> str:
        """The kind or topic with most behind it."""
        scores = {each: score for each, score in self.names.items() if each.startswith(f"{name}:")}
        return max(scores, key=lambda each: scores[each]).removeprefix(f"{name}:")


def judged_apart(rows: Sequence[Example], parts: int) -> Iterator[Judged]:
    """Each of `rows`, by tables that were learned without its part."""
    places = np.random.default_rng(SEED).permutation(len(rows))
    for part in range(parts):
        left_out = set(places[part::parts].tolist())
        found = learn([each for place, each in enumerate(rows) if place not in left_out])
        chosen = [rows[place] for place in sorted(left_out)]
        scores = [each.scores([row.text for row in chosen]) for each in found]
        for row, classes, names in zip(chosen, *scores, strict=True):
            yield Judged(
                row,
                dict(zip(found[0].columns, classes.tolist(), strict=True)),
                dict(zip(found[1].columns, names.tolist(), strict=True)),
            )


def tell_apart(rows: Sequence[Example], parts: int) -> None:
    told = list(judged_apart(rows, parts))
    for name in (DANGER, OWN, FORGET):
        meant = [each for each in told if each.example.column == name]
        others = [each for each in told if each.example.column != name]
        right = sum(each.likeliest(name) == each.example.kind for each in meant if each.example.kind)
        print(f"{name}: {len(meant)}, {right} of the right kind; others: {len(others)}")
        for bound in BOUNDS:
            found, taken = (sum(each.over_others(name) >= bound for each in some) for some in (meant, others))
            share, share_taken = found / len(meant), taken / len(others)
            print(f"    from {bound:+.1f} nats: {found} ({share:.3f}); of others {taken} ({share_taken:.4f})")
    acted = [each for each in told if each.example.act]
    for act in sorted({each.example.act for each in acted}):
        read = [each.likeliest(ACT) for each in acted if each.example.act == act]
        counts = {each: read.count(each) for each in sorted(set(read))}
        print(f"{act}: {len(read)}, read as {counts}")


def main() -> None:
    reader = argparse.ArgumentParser(prog="dev.py learn", description=__doc__)
    reader.add_argument("--apart", type=int, metavar="N", help="judge each of N parts by the others")
    arguments = reader.parse_args()
    rows = examples()
    counts = {name: sum(each.column == name for each in rows) for name in CLASSES}
    print(f"{len(rows)} examples: {counts}")
    if arguments.apart:
        tell_apart(rows, arguments.apart)
    else:
        print(f"{TABLE.name}: {write(learn(rows)):,} bytes")


if __name__ == "__main__":
    main()
