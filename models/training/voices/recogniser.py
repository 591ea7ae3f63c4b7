"""A phone recogniser that only measures: it says how much of the speech survives a conversion. Never shipped.

    python -m voices.recogniser WORK --seconds 1100

Features, layers and seed differ from the content encoder's (see `networks.Recogniser`).
"""

from __future__ import annotations

import random
from functools import cache
from pathlib import Path

import numpy as np
import torch
from scipy.fft import dct
from torch.nn import functional

from . import clock, items, phones, spectra
from .networks import Recogniser

WINDOW, HOP, MELS, CEPSTRA = 400, 160, 40, 20
# Each recording is also heard as a longer and as a shorter body would say it: a speaker's own voice and his twin are two bodies of
# few, and who converts to a deep voice should not be said to have lost the phones for that (vocal tract length perturbation:
# Jaitly and Hinton, 2013).
STRETCHES = (0.78, 0.88, 1.0, 1.13, 1.28)
# Up to here, in Hz, frequencies are stretched; from there on they are squeezed so that the highest stays.
STRETCHED_HZ = 5_000.0
BATCH, FRAMES = 16, 200
LEARNING_RATE = 2e-3
SEED = 4711


@cache
def _filters() -> np.ndarray:
    return spectra.triangles(80.0, 7_600.0, MELS, WINDOW // 2 + 1, 8_000.0)


def _stretched(spectrum: np.ndarray, factor: float) -> np.ndarray:
    """[T, bins up to 8 kHz]: what was at a frequency is at `factor` times as much."""
    bins = np.arange(spectrum.shape[1])
    end, last = STRETCHED_HZ / 8_000.0 * bins[-1], bins[-1]
    edge = end * min(1.0, factor)
    heard = np.where(bins <= edge, bins / factor, last - (last - bins) * (last - edge / factor) / (last - edge))
    below = np.minimum(heard.astype(int), last - 1)
    return spectrum[:, below] + (spectrum[:, below + 1] - spectrum[:, below]) * (heard - below)


def cepstra(samples: np.ndarray, stretch: float = 1.0) -> np.ndarray:
    """[N] at 16 kHz to [N / 160, 20]: mel cepstra without their mean over the recording."""
    frames = len(samples) // HOP
    padded = np.pad(np.asarray(samples, np.float64), (WINDOW // 2 - HOP // 2, WINDOW))
    starts = np.arange(frames) * HOP
    spectrum = np.abs(np.fft.rfft(padded[starts[:, None] + np.arange(WINDOW)] * np.hamming(WINDOW), axis=1))
    if stretch != 1.0:
        spectrum = _stretched(spectrum, stretch)
    features = dct(np.log(spectrum @ _filters() + 1e-3), norm="ortho", axis=1)[:, :CEPSTRA]
    return ((features - features.mean(axis=0)) * 0.5).astype(np.float32)


def load(work: Path) -> Recogniser:
    """The trained recogniser."""
    network = Recogniser()
    network.load_state_dict(torch.load(work / "recogniser.pt"))
    return network.eval()


def agreement(network: Recogniser, samples: np.ndarray, labels: np.ndarray) -> float:
    """Share of the sounding 20 ms frames that are heard as the phone that was said. `labels` at 100 Hz."""
    with torch.no_grad():
        named = network(torch.from_numpy(cepstra(samples))[None])[0].argmax(1).numpy()
    said = labels[1::2][: len(named)]
    named = named[: len(said)]
    counts = (said != phones.SILENCE) & (said != phones.UNKNOWN)
    return float((named[counts] == said[counts]).mean())


def main() -> None:
    """Trains and stores the weights in WORK."""
    options = clock.parser(__doc__, 1100.0).parse_args()
    clock.seed(SEED)
    data = []
    for path in items.paths(options.work, "train-"):
        with np.load(path) as item:
            labels = torch.from_numpy(item["labels"].astype(np.int64))
            waves = [items.read_wave(item[key]) for key in ("wave", "twin") if key in item]
            heard = [cepstra(wave, stretch) for wave in waves for stretch in STRETCHES]
        data += [(torch.from_numpy(one), labels) for one in heard if len(one) >= FRAMES]
    tests = {}
    for path in items.paths(options.work, "test-"):
        with np.load(path) as item:
            pair = items.read_wave(item["wave"]), item["labels"]
        tests.setdefault(path.stem.rsplit("-", 1)[0], []).append(pair)
    print(f"{len(data)} recordings", flush=True)
    network = Recogniser()
    optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE, weight_decay=1e-2)
    timer, step, recent = clock.Clock(options), 0, []
    while (progress := timer.progress()) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * max(0.02, 1.0 - progress)
        features, wanted = [], []
        for one, labels in random.choices(data, k=BATCH):
            start = random.randint(0, (len(one) - FRAMES) // 2) * 2
            colour = torch.randn(CEPSTRA) * torch.linspace(0.6, 0.1, CEPSTRA)
            noise = torch.randn(FRAMES, CEPSTRA) * random.choice([0.0, 0.1, 0.3])
            features.append(one[start : start + FRAMES] + colour + noise)
            wanted.append(labels[start + 1 : start + FRAMES : 2])
        logits = network(torch.stack(features))
        target = torch.stack(wanted).reshape(-1)
        loss = functional.cross_entropy(logits.flatten(0, 1), target, ignore_index=phones.UNKNOWN, label_smoothing=0.05)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        recent = [*recent[-199:], loss.item()]
        step += 1
        if timer.is_due():
            print(f"{timer.spent():.0f} s, step {step}: {np.mean(recent):.3f}", flush=True)
    torch.save(network.state_dict(), options.work / "recogniser.pt")
    network.eval()
    for kind, pairs in tests.items():
        print(kind, round(float(np.mean([agreement(network, *pair) for pair in pairs])), 3), flush=True)


if __name__ == "__main__":
    main()
