"""Lets a voice articulate as its source does: what a decoder's spectrum lacks of what was said comes from the recording.

A decoder that has learned from few speakers draws some sounds as others, and all of them flatter than they were said. The recording has
all of it, in the body of whoever speaks. So both spectra are compared as movements (logarithms of power in bands, less their mean over
0.8 s), and what the one says of the other, always, is taken out: a linear map from the voice's movements to the differences, found by
least squares as the recording goes on. That is the person. What is left, the differences that come and go, is what was said otherwise;
half of it is added. Pitch and long-term spectrum stay the voice's.

It is done to the wave, after the decoder, and is the same in the host (`host/model/src/articulation`).
"""

from __future__ import annotations

import numpy as np

SHARE = 0.5
"""Of what is left, how much is added."""
HOP_S, HOPS = 0.008, 4
"""From a window to the next, and how many of these a window is long: 32 ms."""
BANDS, TOP_HZ = 40, 8_000.0
NARROWEST_HZ = 100.0
"""Power is averaged over at least this width, and over the fundamental where it is higher, so that no harmonic is seen."""
HEARD_DB, KNOWN_DB = -40.0, -70.0
"""A frame counts down to this much under its level; a band, against that level spread evenly, down to that."""
AROUND = 50
"""Frames on each side of one that its mean is taken of: 0.4 s."""
RIDGE = 0.02
"""What is added to the variances of the voice's movements (squares of natural logarithms of power), against chance."""
DOUBT = 1_000
"""Frames that the same counts for besides, so that little is explained by what has been heard for less than some seconds."""
AHEAD, FORGET = 1_250, 3_750
"""Frames after one that its map knows of, and over which what was heard before counts a part of e less: 10 s and 30 s."""
REFRESH = 32
"""Frames that share a map."""
MOST_DB = 12.0
"""More is never added or taken."""


def band_centres_hz() -> np.ndarray:
    """[BANDS], evenly spaced in mel (1127 ln(1 + f / 700)) from 0 to 8 kHz."""
    return 700.0 * (np.exp(np.linspace(0.0, np.log1p(TOP_HZ / 700.0), BANDS)) - 1.0)


def window(length: int) -> np.ndarray:
    """The square root of a periodic Hann window."""
    return np.sin(np.pi * np.arange(length) / length)


