"""What the speech programs say: the project's own sentences, and random words of the CMU dictionary for rare sounds."""

from __future__ import annotations

import random
import re
import sys
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
import words  # noqa: E402

DICTIONARY_FOLDER = Path("/usr/share/festival/dicts/cmu")
"""From the Debian package festlex-cmu."""
DICTIONARY_SHARE = 0.5


@cache
def dictionary() -> tuple[str, ...]:
    """Plain words of 2 to 9 letters; empty where the dictionary is not installed."""
    found: set[str] = set()
    for file in sorted(DICTIONARY_FOLDER.glob("*")):
        if file.is_file():
            found.update(re.findall(r'^\("([a-z]{2,9})"', file.read_text(errors="ignore"), re.MULTILINE))
    return tuple(sorted(found))


def sentences(seed: int, count: int) -> list[str]:
    """`count` sentences; every other one is made of dictionary words."""
    choose = random.Random(seed)
    result = words.sentences(seed, count)
    known = dictionary()
    for place in range(count):
        if known and choose.random() < DICTIONARY_SHARE:
            result[place] = " ".join(choose.choice(known) for _ in range(choose.randint(5, 9))) + "."
    return [text.replace(",", "") for text in result]


def lists(seed: int, count: int, length: int) -> list[list[str]]:
    """`count` lists of so many words of the dictionary that are said one by one; none where it is not installed."""
    choose = random.Random(seed)
    known = dictionary()
    return [[choose.choice(known) for _ in range(length)] for _ in range(count)] if known else []
