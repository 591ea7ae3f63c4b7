"""What the tests share. `VOCALHOST_URL` and `VOCALHOST_KEY` name a server that may be worked with, `VOCALHOST_SOUND` a recording."""

from __future__ import annotations

import io
import os
import random
import wave
from pathlib import Path

from vocalhost import Client

URL = os.environ["VOCALHOST_URL"]
SOUND = Path(os.environ["VOCALHOST_SOUND"])


def client(url: str = URL, **options: float) -> Client:
    """A client with the key of the tests."""
    return Client(url, **options)  # type: ignore[arg-type]


def long_recording(seconds: int) -> bytes:
    """Noise in a WAV file, 96,000 bytes for each second."""
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(48_000)
        sound.writeframes(random.Random(7).randbytes(96_000 * seconds))
    return file.getvalue()
