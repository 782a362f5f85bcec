"""`dev.py bench answers`: plain prompts, answered by Steward and by the same weights bare.

    dev.py bench answers [--only WORDS] [--part N/M] [--bare FILE] [--out FOLDER]
    dev.py bench answers --judged FOLDER

Each prompt of `answers.toml` is the first one of its conversation, and goes the whole way (rules, the
decision about tools, the answer) with an empty workspace. Bare is the same model file with the system prompt
of `BARE` and nothing else. Seed, sampling and limit are the same for both. `--part 2/5` takes every fifth
prompt from the second on; `--bare` keeps bare answers, so that another way of answering is compared with the
very same.

Two judges. By checks: the language, the length and the parts that were asked for, no talk of tools. By
reading: FOLDER/pairs.txt has both answers as A and B in a random order, whose key lies in FOLDER/key.json;
write a line such as `12 A` (or `12 =`) for each pair into FOLDER/verdicts.txt, then count with `--judged`.
A quarter of an hour for twenty prompts on two busy cores.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import logging
import os
import random
import re
import sys
import tempfile
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import structlog

from desktop.app.chat_parts import turns_for
from desktop.app.single_question import forgotten_store
from desktop.chat.turn_context import sampling
from desktop.engine.requests import GenerateRequest, Message
from tests.flows.real_model import Seeded, Talk, installed_model, talking

PROMPTS = Path(__file__).with_name("answers.toml")
BARE = "You are a helpful assistant."
SEED = 1
LONGEST_TOKENS = "320"  # of either answer: a limit that both share, for the time it takes
OF_TOOLS = re.compile(
    r"tools? (?:provided|available)|search_text|find_files|system_info|run_command|<tool|list_files|read_file"
    r"|web_search|using the tools|(?:as|I am|I'm) (?:an AI|a text-based)|nothing (?:said )?here leaves",
    re.IGNORECASE,
)

# Words that are frequent in one of these languages and in none of the others.
_FREQUENT = {
    "en": "the and is of you your with for that this are it can will be have from was",
    "de": "der die das und ist nicht ein eine sie ich mit für auf den zu von wir wird sind haben im dem",
    "fr": "le les et est une des vous pour dans que qui du avec votre sur pas je nous il au",
    "es": "el los y es una las para con que por su del en lo más como se está mi",
    "it": "il gli è una di per che con del della non sono le ti nel",
    "pt": "o os e é uma para com que não do da em dos as",
    "nl": "de het een en is van je voor met dat niet op zijn",
    "pl": "jest i w to stolica się na nie z oslo",
}
_WORDS_OF = {language: frozenset(words.split()) for language, words in _FREQUENT.items()}
_ITEM = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+\S", re.MULTILINE)
_NEEDED_WORDS = 8  # below that a text has too few frequent words to tell its language


def language_of(text: str) -> str:
    """The language whose frequent words are the most; "" where there are too few words to tell."""
    words = re.findall(r"[^\W\d_]+", re.sub(r"```.*?```", " ", text, flags=re.DOTALL).lower())
    if len(words) < _NEEDED_WORDS:
        return ""
    counted = Counter(
        {language: sum(word in known for word in words) for language, known in _WORDS_OF.items()}
    )
    return counted.most_common(1)[0][0]


def failed_checks(prompt: Mapping[str, Any], answer: str) -> list[str]:
    """What of the asked-for is not so."""
    failed = [
        f"lacks /{each}/" for each in prompt.get("has", ()) if not re.search(each, answer, re.IGNORECASE)
    ]
    count = len(answer.split())
    if "words" in prompt and not prompt["words"][0] <= count <= prompt["words"][1]:
        failed.append(f"{count} words")
    if "items" in prompt:
        items = len(_ITEM.findall(answer))
        if not prompt["items"][0] <= items <= prompt["items"][1]:
            failed.append(f"{items} points")
    wanted, written = prompt.get("into", prompt["lang"]), language_of(answer)
    # Code is in no language, and the words around it are few.
    if prompt["kind"] not in ("code", "translate") and written and written != wanted:
        failed.append(f"in {written}")
    if OF_TOOLS.search(answer):
        failed.append("talks of tools")
    return failed


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="")
    parser.add_argument("--part", default="1/1")
    parser.add_argument("--bare", type=Path)
    parser.add_argument("--out", type=Path, default=Path("answers"))
    parser.add_argument("--judged", type=Path)
    options = parser.parse_args(words)
    if options.judged is not None:
        return _print(judged(options.judged))
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    prompts = tomllib.loads(PROMPTS.read_text(encoding="utf-8"))["prompts"]
    number, parts = map(int, options.part.split("/"))
    chosen = [each for each in prompts if each["kind"].startswith(options.only)][number - 1 :: parts]
    bare_file = options.bare or options.out / "bare.json"
    options.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as home:
        folders = {
            "HOME": home,
            "STEWARD_CHAT__WORKSPACE": str(Path(home) / "Steward"),
            "STEWARD_MODEL__MAX_ANSWER_TOKENS": LONGEST_TOKENS,
        }
        model = installed_model()
        with patch.dict(os.environ, folders), talking(Path(home) / "profile", model) as talk:
            rows = []
            asking = Asking(talk, bare_file)
            for prompt in chosen:
                rows.append(asking.pair(prompt))
                _written(options.out, rows)
    return _print(by_checks(rows))


class Asking:
    """Both ways of answering, with one engine."""

    def __init__(self, talk: Talk, bare_file: Path) -> None:
        self._core = talk.core
        self._engine = Seeded(talk.core.engine)
        self._engine.seed = SEED
        self._bare_file = bare_file
        text = bare_file.read_text(encoding="utf-8") if bare_file.exists() else "{}"
        self._bare: dict[str, str] = json.loads(text)

    def pair(self, prompt: Mapping[str, Any]) -> dict[str, Any]:
        """One row: the prompt, both answers, what each misses."""
        ask = prompt["ask"]
        if ask not in self._bare:
            self._bare[ask] = self.bare(ask)
            self._bare_file.write_text(json.dumps(self._bare, ensure_ascii=False, indent=1), encoding="utf-8")
        ours, bare = self.ours(ask), self._bare[ask]
        return {
            **prompt,
            "ours": ours,
            "bare": bare,
            "ours_fails": failed_checks(prompt, ours),
            "bare_fails": failed_checks(prompt, bare),
        }

    def ours(self, ask: str) -> str:
        # A store of its own each time: what was said in one conversation is not to be recalled in the next.
        with forgotten_store() as store:
            turns = turns_for(self._core, store)
            turns._services = replace(turns._services, engine=self._engine)  # type: ignore[arg-type]
            return turns.run(store.create().id, ask).text

    def bare(self, ask: str) -> str:
        request = GenerateRequest(
            conversation="bare",
            messages=(Message("system", BARE), Message("user", ask)),
            sampling=sampling(self._core.settings.current.model),
        )
        return self._engine.submit(request).text().strip()


def by_checks(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How often more was missed than by bare, how often less; the lengths beside each other."""
    worse = [row for row in rows if len(row["ours_fails"]) > len(row["bare_fails"])]
    better = [row for row in rows if len(row["ours_fails"]) < len(row["bare_fails"])]
    lengths = {
        kind: [
            sum(len(row[who].split()) for row in rows if row["kind"] == kind)
            // sum(row["kind"] == kind for row in rows)
            for who in ("ours", "bare")
        ]
        for kind in dict.fromkeys(row["kind"] for row in rows)
    }
    return {
        "prompts": len(rows),
        "worse": len(worse),
        "better": len(better),
        "words_ours_and_bare": lengths,
        "worse_where": [f"{row['ask'][:60]} {row['ours_fails']}" for row in worse],
        "better_where": [f"{row['ask'][:60]} {row['bare_fails']}" for row in better],
        "both_miss": sum(bool(row["ours_fails"] and row["bare_fails"]) for row in rows),
    }


