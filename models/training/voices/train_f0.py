"""Trains the pitch network on sound whose fundamental is known from its generator.

    python -m voices.train_f0 WORK --seconds 600 [--initial f0.onnx of a package]

Voices: twins and songs of WORK/speech (resynthesised, so pitch and voicing are exact), at other speeds, with noise and
with backing 25 dB below to 3 dB above them. Single instruments alone have a pitch as well; backing alone, noise and
silence have none.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import soxr
import torch
from torch.nn import functional

import precision

from . import clock, f0_network, initial, items
from .f0_network import CENTS_BASE, CENTS_STEP, PITCHES, PitchNetwork
from .instruments import BACKINGS

BATCH, FRAMES = 8, 128
LEARNING_RATE = 1e-3
SPREAD_CENTS = 25.0
"""Standard deviation of the wanted bump over the pitches."""
PITCH_WEIGHT = 9.0
"""Additional weight of the bump, which covers few of the pitches."""
VOICING_WEIGHT = 0.3
BACKED_SHARE, BACKING_ALONE_SHARE, INSTRUMENT_SHARE, STILL_SHARE = 0.55, 0.07, 0.07, 0.02
THRESHOLD = 0.3
SEED = 31


class Sounds:
    """Everything that stretches are cut from, at 16 kHz."""

    def __init__(self, work: Path):
        self.voices, self.instruments = [], []
        for path in items.paths(work, "train-s"):
            with np.load(path) as item:
                self.voices.append((items.read_wave(item["twin"]), item["twin_f0"]))
                if "sung" in path.stem:
                    self.voices.append((items.read_wave(item["wave"]), item["f0"]))
        for path in sorted((work / "music").glob("solo-*-[1-9].npz")):
            with np.load(path) as item:
                self.instruments.append((soxr.resample(item["wave"], 32_000, 16_000), item["f0"]))
        self.lengths = [len(f0_hz) for _, f0_hz in self.voices]
        self.backings = [items.read_wave(np.load(path)["wave"]) for path in backing_paths(work)[:BACKINGS]]

    def draw(self) -> tuple[np.ndarray, np.ndarray]:
        """[FRAMES * 160] and hertz [FRAMES]."""
        kind = random.random()
        if kind < STILL_SHARE:
            samples, f0_hz = np.zeros(FRAMES * 160), np.zeros(FRAMES)
        elif kind < STILL_SHARE + BACKING_ALONE_SHARE:
            samples, f0_hz = self._backing(), np.zeros(FRAMES)
        elif kind < STILL_SHARE + BACKING_ALONE_SHARE + INSTRUMENT_SHARE:
            samples, f0_hz = cut(*random.choice(self.instruments), 2.0 ** random.uniform(-0.4, 0.3))
        else:
            voice = random.choices(self.voices, self.lengths)[0]
            samples, f0_hz = cut(*voice, 2.0 ** random.uniform(-0.4, 0.5))
            if random.random() < BACKED_SHARE:
                level = 10.0 ** (-random.uniform(-3.0, 25.0) / 20.0)
                samples = samples / (samples.std() + 1e-4) + self._backing() * level
        samples = samples * (0.06 / (samples.std() + 1e-4)) * 10.0 ** random.uniform(-0.4, 0.4)
        samples = samples + np.random.normal(0.0, 10.0 ** random.uniform(-5.0, -2.2), len(samples))
        return samples.astype(np.float32), f0_hz

    def _backing(self) -> np.ndarray:
        wave = random.choice(self.backings)
        start = random.randrange(len(wave) - FRAMES * 160)
        samples = wave[start : start + FRAMES * 160]
        return samples / (samples.std() + 1e-4)


def backing_paths(work: Path) -> list[Path]:
    """In order; those behind the first BACKINGS are held out."""
    return sorted((work / "music").glob("backing-*.npz"))


def cut(wave: np.ndarray, f0_hz: np.ndarray, speed: float) -> tuple[np.ndarray, np.ndarray]:
    """A random stretch, played so much faster; silence behind its end."""
    needed = int(FRAMES * speed) + 2
    start = random.randint(0, max(0, len(f0_hz) - needed))
    part = wave[start * 160 : (start + needed) * 160]
    samples = np.interp(np.arange(FRAMES * 160) * speed, np.arange(len(part)), part, right=0.0)
    place = np.round(start + np.arange(FRAMES) * speed).astype(int)
    pitch = np.where(place < len(f0_hz), f0_hz[np.minimum(place, len(f0_hz) - 1)], 0.0)
    return samples, pitch * speed


def loss_of(network: PitchNetwork, samples: np.ndarray, f0_hz: np.ndarray) -> torch.Tensor:
    """Cross-entropies of the salience and of the voicing decision."""
    pitch = torch.from_numpy(f0_hz.astype(np.float32))
    voiced = (pitch > 0).float()[..., None]
    cents = 1200.0 * torch.log2(torch.clamp(pitch, min=20.0) / 10.0)
    places = torch.arange(PITCHES) * CENTS_STEP + CENTS_BASE
    wanted = torch.exp(-((places - cents[..., None]) ** 2) / (2 * SPREAD_CENTS**2)) * voiced
    with precision.autocast():
        pitches, voicing = network.logits(f0_network.log_mel(torch.from_numpy(samples)))
    pitches, voicing = pitches.float(), voicing.float()
    log_salience = functional.logsigmoid(pitches) + functional.logsigmoid(voicing)
    log_rest = torch.log1p(-torch.exp(log_salience).clamp(max=1.0 - 1e-6))
    entropy = -(wanted * log_salience + (1.0 - wanted) * log_rest) * (1.0 + PITCH_WEIGHT * wanted)
    return entropy.mean() * 10.0 + VOICING_WEIGHT * functional.binary_cross_entropy_with_logits(voicing, voiced)


def main() -> None:
    """Trains and stores the network in WORK."""
    parser = clock.parser(__doc__, 600.0)
    parser.add_argument("--initial", type=Path, help="f0.onnx of a package to start from")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    clock.seed(SEED)
    sounds = Sounds(options.work)
    network = PitchNetwork()
    if options.initial:
        print("fresh:", initial.load(network, initial.tensors(options.initial)), flush=True)
    if options.resume:
        network.load_state_dict(torch.load(options.work / "f0.pt"))
    optimiser = torch.optim.AdamW(network.parameters(), LEARNING_RATE)
    timer, step, recent = clock.Clock(options), 0, []
    while (progress := timer.progress()) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * min(1.0, step / 50) * max(0.01, 1.0 - progress)
        samples, f0_hz = zip(*(sounds.draw() for _ in range(BATCH)), strict=True)
        loss = loss_of(network, np.stack(samples), np.stack(f0_hz))
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        recent = [*recent[-199:], loss.item()]
        step += 1
        if timer.is_due():
            print(f"{timer.spent():.0f} s, step {step}: {np.mean(recent):.4f}", flush=True)
            torch.save(network.state_dict(), options.work / "f0.pt")
    torch.save(network.state_dict(), options.work / "f0.pt")
    figures = {"steps": step, "loss": round(float(np.mean(recent)), 4), "cpu_s": round(timer.spent())}
    (options.work / "f0_training.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(figures, flush=True)


if __name__ == "__main__":
    main()
