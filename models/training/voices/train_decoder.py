"""Trains the base decoder: one network, one style vector per designed voice.

    python -m voices.train_decoder WORK --seconds 900

A step takes stretches of utterances. The content is the encoder's, of the utterance itself, its twin, or another
speaker's saying of the same text laid over it phone by phone. The wanted envelopes are WORLD's of the voice's source,
designed. In a third of the stretches two voices are mixed, styles and wanted log envelopes alike, so that the way from
voice to voice is straight: that is what blending rests on. Instruments: see `train_instrument.py`.
"""

from __future__ import annotations

import dataclasses
import json
import random
from pathlib import Path

import numpy as np
import torch
from torch import nn

import precision

from . import clock, decoder, designs, initial, training_frames, world
from .decoder import BANDS, LOWEST_GAIN, STYLE, EnvelopeNetwork

BATCH, FRAMES = 16, 128
LEARNING_RATE = 1.5e-3
MIXED_SHARE = 0.33
OTHER_SPEAKER_SHARE = 0.5
CONTENT_NOISE = 0.04
SILENCE_SHARE = 0.06
"""Of the stretches, some hold digital silence from a random frame on."""
LIKE_SIZES = 1.25
"""Up to this factor between their formants, two bodies' envelopes are averaged as they are."""
UNHEARD_SHARE, UNHEARD_FRAMES, UNHEARD = 0.35, (6, 80), (0.5, 1.0)
"""In how many stretches something is not heard for what it is, for how long, and by how much."""
SPREAD_WEIGHT, SPREAD_FLOOR = 0.15, 1e-3
QUIET = 3.0
"""Nepers: 26 dB."""
FEWEST_FRAMES = 25
"""Of a stretch, fewer say nothing of how far its curves swing."""
SIZE_ITEMS = 40
"""Sentences from which the sizes of two speakers' bodies are compared."""
SIZE_BAND_HZ, SIZE_POINTS = (300.0, 5_000.0), 80
SIZE_WARPS = np.arange(0.7, 1.4, 0.01)
SEED = 23


class Base(nn.Module):
    """The network and the table of styles."""

    def __init__(self):
        super().__init__()
        self.network = EnvelopeNetwork()
        self.styles = nn.Embedding(designs.SLOTS, STYLE)
        nn.init.normal_(self.styles.weight, std=0.02)


