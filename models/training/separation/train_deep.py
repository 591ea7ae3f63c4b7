"""Trains the network of the lowest bins, alone: it hears nothing of what the other network makes.

The loss is the logarithm of the error's energy against the stem's and the mix's, as SI-SDR is one, for drums, bass and what is left.
"""

from __future__ import annotations

import random
import time
from pathlib import Path

import numpy as np
import torch

import precision

from . import deep, deep_material, optimiser

FRAMES = 256
WEIGHTS = (2.4, 0.6, 0.5)
FLOOR = 0.003
"""Of the mix's energy: errors below are good enough."""


def _fade(samples: int) -> torch.Tensor:
    """deep.fade for the frequencies of a whole wave."""
    bins = torch.arange(samples // 2 + 1) * (deep.FFT / samples)
    return ((deep.END - bins) / (deep.END - deep.FULL)).clamp(0, 1)


def batch(material: deep_material.Material, rng: random.Random, size: int) -> tuple[torch.Tensor, torch.Tensor]:
    """Waves of the stems, middle and side, [size, 3, 2, FRAMES * deep.HOP], the mix's of variance 1 / 2, and what is heard of the bands,
    [size, deep.BANDS, FRAMES]."""
    made = [deep_material.example(material, rng, FRAMES) for _ in range(size)]
    samples = FRAMES * deep.HOP
    spectra = torch.from_numpy(np.stack([waves for waves, _ in made])) * _fade(samples)
    waves = torch.fft.irfft(spectra, samples)
    waves = torch.stack([waves.sum(2), waves[:, :, 0] - waves[:, :, 1]], 2) * 0.5
    loud = torch.sqrt(waves.sum(1).square().mean((1, 2), keepdim=True) * 2) + 1e-6
    bands = torch.from_numpy(np.stack([bands[:, 1:].T for _, bands in made]))
    return waves / loud.unsqueeze(1), deep.hear(bands, loud)


def loss(found: torch.Tensor, waves: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """`found` [B, 2, 2, samples] of the stems [B, 3, 2, samples]; the loss and the errors' energies over the mix's, [B, 3]."""
    error = found - waves[:, :2]
    errors = torch.cat([error, -error.sum(1, keepdim=True)], 1).square().mean((2, 3))
    energy = waves.sum(1).square().mean((1, 2))[:, None]
    scaled = errors / (energy + 1e-4)
    weights = torch.tensor(WEIGHTS)
    return (weights * torch.log10(scaled + FLOOR)).sum(1).mean(), scaled.detach()


class Trainer:
    """One run; the learning rate falls to zero from the share `decay_from` of its time on."""

    def __init__(self, data: Path, checkpoint: Path, rate: float, seed: int):
        torch.manual_seed(seed)
        self.rng = random.Random(seed)
        self.checkpoint, self.rate = checkpoint, rate
        self.material = deep_material.Material(data, "train")
        self.network = deep.Waves().to(memory_format=torch.channels_last)
        self.average = {name: value.clone() for name, value in self.network.state_dict().items()}
        self.optimisers = optimiser.for_model(self.network, rate)
        self.steps, self.spent = 0, 0.0
        if checkpoint.exists():
            held = torch.load(checkpoint)
            self.network.load_state_dict(held["model"])
            self.average, self.steps, self.spent = held["average"], held["steps"], held["cpu_seconds"]
            for one, state in zip(self.optimisers, held["optimisers"] or []):
                one.load_state_dict(state)
            self.rng.seed(self.steps)

    def save(self) -> None:
        """Writes the checkpoint whole or not at all."""
        held = {"model": self.network.state_dict(), "average": self.average, "steps": self.steps,
                "cpu_seconds": self.spent, "optimisers": [one.state_dict() for one in self.optimisers]}  # fmt: skip
        optimiser.write(held, self.checkpoint)

    def run(self, until: float, seconds: float, size: int, decay_from: float) -> None:
        """Until `seconds` of CPU time are spent or the wall clock (Unix time) passes `until`."""
        began, first, last_save = time.time(), time.process_time() - self.spent, time.time()
        trail: list[np.ndarray] = []
        while True:
            done = max(self.spent / seconds, (time.time() - began) / (until - began))
            if done >= 1:
                break
            rate = optimiser.rate_at(self.rate, self.steps, done, decay_from)
            trail.append(self._step(rate, size))
            self.steps += 1
            self.spent = time.process_time() - first
            if time.time() - last_save > 60:
                means = np.mean(trail[-200:], 0)
                print(f"{time.strftime('%H:%M:%S')} step {self.steps} cpu {self.spent:.0f} s, rate {rate:.5f}, "
                      f"loss {means[0]:.4f}, errors to mix dB {np.round(means[1:], 2)}", flush=True)  # fmt: skip
                self.save()
                last_save = time.time()
        self.save()

    def _step(self, rate: float, size: int) -> np.ndarray:
        waves, bands = batch(self.material, self.rng, size)
        self.network.train()
        with precision.autocast():
            found = self.network(waves.sum(1), bands)
        value, errors = loss(found.float(), waves)
        if not torch.isfinite(value):
            raise FloatingPointError(f"loss {value.item()} at step {self.steps}")
        for one in self.optimisers:
            one.zero_grad()
        value.backward()
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), 5.0)
        optimiser.step(self.optimisers, rate)
        optimiser.follow(self.average, self.network, self.steps)
        return np.concatenate([[value.item()], 10 * np.log10(errors.numpy() + 1e-5).mean(0)])
