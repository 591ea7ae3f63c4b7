"""What is different when nothing may block. `_io_sync.py` has the same for code that may."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import aclosing
from typing import TypeVar

import anyio
import anyio.to_thread

T = TypeVar("T")

__all__ = ["aclosing", "in_thread", "sleep"]


async def sleep(seconds: float) -> None:
    """Waits."""
    await anyio.sleep(seconds)


async def in_thread(work: Callable[[], T]) -> T:
    """Reads or writes files without holding up what else goes on."""
    return await anyio.to_thread.run_sync(work)
