"""Answers read aloud: what is read of a text, and the programs that read it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import threading
import wave
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.errors import Cancelled, UserFacing
from desktop.system import speech
from desktop.system.speech import PROGRAMS, Speaker, SpeechProgram, speech_program, spoken_words

RUN = (sys.executable, "-c")


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Hello **there**, _friend_.", "Hello there , friend ."),
        ("# Title\n\nWords.", "Title\nWords."),
        ("- one\n* two\n- [x] done", "one\ntwo\ndone"),
        ("Before\n\n```python\nprint('x')\n```\n\nafter", "Before\nafter"),
        ("Cut:\n```\nnever closed\nat all", "Cut:"),
        (
            "See [the page](https://example.org/a?b=c) or https://www.example.org/x.",
            "See the page or example.org",
        ),
        ("| a | b |\n|---|---|\n| 1 | 2 |", "a, b\n1, 2"),
        ("The root is $$x = \\frac{a}{b}$$ here.", "The root is here."),
        ("Call `read_file` now", "Call read file now"),
        ("> quoted\n\n---\n\nend", "quoted\nend"),
        ("2 < 3 and 5 > 4", "2 < 3 and 5 > 4"),
        ("<b>bold</b> ![a boat](b.png)", "bold a boat"),
        ("", ""),
    ],
)
def test_words_are_read_and_signs_are_not(written: str, read: str) -> None:
    """Markdown becomes what a person would read out; code and formulas are left out."""
    assert " ".join(spoken_words(written).replace(" ,", ",").replace(" .", ".").split()) == " ".join(
        read.replace(" ,", ",").replace(" .", ".").split()
    )


@given(st.text(alphabet="ab `*_#|>-[]()$\\\n~<h:/", max_size=120))
def test_whatever_is_written_can_be_read(text: str) -> None:
    """No text breaks it, and none of the signs that a voice would spell is left."""
    assert not set("`*~|") & set(spoken_words(text))


def test_the_text_goes_by_a_pipe_and_the_language_as_a_code(tmp_path: Path) -> None:
    """All of it, letters of any kind, to a real process."""
    heard = tmp_path / "heard"
    write = "import sys; open(sys.argv[1], 'wb').write(sys.argv[2].encode() + b':' + sys.stdin.buffer.read())"
    Speaker(SpeechProgram((*RUN, write, str(heard), "{language}"))).speak("Grüße,\nBär", "de")
    assert heard.read_text(encoding="utf-8") == "de:Grüße,\nBär"


def test_a_program_of_arguments_gets_paragraph_after_paragraph(tmp_path: Path) -> None:
    """Each as one argument, none of them an option."""
    heard = tmp_path / "heard"
    write = "import sys; open(sys.argv[1], 'a').write(sys.argv[-1] + ';')"
    program = SpeechProgram((*RUN, write, str(heard), "--"), as_argument=True)
    Speaker(program).speak("-one\n\ntwo", "en")
    assert heard.read_text() == "-one;two;"


def test_a_program_that_ends_well_unheard_is_no_success() -> None:
    """Without a sound card one of them says so and ends with 0; what libraries say besides is no failure."""
    write = "import sys; sys.stdin.read(); sys.stderr.write(sys.argv[1])"
    without = SpeechProgram((*RUN, write, "ALSA lib: no card\nerror: No such file\n"), failed="error: ")
    with pytest.raises(UserFacing, match=rf"{Path(RUN[0]).name} says: No such file"):
        Speaker(without).speak("Hello", "en")
    Speaker(SpeechProgram((*RUN, write, "ALSA lib: slow\n"), failed="error: ")).speak("Hello", "en")


def test_stop_ends_it_at_once(tmp_path: Path) -> None:
    """The process is gone, what the program needs beside that is run, and the speaking ends as cancelled."""
    begun, silenced = tmp_path / "begun", tmp_path / "silenced"
    wait = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(600)"
    hush = (*RUN, "import pathlib, sys; pathlib.Path(sys.argv[1]).touch()", str(silenced))
    speaker = Speaker(SpeechProgram((*RUN, wait, str(begun)), stop=hush))
    ended: list[Exception] = []

    def speak() -> None:
        try:
            speaker.speak("a long text", "en")
        except Cancelled as error:
            ended.append(error)

    thread = threading.Thread(target=speak)
    thread.start()
    while not begun.exists():
        thread.join(0.01)
    speaker.stop()
    thread.join(30)
    assert len(ended) == 1
    assert silenced.exists()
    speaker.stop()  # harmless when nothing is spoken


def test_a_failure_is_told_with_the_programs_own_words() -> None:
    """A computer without a sound device, as eSpeak says it; a program that is gone."""
    fail = "import sys; sys.stdin.read(); print('no sound card', file=sys.stderr); sys.exit(1)"
    with pytest.raises(UserFacing, match="no sound card"):
        Speaker(SpeechProgram((*RUN, fail))).speak("text", "en")
    with pytest.raises(UserFacing):
        Speaker(SpeechProgram(("/nowhere/to/be/found",))).speak("text", "en")


def test_only_a_program_that_works_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first whose probe says something; none where all fail, and none on an unknown system."""
    gone = SpeechProgram(("/nowhere/to/be/found",))
    silent = SpeechProgram((sys.executable,), probe=(*RUN, "pass"))
    broken = SpeechProgram((sys.executable,), probe=(*RUN, "print('x'); raise SystemExit(1)"))
    works = SpeechProgram((sys.executable,), probe=(*RUN, "print('en')"))
    monkeypatch.setitem(PROGRAMS, "here", (gone, silent, broken, works))
    assert speech_program("here") is works
    monkeypatch.setitem(PROGRAMS, "here", (gone, silent, broken))
    assert speech_program("here") is None
    assert speech_program("unknown") is None


@pytest.mark.skipif(shutil.which("espeak-ng") is None, reason="espeak-ng is not installed")
@pytest.mark.parametrize("language", ["en", "de", "fr", "es"])
def test_espeak_speaks_the_languages_of_answers(tmp_path: Path, language: str) -> None:
    """The real program, with the very command but for a file in place of the sound card."""
    program = speech.PROGRAMS["linux"][0]
    assert speech._works(program)
    file = tmp_path / "spoken.wav"
    with_file = SpeechProgram((*program.speak, "-w", str(file)))
    Speaker(with_file).speak("One two three. Eins zwei drei.", language)
    with wave.open(str(file)) as sound:
        assert sound.getnframes() / sound.getframerate() > 0.5


# Answers of somebody who wants the window to stand still: what opens is never closed.
ENDLESS = (
    *("[", "\\[", "\\(", "![", "<a", "$$ a", "- [ ", "[a]("),
    *("`", "```", "~~~~x\n", "\t|", " ", "-|", "_", "\n"),
)


@pytest.mark.children
def test_no_answer_takes_for_ever() -> None:
    """400,000 characters of each kind, which a model server may send."""
    # In a process of its own: while such an expression is matched nothing else runs, no time limit of a test.
    asks = "from tests.system.test_speech import *\nfor each in ENDLESS:\n"
    asks += "    spoken_words(each * (400_000 // len(each)) + 'x')\n"
    subprocess.run([sys.executable, "-c", asks], check=True, timeout=100)
