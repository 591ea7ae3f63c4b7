"""Reads the weights of a model in CTranslate2's binary format (version 6), without that library.

The file is little-endian: version (u32), the name of the specification (u16 length, characters, a zero), its revision (u32),
the number of variables (u32); then each variable's name (as above), rank (u8), dimensions (u32 each), element type (u8),
number of bytes (u32) and the bytes. Behind them stand aliases, names for variables that are there already. From the serialiser
in CTranslate2's `python/ctranslate2/specs/model_spec.py`.
"""

from __future__ import annotations

import struct

import numpy as np

ELEMENT_TYPES = {0: np.float32, 1: np.int8, 2: np.int16, 3: np.int32, 4: np.float16}
VERSION = 6


class Reader:
    """A cursor over the bytes of a file."""

    def __init__(self, content: bytes):
        self.content = content
        self.place = 0

    def number(self, code: str) -> int:
        """The next number, by its code in `struct`."""
        (value,) = struct.unpack_from(f"<{code}", self.content, self.place)
        self.place += struct.calcsize(code)
        return value

    def bytes(self, count: int) -> bytes:
        """The next bytes."""
        found = self.content[self.place : self.place + count]
        if len(found) < count:
            raise ValueError("the file ends early")
        self.place += count
        return found

    def text(self) -> str:
        """The next name."""
        return self.bytes(self.number("H")).rstrip(b"\0").decode()


def read(content: bytes) -> dict[str, np.ndarray]:
    """Every variable by its name."""
    reader = Reader(content)
    version = reader.number("I")
    if version != VERSION:
        raise ValueError(f"format {version} instead of {VERSION}")
    reader.text()
    reader.number("I")
    variables = {}
    for _ in range(reader.number("I")):
        name = reader.text()
        shape = [reader.number("I") for _ in range(reader.number("B"))]
        element = np.dtype(ELEMENT_TYPES[reader.number("B")])
        values = np.frombuffer(reader.bytes(reader.number("I")), element.newbyteorder("<"))
        variables[name] = values.reshape(shape)
    return variables