class Stretches:
    """Draws training stretches."""

    def __init__(self, work: Path, listener: training_frames.Listener):
        self.by_voice: dict[str, list] = {}
        self.by_text: dict[tuple[str, int, str], training_frames.Utterance | training_frames.Heard] = {}
        self.maps: dict[tuple, np.ndarray] = {}
        for utterance in training_frames.read(work, ("train-spoken-", "train-sung-"), listener):
            self.by_voice.setdefault(utterance.voice, []).append(utterance)
            self.by_text[utterance.kind, utterance.number, utterance.voice] = utterance
        self.speakers = list(self.by_voice)
        for heard in training_frames.read_parallel(work, listener):
            self.by_text["spoken", heard.number, heard.voice] = heard
            if heard.voice not in self.speakers:
                self.speakers.append(heard.voice)
        self.lengths = {voice: [len(one.labels) for one in all_] for voice, all_ in self.by_voice.items()}
        self.silence = listener.hear(np.zeros(16_000))[50]
        self.sizes = self._sizes()

    def map_between(self, one, other) -> np.ndarray:
        """`frame_map`, remembered."""
        key = (one.number, one.voice, other.voice)
        if key not in self.maps:
            self.maps[key] = training_frames.frame_map(one, other)
        return self.maps[key]

    def sibling(self, utterance, voice: str):
        """The same text by another voice; sung ones have other timings and melodies, but no parallel is needed."""
        return self.by_text.get(("spoken", utterance.number, voice)) if utterance.kind == "spoken" else None

    def draw(self) -> tuple:
        """content, f0, style weights [SLOTS], harmonic, noise, weight of the harmonic part and of the frame."""
        slot = random.randrange(designs.SLOTS)
        voice = designs.VOICES[slot]
        utterance = random.choices(self.by_voice[voice.source], self.lengths[voice.source])[0]
        length = len(utterance.labels)
        start = random.randint(0, max(0, length - FRAMES))
        rows = np.minimum(np.arange(start, start + FRAMES), length - 1)
        heard, places, alike = random.choice(utterance.contents), rows, np.ones(FRAMES, np.float32)
        loudness = heard[rows, 64].astype(np.float32)
        if random.random() < OTHER_SPEAKER_SHARE:
            source = random.choice([name for name in self.speakers if name != voice.source])
            other = self.sibling(utterance, source)
            if other is not None:
                heard, places = random.choice(other.contents), self.map_between(utterance, other)[rows]
                # Programs do not pronounce every word alike; what another says says nothing of these frames.
                alike = (other.labels[places] == utterance.labels[rows]).astype(np.float32)
        louder = random.gauss(0.0, 0.25)
        voiced = utterance.f0_hz[rows] > 0
        weights = np.zeros(designs.SLOTS, np.float32)
        mixed = self._mixed(utterance, rows, slot, weights) if random.random() < MIXED_SHARE else None
        if mixed is None:
            weights[slot] = 1.0
            design = voice.design
            total, rough = training_frames.wanted_gains(utterance.log_power[rows], utterance.roughness_db[rows], design)
            mixed = total, rough, np.ones(FRAMES, np.float32)
        total, rough, valid = mixed
        valid = valid * alike
        total = np.maximum(total + louder, LOWEST_GAIN)
        believed = training_frames.disturbed(voiced)
        harmonic, noisy = training_frames.split(total, rough, voiced, believed)
        f0_hz = self._fundamental(utterance.f0_hz[rows], voice.design.pitch_factor, believed)
        quiet = FRAMES
        if random.random() < SILENCE_SHARE:
            quiet = random.randrange(FRAMES)
            f0_hz[quiet:] = 0.0
            harmonic[quiet:], noisy[quiet:] = LOWEST_GAIN, LOWEST_GAIN
            valid[max(0, quiet - 3) : quiet + 3] = 0.0
        content = self.content(heard, places, loudness + 0.11 * 2.0 * louder, quiet)
        if random.random() < UNHEARD_SHARE:
            self.unhear(content, (f0_hz > 0) & (total.mean(1) > total.mean(1).max() - QUIET))
        return content, f0_hz, weights, harmonic, noisy, (f0_hz > 0).astype(np.float32), valid

    def unhear(self, content: np.ndarray, sounding: np.ndarray) -> None:
        """Makes what is said in a part of a stretch more or less that of silence, where it sounds: the encoder does not know laughter, and no
        voice should be silent for that."""
        length = random.randint(*UNHEARD_FRAMES)
        first = random.randint(0, FRAMES - length)
        part = np.flatnonzero(sounding[first : first + length]) + first
        share = random.uniform(*UNHEARD)
        content[part, :64] += share * (self.silence[:64] - content[part, :64])

    def content(self, heard: np.ndarray, places: np.ndarray, loudness: np.ndarray, quiet: int) -> np.ndarray:
        """[FRAMES, 65]: what is heard at these places of a recording, this loud, and digital silence from `quiet` on."""
        said = heard[places, :64] + np.random.normal(0.0, CONTENT_NOISE, (FRAMES, 64))
        result = np.concatenate([said, loudness[:, None]], 1).astype(np.float32)
        result[quiet:] = self.silence
        return result

    def _mixed(self, utterance, rows, slot: int, weights: np.ndarray) -> tuple | None:
        """Two voices: the same utterance designed in two ways, or another speaker's laid over it. None where there is none.

        Averaged envelopes of bodies that are far apart have the formants of both, so such bodies are first brought as close as
        `LIKE_SIZES`; closer they need not come, and the spectrum would go less straight from voice to voice.
        """
        second = random.choice([place for place in range(designs.SLOTS) if place != slot])
        voices = designs.VOICES[slot], designs.VOICES[second]
        sayings = [(utterance, rows)] * 2
        if voices[1].source != utterance.voice:
            other = self.sibling(utterance, voices[1].source)
            if other is None:
                return None
            sayings[1] = other, self.map_between(utterance, other)[rows]
        share = random.random()
        shares = 1.0 - share, share
        sizes = np.log([self.sizes[voice.id] for voice in voices])
        moved = max(0.0, 1.0 - np.log(LIKE_SIZES) / max(abs(sizes[1] - sizes[0]), 1e-9))
        warps = np.exp(moved * (sizes @ shares - sizes))
        total, log_rough = 0.0, 0.0
        for voice, part, warp, (said, there) in zip(voices, shares, warps, sayings, strict=True):
            design = dataclasses.replace(voice.design, formant_warp=voice.design.formant_warp * warp)
            gains, rough = training_frames.wanted_gains(said.log_power[there], said.roughness_db[there], design)
            total, log_rough = total + part * gains, log_rough + part * np.log(rough)
        weights[slot], weights[second] = shares
        pitched = [said.f0_hz[there] > 0 for said, there in sayings]
        return total, np.exp(log_rough), (pitched[0] == pitched[1]).astype(np.float32)

    def _sizes(self) -> dict[str, float]:
        """How far up each voice's formants lie, against the first source's own: by id."""
        sources = list(dict.fromkeys(voice.source for voice in designs.VOICES))
        lie = {sources[0]: 1.0} | {source: self._warp_between(sources[0], source) for source in sources[1:]}
        return {voice.id: lie[voice.source] * voice.design.formant_warp for voice in designs.VOICES}

    def _warp_between(self, one: str, other: str) -> float:
        """The formant warp that brings one speaker's vowels closest to the other's of the same text."""
        pairs = []
        for said in [said for said in self.by_voice[one] if said.kind == "spoken"][:SIZE_ITEMS]:
            there = self.map_between(said, sibling := self.sibling(said, other))
            alike = (sibling.labels[there] == said.labels) & (said.f0_hz > 0) & (sibling.f0_hz[there] > 0)
            pairs.append((said.log_power[alike], sibling.log_power[there][alike]))
        here, there = (np.concatenate(side) for side in zip(*pairs, strict=True))
        hz = decoder.spectra.from_mel(np.linspace(*decoder.spectra.to_mel(np.array(SIZE_BAND_HZ)), SIZE_POINTS))

        def apart(warp: float) -> float:
            # Half of the way each, so that neither is smoothed more; of the difference, what no microphone would explain.
            sides = [
                world.envelope(log_power.astype(np.float32), world.Design(formant_warp=by), hz, world.RATE_HZ)
                for log_power, by in ((here, warp**0.5), (there, warp**-0.5))
            ]
            difference = sides[0] - sides[1]
            difference -= difference.mean(axis=1, keepdims=True)
            return float((difference - difference.mean(axis=0)).std())

        return float(min(SIZE_WARPS, key=apart))

    def _fundamental(self, f0_hz: np.ndarray, factor: float, believed: np.ndarray) -> np.ndarray:
        """Moved to the voice's pitch and away from it, spoken line or flat; the envelope does not follow."""
        moved = f0_hz * factor * 2.0 ** random.gauss(0.0, 0.4)
        known = f0_hz > 0
        if not known.any():
            moved = np.full(FRAMES, random.uniform(80.0, 400.0))
        else:
            moved = np.interp(np.arange(FRAMES), np.flatnonzero(known), moved[known])
        return np.where(believed, np.clip(moved, 50.0, 1500.0), 0.0).astype(np.float32)


