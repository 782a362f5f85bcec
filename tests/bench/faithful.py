"""`python -m tests.bench.faithful`: right summaries that are thrown away, and wrong ones that are found.

    python -m tests.bench.faithful [--part first|second] [--show]

Each text of faithful.toml has right summaries in four languages, and of each the same with one thing altered.
A right one in which anything has no support is a false alarm. No model is asked.
"""

from __future__ import annotations

import argparse
import time
import tomllib
from collections import Counter
from pathlib import Path

from desktop.chat.faithfulness import SourceText, faults

CASES = Path(__file__).with_name("faithful.toml")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", default="")
    parser.add_argument("--show", action="store_true", help="print what was missed and what was thrown away")
    options = parser.parse_args()
    right, alarms = 0, 0
    altered: Counter[str] = Counter()
    found: Counter[str] = Counter()
    begun = time.process_time()
    for text in tomllib.loads(CASES.read_text(encoding="utf-8"))["text"]:
        for summary in text["summary"]:
            if options.part and summary["part"] != options.part:
                continue
            right += 1
            said = faults(summary["says"], SourceText([text["text"]]))
            alarms += bool(said)
            if said and options.show:
                print("ALARM", text["name"], summary["lang"], [(each.kind.value, each.said) for each in said])
            for kind, words, wrong in summary["wrong"]:
                assert words in summary["says"], (text["name"], words)
                altered[kind] += 1
                there = faults(summary["says"].replace(words, wrong), SourceText([text["text"]]))
                found[kind] += bool(there)
                if not there and options.show:
                    print("MISSED", text["name"], summary["lang"], kind, wrong)
    took = time.process_time() - begun
    print(f"right: {right}, thrown away: {alarms}")
    for kind, count in altered.items():
        print(f"{kind}: {found[kind]} of {count} found")
    total = sum(altered.values())
    print(f"all: {sum(found.values())} of {total}; {took / max(right + total, 1) * 1000:.1f} ms each")


if __name__ == "__main__":
    main()
