"""Makes code that may block of code that must not."""

import re

NOTICE = "# Made of `_async` by the generator. Changes belong there.\n"

# In this order: what stands first goes first.
WORDS = [
    (r"\basync (def|with|for)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b_io_async\b", "_io_sync"),
    (r"\basynccontextmanager\b", "contextmanager"),
    (r"\b__a(enter|exit)__\b", r"__\1__"),
    (r"\ba(close|closing|read|iter_bytes|iter_text)\b", r"\1"),
    (r"\bAsyncGenerator\[(\w+), None\]", r"Generator[\1, None, None]"),
    (r"\bAsync([A-Z]\w*)\b", r"\1"),
    ("that must not block", "that may block"),
    (r"`_sync` is made of it", "It is made of `_async`"),
]


def blocking(source: str) -> str:
    """The same module without `async`."""
    for pattern, word in WORDS:
        source = re.sub(pattern, word, source)
    return NOTICE + source
