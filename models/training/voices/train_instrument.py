"""Fine-tunes the base decoder into a rendered instrument.

    python -m voices.train_instrument WORK [--seconds 60]          all instruments, one after the other

WORLD takes the renders apart at 32 kHz with the score's fundamental. The instrument must not depend on what is said,
so the content is the encoder's of the instrument itself or of any stretch of speech or singing; the loudness channel
always follows the instrument, as the fundamental does.
"""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pyworld
import soxr
import torch
from torch import nn

from . import clock, decoder, items, training_frames
from .decoder import LOWEST_GAIN, EnvelopeNetwork
from .instruments import INSTRUMENTS, RATE_HZ
from .train_decoder import BATCH, FRAMES, SEED, SILENCE_SHARE, loss_of

LEARNING_RATE = 6e-4
SPEECH_SHARE = 0.7
SPEECH_ITEMS = 120
REFERENCE_RMS = 0.06
NO_BAND_THRESHOLD = 0.0
"""WORLD's aperiodicity would call breathy frames unvoiced otherwise."""
FFT_SIZE = 2048


def analyse(wave: np.ndarray, f0_hz: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Total log gain [T, 64] and aperiodicity [T, 64] of sound at 32 kHz whose fundamental is known."""
    wave = np.ascontiguousarray(wave, np.float64)
    pitch = np.ascontiguousarray(f0_hz, np.float64)
    times = np.arange(len(pitch)) * 0.01
    power = pyworld.cheaptrick(wave, pitch, times, RATE_HZ, fft_size=FFT_SIZE)
    rough = pyworld.d4c(wave, pitch, times, RATE_HZ, threshold=NO_BAND_THRESHOLD, fft_size=FFT_SIZE)
    hz = np.linspace(0.0, RATE_HZ / 2, power.shape[1])
    matrix = _band_means(hz)
    total = 0.5 * np.log(power + 1e-14) @ matrix
    aperiodicity = np.exp(np.log(np.clip(rough, 0.001, 0.999)) @ matrix)
    return np.maximum(total, LOWEST_GAIN).astype(np.float32), aperiodicity.astype(np.float32)


def _band_means(hz: np.ndarray) -> np.ndarray:
    """[bins, 64]: the mean over five points around each band's centre, each interpolated between bins."""
    points = training_frames._POINTS_HZ
    place = np.interp(points, hz, np.arange(len(hz)))
    low = np.minimum(place.astype(int), len(hz) - 2)
    matrix = np.zeros((len(hz), decoder.BANDS))
    band = np.arange(len(points)) // training_frames.POINTS_PER_BAND
    np.add.at(matrix, (low, band), (1.0 - (place - low)) / training_frames.POINTS_PER_BAND)
    np.add.at(matrix, (low + 1, band), (place - low) / training_frames.POINTS_PER_BAND)
    return matrix


class Renders:
    """The takes of one instrument, heard and taken apart."""

    def __init__(self, work: Path, program: int, network, speech: list[np.ndarray], silence: np.ndarray):
        import reference

        self.speech, self.silence, self.takes = speech, silence, []
        for path in sorted((work / "music").glob(f"solo-{program}-[1-9].npz")):
            with np.load(path) as item:
                wave, f0_hz = item["wave"].astype(np.float64), item["f0"].astype(np.float64)
            heard = soxr.resample(wave, RATE_HZ, 16_000)
            gain = REFERENCE_RMS / reference.sounding_rms(heard)
            total, rough = analyse(wave * gain, f0_hz)
            self.takes.append((training_frames.hear_as_voice(network, heard * gain), f0_hz, total, rough))

    def draw(self) -> tuple:
        """As `train_decoder.Stretches.draw`."""
        content, f0_hz, total, rough = random.choice(self.takes)
        start = random.randint(0, len(f0_hz) - FRAMES)
        rows = np.arange(start, start + FRAMES)
        content = content[rows].copy()
        if random.random() < SPEECH_SHARE:
            said = random.choice(self.speech)
            first = random.randint(0, max(0, len(said) - FRAMES))
            content[:, :64] = said[np.minimum(np.arange(first, first + FRAMES), len(said) - 1), :64]
        content[:, :64] += np.random.normal(0.0, 0.05, (FRAMES, 64))
        louder = random.gauss(0.0, 0.3)
        content[:, 64] += 0.11 * 2.0 * louder
        pitch, voiced = f0_hz[rows].astype(np.float32), f0_hz[rows] > 0
        gains = np.maximum(total[rows] + louder, LOWEST_GAIN)
        harmonic, noisy = training_frames.split(gains, rough[rows], voiced, voiced)
        # Without a pitch an instrument rests: hiss would be all that it could make of consonants.
        noisy = np.where(voiced[:, None], noisy, np.maximum(noisy - 2.0, LOWEST_GAIN))
        valid = np.ones(FRAMES, np.float32)
        if random.random() < 3 * SILENCE_SHARE:
            rest, length = random.randrange(FRAMES - 20), random.randint(8, 60)
            quiet = slice(rest, rest + length)
            if random.random() < 0.4:
                content[quiet] = self.silence
            pitch[quiet] = 0.0
            harmonic[quiet], noisy[quiet] = LOWEST_GAIN, LOWEST_GAIN
            valid[max(0, rest - 2) : rest + 2] = 0.0
        return content, pitch, None, harmonic, noisy, (pitch > 0).astype(np.float32), valid


def main() -> None:
    """Trains and stores WORK/ID.pt for each instrument."""
    options = clock.parser(__doc__, 60.0).parse_args()
    network = training_frames.load_content_network(options.work)
    speech = []
    for path in items.paths(options.work, "train-s")[:: max(1, len(items.paths(options.work, "train-s")) // SPEECH_ITEMS)]:
        with np.load(path) as item:
            speech.append(training_frames.hear(network, items.read_wave(item["twin"])))
    silence = training_frames.hear(network, np.zeros(16_000))[50]
    base = torch.load(options.work / "base.pt")
    for instrument in INSTRUMENTS:
        clock.seed(SEED)
        renders = Renders(options.work, instrument.program, network, speech, silence)
        tuned = EnvelopeNetwork()
        tuned.load_state_dict({k.removeprefix("network."): v for k, v in base.items() if k.startswith("network.")})
        style = nn.Parameter(base["styles.weight"].mean(dim=0))
        optimiser = torch.optim.AdamW([*tuned.parameters(), style], LEARNING_RATE, betas=(0.9, 0.98))
        timer, step, recent = clock.Clock(options), 0, []
        while (progress := timer.progress()) < 1.0:
            for group in optimiser.param_groups:
                group["lr"] = LEARNING_RATE * min(1.0, step / 20) * max(0.01, 1.0 - progress)
            # What is said is chance here, and so the curves should not swing with it.
            loss = loss_of(tuned, style[None], [renders.draw() for _ in range(BATCH)], spread=0.0)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(tuned.parameters(), 2.0)
            optimiser.step()
            recent = [*recent[-99:], loss.item()]
            step += 1
        torch.save({"network": tuned.state_dict(), "style": style.detach()}, options.work / f"{instrument.id}.pt")
        print(f"{instrument.name}: {timer.spent():.0f} s, {step} steps, loss {np.mean(recent):.4f}", flush=True)


if __name__ == "__main__":
    main()
