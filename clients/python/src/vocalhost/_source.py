"""Files that are to be sent."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import BinaryIO, Union, cast

FileInput = Union[str, "os.PathLike[str]", bytes, BinaryIO]
"""A path, the bytes themselves, a file that is open for reading bytes, or `upload:<id>` of what was uploaded before."""

UPLOADED = "upload:"


def several(files: FileInput | Sequence[FileInput]) -> list[FileInput]:
    """One file or several, as a list: a path is no list of letters."""
    if isinstance(files, (str, bytes)) or not isinstance(files, Sequence):
        return [files]
    return list(cast("Sequence[FileInput]", files))


class Source:
    """A file whose parts can be read in any order, and again."""

    def __init__(self, name: str, size: int, read: Callable[[int, int], bytes]) -> None:
        self.name = name
        self.size = size
        self.read = read
        """Gives as many bytes as the second number says, from the first one on."""

    @classmethod
    def of(cls, file: FileInput) -> Source:
        """Raises `OSError` when a path cannot be read, `ValueError` when an open file cannot be read in any order."""
        if isinstance(file, bytes):
            return cls("recording", len(file), lambda start, count: file[start : start + count])
        if isinstance(file, (str, os.PathLike)):
            path = Path(file)
            return cls(path.name, path.stat().st_size, lambda start, count: _read_path(path, start, count))
        if not file.seekable():
            raise ValueError("The file cannot be read from its middle; give its path or its bytes.")
        lock = threading.Lock()
        begins = file.tell()
        size = file.seek(0, os.SEEK_END) - begins

        def read(start: int, count: int) -> bytes:
            with lock:
                file.seek(begins + start)
                return file.read(count)

        name = getattr(file, "name", None)
        return cls(os.path.basename(name) if isinstance(name, str) else "recording", size, read)


def _read_path(path: Path, start: int, count: int) -> bytes:
    with path.open("rb") as file:
        file.seek(start)
        return file.read(count)


def uploaded(file: object) -> str | None:
    """The text that stands for an upload, when `file` is one."""
    return file if isinstance(file, str) and file.startswith(UPLOADED) else None
