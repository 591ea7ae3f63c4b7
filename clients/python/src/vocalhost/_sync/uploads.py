# Made of `_async` by the generator. Changes belong there.
"""Uploads that go on after a broken line (tus 1.0)."""

from __future__ import annotations

import base64
from collections.abc import Callable
from functools import partial

from .. import _io_sync as io
from .._source import UPLOADED, FileInput, Source, uploaded
from ..errors import Problem, Unreachable, UploadBroken, VocalhostError
from .transport import Transport

# Sent with one request. What arrived of a piece whose connection breaks stays.
_PIECE_BYTES = 4 << 20

# A file up to this size goes with its form.
_SMALL_BYTES = 4 << 20

_TUS = {"Tus-Resumable": "1.0.0"}

# Another place than where the upload stands, another piece at the same time, a checksum that is wrong: asking where it stands helps.
_OUT_OF_STEP = {409, 423, 460}

OnBytes = Callable[[int, int], None]


def begin(transport: Transport, name: str, size: int) -> str:
    """Announces a file. Gives what stands for it: `upload:<id>`."""
    coded = base64.b64encode(name.encode()).decode()
    headers = {**_TUS, "Upload-Length": str(size), "Upload-Metadata": f"filename {coded}"}
    response = transport.send("POST", "/uploads", headers=headers)
    # A proxy may know the server under another address: only the id counts.
    return UPLOADED + response.headers["Location"].rsplit("/", 1)[-1]


def upload(transport: Transport, file: FileInput, to: str | None = None, on_progress: OnBytes | None = None) -> str:
    """Sends a file in pieces; goes on where an upload `to` stands that was begun before."""
    source = Source.of(file)
    upload = to or begin(transport, source.name, source.size)
    path = f"/uploads/{upload.removeprefix(UPLOADED)}"
    offset = 0
    tries = 0
    try:
        if to:
            offset = _arrived(transport, path, source.size)
        while offset < source.size:
            start = offset
            piece = io.in_thread(partial(source.read, start, min(_PIECE_BYTES, source.size - start)))
            if not piece:
                raise UploadBroken(upload, offset, "the file has become shorter")
            headers = {**_TUS, "Upload-Offset": str(offset), "Content-Type": "application/offset+octet-stream"}
            try:
                answer = transport.send_once("PATCH", path, content=piece, headers=headers)
                offset = int(answer.headers["Upload-Offset"])
            except (Problem, Unreachable) as error:
                tries += 1
                io.sleep(_pause(transport, error, tries))
                offset = _arrived(transport, path, source.size)
            if offset > start:
                tries = 0
                if on_progress:
                    on_progress(offset, source.size)
    except Unreachable as error:
        raise UploadBroken(upload, offset, error) from error
    except Problem as error:
        # Where it is told to wait longer than it may, or to do so too often, it can go on later; what is refused cannot.
        if error.is_passing or error.status in _OUT_OF_STEP:
            raise UploadBroken(upload, offset, error) from error
        raise
    return upload


def form_file(transport: Transport, file: FileInput, on_progress: OnBytes | None = None) -> object:
    """What stands for a file in a form: a small one itself, a large one as an upload."""
    already = uploaded(file)
    if already:
        return already
    source = Source.of(file)
    if source.size > _SMALL_BYTES:
        return upload(transport, file, on_progress=on_progress)
    return source.name, io.in_thread(partial(source.read, 0, source.size))


def _pause(transport: Transport, error: VocalhostError, tries: int) -> float:
    if isinstance(error, Problem) and error.status in _OUT_OF_STEP:
        error.is_passing = True
    pause = transport.patience.pause(error, tries)
    if pause is None:
        raise error
    return pause


def _arrived(transport: Transport, path: str, size: int) -> int:
    """How much the server has."""
    answer = transport.send("HEAD", path, headers=_TUS)
    length = int(answer.headers["Upload-Length"])
    if length != size:
        raise ValueError(f"This upload was begun for another file: that has {length} bytes, this one {size}.")
    return int(answer.headers["Upload-Offset"])