def judged(folder: Path) -> dict[str, Any]:
    """What somebody who did not know which was which has read."""
    key = json.loads((folder / "key.json").read_text(encoding="utf-8"))
    verdicts = re.findall(
        r"^(\d+) ([AB=])", (folder / "verdicts.txt").read_text(encoding="utf-8"), re.MULTILINE
    )
    found: dict[str, list[str]] = {"better": [], "worse": [], "same": []}
    for number, verdict in verdicts:
        ours, ask = key[number]
        result = "same" if verdict == "=" else "better" if verdict == ours else "worse"
        found[result].append(ask)
    return {"judged": len(verdicts), **{name: [len(each), each] for name, each in found.items()}}


def _written(folder: Path, rows: Sequence[Mapping[str, Any]]) -> None:
    (folder / "rows.json").write_text(json.dumps(rows, ensure_ascii=False, indent=1), encoding="utf-8")
    pairs, key = [], {}
    for number, row in enumerate(rows, 1):
        # By the words of both, so that a pair that is written again keeps its order, which nobody can guess.
        seed = hashlib.sha256(f"{row['ask']}{row['ours']}{row['bare']}".encode()).digest()
        ours = random.Random(seed).choice("AB")
        key[str(number)] = (ours, row["ask"])
        first, second = (row["ours"], row["bare"]) if ours == "A" else (row["bare"], row["ours"])
        pairs.append(
            f"### {number} [{row['lang']} {row['kind']}] {row['ask']}\n--A: {first}\n--B: {second}\n"
        )
    (folder / "pairs.txt").write_text("\n".join(pairs), encoding="utf-8")
    (folder / "key.json").write_text(json.dumps(key, ensure_ascii=False, indent=1), encoding="utf-8")


def _print(found: Mapping[str, Any]) -> int:
    sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
