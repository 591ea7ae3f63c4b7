"""Lists that come in pages."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from .._records import decode
from .transport import AsyncTransport

_PER_PAGE = 100


async def pages(transport: AsyncTransport, path: str, hint: Any, **params: Any) -> AsyncIterator[Any]:
    """Every entry of a list, page by page, each as the type `hint`."""
    page = 1
    while True:
        asked = {**params, "page": page, "perPage": _PER_PAGE}
        answer = await transport.json("GET", path, params=asked)
        for entry in answer["data"]:
            yield decode(entry, hint)
        if page >= answer["meta"]["lastPage"]:
            return
        page += 1