def loss_of(network: EnvelopeNetwork, style: torch.Tensor, stretches: list[tuple], spread: float = SPREAD_WEIGHT) -> torch.Tensor:
    """Mean absolute error of the log gains, of both parts and of their sum, and `flatness` with the weight `spread`."""
    columns = list(zip(*stretches, strict=True))
    return loss_with(network, style, torch.from_numpy(np.stack(columns[0]).astype(np.float32)), columns, spread)


def loss_with(
    network: EnvelopeNetwork, style: torch.Tensor, content: torch.Tensor, columns: list, spread: float = SPREAD_WEIGHT
) -> torch.Tensor:
    """As `loss_of`, with the content [B, T, 65] apart from the stretches' other columns."""
    f0_hz, harmonic, noisy, pitched, valid = (
        torch.from_numpy(np.stack(columns[place]).astype(np.float32)) for place in (1, 3, 4, 5, 6)
    )
    with precision.autocast():
        drawn_harmonic, drawn_noisy = network(content, f0_hz, style)
    drawn_harmonic, drawn_noisy = drawn_harmonic.float(), drawn_noisy.float()
    pitched, valid = pitched[..., None], valid[..., None]
    silent = 40.0 * (1.0 - pitched)
    whole = torch.logaddexp(2 * drawn_harmonic - silent, 2 * drawn_noisy)
    wanted = torch.logaddexp(2 * harmonic - silent, 2 * noisy)
    error = 0.5 * (whole - wanted).abs()
    error = error + 0.4 * pitched * (drawn_harmonic - harmonic).abs() + 0.4 * (drawn_noisy - noisy).abs()
    flat = flatness(drawn_harmonic, harmonic, pitched * valid) + flatness(drawn_noisy, noisy, valid)
    return (error * valid).sum() / (valid.sum() * BANDS) + spread * flat


