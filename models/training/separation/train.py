"""Trains a separator: `stems` (vocals, drums, bass, other), `vocals` (vocals against the rest) or `lead` (lead,
harmony, reverb); `base` is a smaller `stems`, from which all of them go on. Checkpoints hold everything to go on from; the
averaged weights are what is exported.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

import precision

from . import mixing, optimiser, spatial, spectrum
from .loss import separation_loss
from .model import SHARE, Separator

FRAMES = 128


@dataclass(frozen=True)
class Task:
    """`stems` in the model's order, `rest` the place of the one that is left over, `rows` the sums of masked stems that are
    scored (a row of -1: the rest), with their weights; `dilations` the network's blocks; `logarithm` as in the loss; `with_deep` says
    whether the network of the lowest bins, which is trained on its own (`train_deep.py`), is published with it."""

    stems: tuple[str, ...]
    rest: int | None
    rows: tuple[tuple[float, ...], ...]
    weights: tuple[float, ...]
    crossed: bool = False
    dilations: tuple[int, ...] = (1, 2, 4, 8, 16, 2)
    logarithm: float = 0.25
    with_deep: bool = False

    @property
    def masked(self) -> list[int]:
        """Places of the masked stems."""
        return [place for place in range(len(self.stems)) if place != self.rest]

    @property
    def given(self) -> tuple[str, ...]:
        """The stems that a graph gives; one that has no mask is what these leave of the mix."""
        return tuple(self.stems[place] for place in self.masked)

    def model(self) -> Separator:
        """An untrained network."""
        return Separator(len(self.masked), dilations=self.dilations, crossed=self.crossed)


STEM_ROWS = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, -1, -1))
TASKS = {
    "base": Task(("vocals", "drums", "bass", "other"), 3, STEM_ROWS, (1.2, 0.8, 1.1, 1.0)),
    "stems": Task(("vocals", "drums", "bass", "other"), 3, STEM_ROWS, (1.2, 1.0, 1.2, 1.0),
                  dilations=(1, 2, 4, 8, 16, 2, 1, 4, 2, 1), logarithm=1.0, with_deep=True),
    "vocals": Task(("vocals",), None, ((1,),), (2.0,)),
    # Masks for harmony and reverb; the lead is the rest. Reverb alone also says how good the dry voices are.
    "lead": Task(("lead", "harmony", "reverb"), 0, ((1, 0), (0, 1), (-1, -1)), (1.0, 1.0, 1.2), crossed=True),
}  # fmt: skip


def batch(task: str, material: mixing.Material, rng: random.Random, size: int, speech_share: float) -> torch.Tensor:
    """Spectra [size, stems, 2, BINS, FRAMES] complex, coloured and scaled so that the mix has variance 1. For `vocals` the
    stems are vocals and everything else."""
    samples = (FRAMES - 1) * spectrum.HOP
    if task == "lead":
        waves = [mixing.lead_example(material, rng, samples) for _ in range(size)]
    else:
        waves = [mixing.example(material, rng, samples, speech_share) for _ in range(size)]
    if task == "vocals":
        waves = [np.stack([wave[0], wave[1:].sum(0)]) for wave in waves]
    stems = waves[0].shape[0]
    whole = torch.from_numpy(np.stack(waves)).reshape(size * stems * 2, samples)
    spectra = torch.stft(whole, spectrum.FFT, spectrum.HOP, window=torch.hann_window(spectrum.FFT), center=True,
                         return_complex=True)[:, : spectrum.BINS]  # fmt: skip
    spectra = spectra.reshape(size, stems, 2, spectrum.BINS, FRAMES)
    gains = np.ones((size, stems, 1, spectrum.BINS, 1), np.float32)
    for item in range(size):
        if rng.random() < 0.6:
            for stem in range(stems if task != "lead" else 1):
                gains[item, stem, 0, :, 0] = mixing.colour(rng, 9 if stem == 0 else 6)
            if task == "lead":
                gains[item] = gains[item, :1]
        if task != "lead" and rng.random() < 0.25:
            gains[item, 0, 0, :, 0] *= mixing.proximity(rng)
        if rng.random() < 0.12:
            gains[item] *= mixing.band_limit(rng)[:, None]
    spectra = spectra * torch.from_numpy(gains)
    if task == "lead":
        # The network only ever hears what least squares leave: what they take is missing from the harmony.
        parts = torch.view_as_real(spectra.sum(1)).permute(0, 1, 4, 2, 3).reshape(size, 4, spectrum.BINS, FRAMES)
        aside = spatial.beside(parts).reshape(size, 2, 2, spectrum.BINS, FRAMES).permute(0, 1, 3, 4, 2)
        spectra[:, 1] -= torch.view_as_complex(aside.contiguous())
    mix = torch.view_as_real(spectra.sum(1))
    return spectra / (mix.square().mean((1, 2, 3, 4)).sqrt() + 1e-6).view(-1, 1, 1, 1, 1)


def remixed(spectra: torch.Tensor, rng: random.Random) -> torch.Tensor:
    """Other mixes of the same stems: the first stem of each goes to the next, levels change, sides change."""
    size, stems = spectra.shape[:2]
    out = torch.cat([spectra[:, :1].roll(1, 0), spectra[:, 1:]], 1)
    for item in range(size):
        for stem in range(stems):
            out[item, stem] *= 10 ** (rng.uniform(-5, 5) / 20)
        if rng.random() < 0.5:
            out[item] = out[item].flip(1)
    mix = torch.view_as_real(out.sum(1))
    return out / (mix.square().mean((1, 2, 3, 4)).sqrt() + 1e-6).view(-1, 1, 1, 1, 1)


class Trainer:
    """One run. `seconds` are of this process's CPU time; the learning rate falls to zero at their end."""

    def __init__(self, task: str, data: Path, checkpoint: Path, start_from: Path | None, rate: float, seed: int):
        torch.manual_seed(seed)
        self.name, self.task = task, TASKS[task]
        self.checkpoint = checkpoint
        self.rng = random.Random(seed)
        self.material = mixing.Material(data, "train")
        self.model = self.task.model()
        if start_from is not None:
            held = torch.load(start_from)
            adopt(self.model, held["average"], heads=_same_heads(task, held["task"]))
        self.model.to(memory_format=torch.channels_last)
        self.average = {name: value.clone() for name, value in self.model.state_dict().items()}
        self.rate = rate
        self.optimisers = optimiser.for_model(self.model, rate)
        self.steps, self.spent = 0, 0.0
        self.held: torch.Tensor | None = None
        self.trail: list[np.ndarray] = []
        if checkpoint.exists():
            self._resume()

    def _resume(self) -> None:
        held = torch.load(self.checkpoint)
        self.model.load_state_dict(held["model"])
        self.average = held["average"]
        # A checkpoint restored from a package has no state of theirs.
        for one, state in zip(self.optimisers, held["optimisers"] or []):
            one.load_state_dict(state)
        self.steps, self.spent = held["steps"], held["cpu_seconds"]
        self.rng.seed(self.steps)

    def save(self) -> None:
        """Writes the checkpoint whole or not at all."""
        states = [one.state_dict() for one in self.optimisers]
        held = {"model": self.model.state_dict(), "average": self.average, "optimisers": states,
                "steps": self.steps, "cpu_seconds": self.spent, "task": self.name}  # fmt: skip
        optimiser.write(held, self.checkpoint)

    def run(self, until: float, seconds: float, size: int, speech_share: float, decay_from: float = 0.6) -> None:
        """Until `seconds` of CPU time are spent or the wall clock (Unix time) passes `until`; the learning rate falls from the
        share `decay_from` of whichever is nearer its end."""
        began, first = time.time(), time.process_time() - self.spent
        last_save, self.material_age = time.time(), time.time()
        rows = torch.tensor(self.task.rows, dtype=torch.float32)
        weights = torch.tensor(self.task.weights)
        print(self.material.hours(), flush=True)
        while True:
            done = max(self.spent / seconds, (time.time() - began) / (until - began))
            if done >= 1:
                break
            rate = optimiser.rate_at(self.rate, self.steps, done, decay_from)
            self._step(rate, rows, weights, size, speech_share)
            self.steps += 1
            self.spent = time.process_time() - first
            if time.time() - last_save > 60:
                self._report(rate)
                self.save()
                self.material.reload()
                last_save = time.time()
        if not self.trail:
            print(f"nothing to do: of {seconds:.0f} s of CPU time in all, {self.spent:.0f} are spent")
            return
        self._report(0.0)
        self.save()

    def _step(self, rate: float, rows: torch.Tensor, weights: torch.Tensor, size: int, speech_share: float) -> None:
        with torch.no_grad():
            if self.held is None or self.name == "lead":
                self.held = spectra = batch(self.name, self.material, self.rng, size, speech_share)
            else:
                # Every batch serves twice, the second time with the voices exchanged and all levels drawn again.
                spectra, self.held = remixed(self.held, self.rng), None
            mix = spectra.sum(1)
            parts = torch.view_as_real(mix).permute(0, 1, 4, 2, 3).reshape(size, 4, spectrum.BINS, FRAMES)
            targets = spectra[:, self.task.masked]
        self.model.train()
        with precision.autocast():
            low, high, crossing = self.model.masks(parts.contiguous())
        loss, errors = separation_loss(low, high, mix, targets, SHARE, weights, rows, crossing,
                                       self.task.logarithm)  # fmt: skip
        if not torch.isfinite(loss):
            raise FloatingPointError(f"loss {loss.item()} at step {self.steps}, errors {errors}")
        for one in self.optimisers:
            one.zero_grad()
        loss.backward()
        norm = torch.nn.utils.clip_grad_norm_(self.model.parameters(), 5.0)
        if not torch.isfinite(norm):
            raise FloatingPointError(f"gradient {norm.item()} at step {self.steps}")
        optimiser.step(self.optimisers, rate)
        optimiser.follow(self.average, self.model, self.steps)
        self.trail.append(np.concatenate([[loss.item()], 10 * np.log10(errors.mean(0).numpy() + 1e-9)]))

    def _report(self, rate: float) -> None:
        means = np.mean(self.trail[-300:], 0)
        print(f"{time.strftime('%H:%M:%S')} step {self.steps} cpu {self.spent:.0f} s, rate {rate:.5f}, "
              f"loss {means[0]:.4f}, errors to mix dB {np.round(means[1:], 2)}", flush=True)  # fmt: skip


