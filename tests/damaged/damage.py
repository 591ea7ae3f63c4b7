"""Damages a file by rules that a seed decides: the same number gives the same file."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

HEADER_BYTES = 256
"""Of the beginning, which a part of the damages aims at."""

MAX_DAMAGES = 4


@dataclass
class Damaged:
    """A file after its damages."""

    data: bytearray
    whole_bytes: int
    """Bytes of it before."""
    kinds: list[str]
    """What was done to it."""
    moved: bool = False
    """Whether bytes were taken out or put in, so that it is not as long as before."""
    strange_bytes: int = 0
    """Bytes that were put in and are no sound."""


def place(rng: random.Random, data: bytearray) -> int:
    """A place; one of five in the header."""
    reach = HEADER_BYTES if rng.random() < 0.2 else len(data)
    return rng.randrange(max(1, min(reach, len(data))))


def length(rng: random.Random, data: bytearray) -> int:
    """The length of a stretch: mostly short, never more than a fifth of the file."""
    return min(int(2 ** rng.uniform(0, 13)), len(data) // 5)


def rubbish(rng: random.Random, count: int) -> bytes:
    """Noise, zeros, one byte over and over, or text."""
    match rng.randrange(4):
        case 0:
            return rng.randbytes(count)
        case 1:
            return bytes(count)
        case 2:
            return bytes([rng.randrange(256)]) * count
        case _:
            return (b"<!DOCTYPE html>\n<p>Not found.</p>\n" * (count // 16 + 1))[:count]


def cut(rng: random.Random, file: Damaged) -> None:
    """The end is missing."""
    del file.data[rng.randrange(len(file.data) // 20, len(file.data)) :]
    file.moved = True


def flip(rng: random.Random, file: Damaged) -> None:
    """Some single bytes are others."""
    for _ in range(int(2 ** rng.uniform(0, 5))):
        at = place(rng, file.data)
        file.data[at] ^= rng.choice([1 << rng.randrange(8), rng.randrange(1, 256)])


def overwrite(rng: random.Random, file: Damaged) -> None:
    """A stretch is noise."""
    at = place(rng, file.data)
    stretch = file.data[at : at + length(rng, file.data)]
    file.data[at : at + len(stretch)] = rng.randbytes(len(stretch))


def zero(rng: random.Random, file: Damaged) -> None:
    """A stretch is zeros, as where a download has a hole."""
    at = place(rng, file.data)
    stretch = file.data[at : at + length(rng, file.data)]
    file.data[at : at + len(stretch)] = bytes(len(stretch))


def remove(rng: random.Random, file: Damaged) -> None:
    """A stretch is gone."""
    at = place(rng, file.data)
    del file.data[at : at + length(rng, file.data)]
    file.moved = True


def double(rng: random.Random, file: Damaged) -> None:
    """A stretch is there twice."""
    at = place(rng, file.data)
    stretch = file.data[at : at + length(rng, file.data)]
    file.data[at:at] = stretch
    file.moved = True


def insert(rng: random.Random, file: Damaged) -> None:
    """Rubbish stands inside."""
    at = place(rng, file.data)
    more = rubbish(rng, length(rng, file.data))
    file.data[at:at] = more
    file.strange_bytes += len(more)
    file.moved = True


def prepend(rng: random.Random, file: Damaged) -> None:
    """Rubbish stands in front."""
    more = rubbish(rng, int(2 ** rng.uniform(0, 17)))
    file.data[0:0] = more
    file.strange_bytes += len(more)
    file.moved = True


def append(rng: random.Random, file: Damaged) -> None:
    """Rubbish stands behind."""
    more = rubbish(rng, int(2 ** rng.uniform(0, 17)))
    file.data += more
    file.strange_bytes += len(more)
    file.moved = True


KINDS = [cut, cut, flip, flip, overwrite, zero, remove, double, insert, prepend, append]


def damaged(data: bytes, seed: str, kinds: list[Callable[[random.Random, Damaged], None]] = KINDS) -> Damaged:
    """The file with one to four damages of these kinds."""
    rng = random.Random(seed)
    file = Damaged(bytearray(data), len(data), [])
    for _ in range(rng.choice([1, 1, 1, 2, 3, MAX_DAMAGES])):
        if not file.data:
            break
        kind = rng.choice(kinds)
        kind(rng, file)
        file.kinds.append(kind.__name__)
    return file
