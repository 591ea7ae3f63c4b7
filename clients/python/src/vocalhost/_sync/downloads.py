# Made of `_async` by the generator. Changes belong there.
"""Files that come as a stream and go on where a connection broke."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO

import httpx

from .. import _io_sync as io
from ..errors import Problem, Unreachable
from .transport import Transport

OnBytes = Callable[[int, "int | None"], None]


def download(transport: Transport, url: str, path: str | os.PathLike[str], on_progress: OnBytes | None = None) -> Path:
    """Fetches a link into a file, which appears when it is whole. `on_progress` is told bytes, and how many there are if that is known."""
    target = Path(path)
    part = target.with_name(f"{target.name}.part")
    try:
        with part.open("wb") as file:
            _fetch(transport, url, file, on_progress)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    return target


def _fetch(transport: Transport, url: str, file: BinaryIO, on_progress: OnBytes | None) -> None:
    etag: str | None = None
    tries = 0
    while True:
        # What is compressed on the way has other places.
        headers = {"Accept-Encoding": "identity"}
        done = file.tell()
        if done and etag:
            headers |= {"Range": f"bytes={done}-", "If-Range": etag}
        try:
            with transport.stream(url, headers) as response:
                if response.status_code != 206 and done:
                    # The file is another one by now, or is only known by its beginning.
                    file.seek(0)
                    file.truncate()
                etag = response.headers.get("etag")
                total = _total(response, file.tell())
                for chunk in response.iter_bytes():
                    io.in_thread(partial(file.write, chunk))
                    tries = 0
                    if on_progress:
                        on_progress(file.tell(), total)
            if total is None or file.tell() >= total:
                return
            raise Unreachable(f"The file broke off after {file.tell()} of {total} bytes.")
        except (Problem, Unreachable) as error:
            tries += 1
            pause = transport.patience.pause(error, tries)
            if pause is None:
                raise
        io.sleep(pause)


def _total(response: httpx.Response, begins: int) -> int | None:
    length = response.headers.get("content-length")
    return begins + int(length) if length and length.isdigit() else None
