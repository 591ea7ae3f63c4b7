# Made of `_async` by the generator. Changes belong there.
"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .._records import decode
from .transport import Transport

_PER_PAGE = 100


def pages(transport: Transport, path: str, hint: Any, **params: Any) -> Iterator[Any]:
    """Every entry of a list, page by page, each as the type `hint`."""
    page = 1
    while True:
        asked = {**params, "page": page, "perPage": _PER_PAGE}
        answer = transport.json("GET", path, params=asked)
        for entry in answer["data"]:
            yield decode(entry, hint)
        if page >= answer["meta"]["lastPage"]:
            return
        page += 1
