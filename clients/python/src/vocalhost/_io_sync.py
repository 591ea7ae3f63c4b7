"""What is different when code may block. `_io_async.py` has the same for code that may not."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

T = TypeVar("T")

__all__ = ["closing", "in_thread", "sleep"]


def sleep(seconds: float) -> None:
    """Waits."""
    time.sleep(seconds)


def in_thread(work: Callable[[], T]) -> T:
    """Reads or writes files."""
    return work()