def flatness(drawn: torch.Tensor, wanted: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
    """How much less or more than wanted the shapes of curves [B, T, 64] swing about their means: mean over stretches and bands of the
    logarithm of the ratio, without its sign. Frames count [B, T, 1] where they are no more than `QUIET` below the loudest.

    The middle of all that may be swings less than any of it. See "A Speech Parameter Generation Algorithm Considering Global Variance for
    HMM-Based Speech Synthesis", Toda and Tokuda 2007.
    """
    level = wanted.mean(2, keepdim=True)
    loudest = torch.where(counts > 0, level, LOWEST_GAIN).amax(1, keepdim=True)
    counts = counts * (level > loudest - QUIET)
    frames = counts.sum(1)
    spreads = []
    for curves in (drawn, wanted):
        shape = curves - curves.mean(2, keepdim=True)
        mean = (shape * counts).sum(1, keepdim=True) / frames.clamp(min=1.0)[:, None]
        spreads.append(((shape - mean).square() * counts).sum(1) / frames.clamp(min=1.0) + SPREAD_FLOOR)
    apart = 0.5 * (spreads[0] / spreads[1]).log().abs()
    enough = (frames >= FEWEST_FRAMES).float()
    return (apart * enough).sum() / (enough.sum().clamp(min=1.0) * BANDS)


def start_from(base: Base, packages: Path) -> None:
    """The packages hold the same network, and each the style of its own voice."""
    for slot, voice in enumerate(designs.VOICES):
        weights = initial.tensors(initial.newest(packages, voice.id) / "decoder.onnx")
        base.styles.weight.data[slot] = weights["style"][0]
    initial.load(base.network, weights)


def main() -> None:
    """Trains and stores the base in WORK."""
    parser = clock.parser(__doc__, 900.0)
    parser.add_argument("--resume", action="store_true")
    parser.add_argument("--initial", type=Path, help="a folder of packages whose voices to start from")
    parser.add_argument("--rate", type=float, default=LEARNING_RATE, help="learning rate to begin with")
    options = parser.parse_args()
    clock.seed(SEED)
    stretches = Stretches(options.work, training_frames.StoredListener(options.work))
    base = Base()
    if options.resume:
        base.load_state_dict(torch.load(options.work / "base.pt"))
    if options.initial:
        start_from(base, options.initial)
    optimiser = torch.optim.AdamW(base.parameters(), LEARNING_RATE, betas=(0.9, 0.98), weight_decay=1e-3)
    timer, step, recent = clock.Clock(options), 0, []
    while (progress := timer.progress()) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = options.rate * min(1.0, step / 100) * max(0.01, 1.0 - progress)
        drawn = [stretches.draw() for _ in range(BATCH)]
        shares = torch.from_numpy(np.stack([one[2] for one in drawn]))
        loss = loss_of(base.network, shares @ base.styles.weight, drawn)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(base.parameters(), 2.0)
        optimiser.step()
        recent = [*recent[-199:], loss.item()]
        step += 1
        if timer.is_due():
            print(f"{timer.spent():.0f} s, step {step}: {np.mean(recent):.4f}", flush=True)
            torch.save(base.state_dict(), options.work / "base.pt")
    torch.save(base.state_dict(), options.work / "base.pt")
    figures = {"steps": step, "loss": round(float(np.mean(recent)), 4), "cpu_s": round(timer.spent())}
    (options.work / "base_training.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(figures, flush=True)


if __name__ == "__main__":
    main()