def go_back(task: str, checkpoint: Path, start: Path, share: float) -> None:
    """Moves the averaged weights of `checkpoint` the `share` of the way back to those of `start`, which it was trained on
    from: on the line between the two a network often keeps what the first could and has what the second learned
    (Wortsman and others, 2022, "Robust fine-tuning of zero-shot models")."""
    held = torch.load(checkpoint)
    began = TASKS[task].model()
    source = torch.load(start)
    adopt(began, source["average"], heads=_same_heads(task, source["task"]))
    for name, value in began.state_dict().items():
        if value.is_floating_point():
            held["average"][name].lerp_(value, share)
    held["went_back"] = share
    optimiser.write(held, checkpoint)


def _same_heads(task: str, source: str) -> bool:
    """Whether the first masks of both networks are of the same stems."""
    return (task == "lead") == (source == "lead")


def adopt(model: Separator, weights: dict[str, torch.Tensor], heads: bool) -> None:
    """Takes over every weight that fits, and with `heads` the first mask's head of a network with more stems. Blocks that the
    other network does not have add nothing at first."""
    own = model.state_dict()
    for place in range(len(model.blocks)):
        if f"blocks.{place}.widen.weight" not in weights:
            own[f"blocks.{place}.widen.weight"].zero_()
    for name, value in weights.items():
        if name.startswith("spread."):
            if heads:
                own[name].copy_(value[..., : own[name].shape[-1]])
        elif name in own and own[name].shape == value.shape:
            own[name].copy_(value)
    model.load_state_dict(own)