def spectra(samples: np.ndarray, size: int, centres: np.ndarray) -> np.ndarray:
    """[frames, bins] of windows around some samples; silence beyond the ends."""
    lead = size // 2 - min(0, int(centres[0]))
    padded = np.pad(samples, (lead, max(0, int(centres[-1]) + size - len(samples))))
    windows = np.lib.stride_tricks.sliding_window_view(padded, size)[centres + lead - size // 2]
    return np.fft.rfft(windows * window(size), axis=1)


def bands(power: np.ndarray, f0_hz: np.ndarray, bin_hz: float) -> np.ndarray:
    """[frames, BANDS]: the mean power around each centre, over the distance of its neighbours or of the harmonics."""
    sums = np.concatenate([np.zeros((len(power), 1)), np.cumsum(power, axis=1)], axis=1)
    centres, rows = band_centres_hz(), np.arange(len(power))
    highest = min(round(TOP_HZ / bin_hz) + 1, power.shape[1])

    def up_to(place: np.ndarray) -> np.ndarray:
        low = np.minimum(place.astype(int), highest - 1)
        return sums[rows, low] + (place - low) * (sums[rows, low + 1] - sums[rows, low])

    result = np.empty((len(power), BANDS))
    for band, (centre, width) in enumerate(zip(centres, np.gradient(centres), strict=True)):
        half = np.maximum(np.maximum(f0_hz, NARROWEST_HZ), width) / 2.0
        low = np.clip((centre - half) / bin_hz + 0.5, 0.0, highest)
        high = np.clip((centre + half) / bin_hz + 0.5, 0.0, highest)
        result[:, band] = np.where(high > low, (up_to(high) - up_to(low)) / np.maximum(high - low, 1e-9), 0.0)
    return result


def movements(spectrum: np.ndarray, f0_hz: np.ndarray, rms: float, rate_hz: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Logarithms of power in bands, which of them are known, and which frames are heard, at a level over what sounds."""
    size = 2 * (spectrum.shape[1] - 1)
    power = spectrum.real**2 + spectrum.imag**2
    per_bin = rms**2 * size**2 / 4.0
    highest = min(round(TOP_HZ * size / rate_hz) + 1, spectrum.shape[1])
    heard = power[:, :highest].sum(axis=1) > per_bin * 10 ** (HEARD_DB / 10)
    floor = per_bin / highest * 10 ** (KNOWN_DB / 10)
    found = bands(power, f0_hz, rate_hz / size)
    return smooth(np.log(np.maximum(found, floor))), found > floor, heard


def smooth(columns: np.ndarray) -> np.ndarray:
    """Over three frames."""
    before, after = np.vstack([columns[:1], columns[:-1]]), np.vstack([columns[1:], columns[-1:]])
    return 0.25 * before + 0.5 * columns + 0.25 * after


def less_mean(logs: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Less the mean of the frames around that are heard, the nearer the more."""
    kernel = np.hanning(2 * AROUND + 3)[1:-1]

    def around(columns: np.ndarray) -> np.ndarray:
        return np.stack([np.convolve(column, kernel)[AROUND:-AROUND] for column in columns.T], axis=1)

    return logs - around(logs * weights) / np.maximum(around(weights), 1e-3)


def left_over(differences: np.ndarray, voice: np.ndarray, voiced: np.ndarray, heard: np.ndarray) -> np.ndarray:
    """The differences less what the voice's movements, and that there is a pitch, say of them."""
    known = np.concatenate([voice, voiced[:, None]], axis=1)
    squares, products, count = np.zeros((BANDS + 1, BANDS + 1)), np.zeros((BANDS + 1, BANDS)), 0.0
    keep, done, result = np.exp(-1.0 / FORGET), 0, np.empty_like(differences)
    for first in range(0, len(known), REFRESH):
        for frame in range(done, min(len(known), first + REFRESH + AHEAD)):
            squares, products, count = squares * keep, products * keep, count * keep
            if heard[frame]:
                squares += np.outer(known[frame], known[frame])
                products += np.outer(known[frame], differences[frame])
                count += 1.0
            done = frame + 1
        part = slice(first, first + REFRESH)
        ridge = RIDGE * (count + DOUBT) * np.eye(BANDS + 1)
        result[part] = differences[part] - known[part] @ np.linalg.solve(squares + ridge, products)
    return result


def articulate(
    wave: np.ndarray, rate_hz: int, level_rms: float, source: np.ndarray, source_rate_hz: int, source_rms: float, f0_hz: np.ndarray,
    factor: float, share: float = SHARE,
) -> np.ndarray:  # fmt: skip
    """The voice's wave with the source's articulation. `f0_hz` is the source's track, 100 a second, which the voice has times `factor`;
    the two RMS are the levels of both over what sounds."""
    hop = round(HOP_S * rate_hz)
    size, frames = HOPS * hop, -(-len(wave) // hop) + 3
    # The first frame is centred a hop before the beginning.
    centres = (np.arange(frames) - 1) * hop
    spectrum = spectra(wave, size, centres)
    track = f0_hz[np.clip(centres * 100 // rate_hz, 0, len(f0_hz) - 1)]
    own, _, sounds = movements(spectrum, track * factor, level_rms, rate_hz)
    heard_at = centres * source_rate_hz // rate_hz
    said, known, is_said = movements(spectra(source, HOPS * round(HOP_S * source_rate_hz), heard_at), track, source_rms, source_rate_hz)
    known &= band_centres_hz() <= rate_hz / 2.0
    heard = (sounds & is_said).astype(float)
    own, said = less_mean(own, heard[:, None]), less_mean(said, heard[:, None])
    difference = left_over((said - own) * known, own, (track > 0).astype(float), heard > 0)
    most = MOST_DB / 10.0 * np.log(10.0)
    gains = np.clip(share * difference, -most, most) * smooth(heard[:, None])
    mels = np.log1p(np.arange(size // 2 + 1) * rate_hz / size / 700.0) / np.log1p(TOP_HZ / 700.0) * (BANDS - 1)
    low = np.minimum(mels.astype(int), BANDS - 2)
    part = np.minimum(mels - low, 1.0)
    gains = gains[:, low] * (1.0 - part) + gains[:, low + 1] * part
    pieces = np.fft.irfft(spectrum * np.exp(0.5 * gains), size, axis=1) * window(size) / 2.0
    result = np.zeros(frames * hop + size)
    for number, piece in enumerate(pieces):
        result[number * hop : number * hop + size] += piece
    return result[size // 2 + hop :][: len(wave)]
