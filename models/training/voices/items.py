"""Reads the generated utterances."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from . import spectra


@dataclass
class Labelled:
    """One utterance heard by a network: its log mel as uttered and by its twin, and the phone of each 20 ms."""

    name: str
    log_mel: torch.Tensor
    """[T, 64] at 100 Hz, T even."""
    twin_log_mel: torch.Tensor | None
    labels: torch.Tensor
    """[T / 2]."""


def read_wave(array: np.ndarray) -> np.ndarray:
    """int16 to f32 within -1..1."""
    return array.astype(np.float32) / 32768.0


def paths(work: Path, prefix: str) -> list[Path]:
    """The items whose names begin so, in order."""
    return sorted((work / "speech").glob(f"{prefix}*.npz"))


def labelled(path: Path) -> Labelled:
    """An item for the content encoder."""
    with np.load(path) as item:
        frames = len(item["labels"]) // 2 * 2
        labels = torch.from_numpy(item["labels"][1:frames:2].astype(np.int64))
        mels = [
            spectra.content_log_mel(torch.from_numpy(read_wave(item[key][: frames * spectra.HOP])))
            if key in item
            else None
            for key in ("wave", "twin")
        ]
    return Labelled(path.stem, mels[0], mels[1], labels)
