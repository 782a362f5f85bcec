"""How well and how fast dictation writes down what espeak-ng says: word error rate and processor time.

Synthetic speech: clear, without a room or a neighbour, and with sounds that no person makes. It says whether
the recogniser works at all, not how it fares with somebody's voice. Needs espeak-ng and the package index.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import structlog

from desktop.engine.addons import AddOns
from desktop.sandbox.confinement import available
from desktop.sandbox.parser import Parser
from desktop.system.recognizer import MOONSHINE, Recognizer, add_recognizer
from desktop.system.recording import BYTES_PER_S
from tests.bench.machine import machine
from tests.system.test_recognizer import at_16_khz

VOICES = ("en-gb", "en-us")
SENTENCES = (
    "What is the weather like in Berlin tomorrow?",
    "Remind me to call my mother at six o'clock.",
    "Please summarise the report and save it in a new file.",
    "How many kilometres are there in twenty five miles?",
    "Write a short birthday card for my best friend.",
    "Find all pictures from last summer in my documents folder.",
    "Open the settings and change the language to German.",
    "What did I ask you yesterday about the garden?",
    "Translate this sentence into French and Spanish.",
    "The meeting has been moved to Thursday afternoon.",
    "Delete the empty folders but keep the letters.",
    "Explain how a bicycle stays upright while it moves.",
    "Which of these two contracts is cheaper over three years?",
    "I would like to learn how to bake bread at home.",
    "Make a list of everything we need for the journey.",
    "The train leaves at a quarter past nine from platform four.",
    "Can you read this page and tell me the main points?",
    "My neighbour's dog barks every morning before breakfast.",
    "Run the tests again and show me what has failed.",
    "Thank you very much, that was exactly what I needed.",
)
# Two ways to write one word are no error.
_SAME = (("summarize", "summarise"), ("kilometers", "kilometres"), ("neighbor", "neighbour"), ("-", " "))


def main() -> int:
    structlog.configure(logger_factory=structlog.PrintLoggerFactory(sys.stderr))  # stdout is for the JSON
    with tempfile.TemporaryDirectory(prefix="dictation-") as made:
        folder = Path(made)
        recognizer = _recognizer(folder)
        told = {"machine": machine(), **{voice: _measure(recognizer, voice, folder) for voice in VOICES}}
    json.dump(told, sys.stdout, indent=2)
    sys.stdout.write("\n")
    return 0


def _measure(recognizer: Recognizer, voice: str, folder: Path) -> dict[str, object]:
    wrong = words = 0
    audio_s = took_s = 0.0
    heard = {}
    for number, sentence in enumerate(SENTENCES):
        file = folder / f"{voice}-{number}.wav"
        subprocess.run(("espeak-ng", "-v", voice, "-s", "150", "-w", str(file), sentence), check=True)
        samples = at_16_khz(file)
        begun = os.times()
        heard[sentence] = recognizer.words(samples)
        ended = os.times()
        took_s += ended.children_user + ended.children_system - begun.children_user - begun.children_system
        audio_s += len(samples) / BYTES_PER_S
        wanted = words_of(sentence)
        wrong, words = wrong + distance(wanted, words_of(heard[sentence])), words + len(wanted)
    return {
        "words": words,
        "wrong": wrong,
        "word_error_rate": round(wrong / words, 3),
        "processor_s_for_a_second_of_speech": round(took_s / audio_s, 2),
        "heard": heard,
    }


def _recognizer(folder: Path) -> Recognizer:
    pip = (sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder))
    subprocess.run((*pip, f"{MOONSHINE.package}=={MOONSHINE.version}"), check=True)
    addons = AddOns(folder / "addons")
    add_recognizer(addons, next(folder.glob("*.whl")), MOONSHINE)
    recognizer = Recognizer.installed(Parser(lambda: available().best), addons)
    assert recognizer is not None
    return recognizer


def words_of(text: str) -> list[str]:
    """As they are compared: small letters, no signs."""
    text = text.casefold().replace("’", "'")
    for one, other in _SAME:
        text = text.replace(one, other)
    return re.findall(r"[a-z0-9']+", text)


def distance(wanted: list[str], heard: list[str]) -> int:
    """How many words were put in, left out or changed."""
    row = list(range(len(heard) + 1))
    for number, word in enumerate(wanted, 1):
        before, row[0] = row[0], number
        for place, other in enumerate(heard, 1):
            before, row[place] = row[place], min(row[place] + 1, row[place - 1] + 1, before + (word != other))
    return row[-1]


if __name__ == "__main__":
    raise SystemExit(main())
