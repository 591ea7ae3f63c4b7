"""What evaluate.py measures, as functions of samples."""

from __future__ import annotations

import numpy as np
import tracking

BANDS = 32
BAND_RANGE_HZ = (200.0, 7_600.0)
"""Bands wide enough, and starting high enough, that the spectrum shows the voice's colour and hardly its pitch."""
WINDOW = 512
HOP = 160
SOUNDING_WITHIN_DB = 40.0
"""Frames this close to the loudest count towards the long-term spectrum."""
SILENT_BELOW_DBFS = -70.0
SILENCE_MARGIN_S = 0.1
"""Kept away from the edges of a silent stretch: windows, filters and MP3 blocks smear by this much at most."""


def f0_error_cents(result_hz: np.ndarray, source_hz: np.ndarray, shift_semitones: float) -> tuple[float, float]:
    """The median absolute error in cents where both have a pitch, and the share of voiced source frames it covers."""
    frames = min(len(result_hz), len(source_hz))
    expected = source_hz[:frames] * 2.0 ** (shift_semitones / 12.0)
    voiced = expected > 0
    both = voiced & (result_hz[:frames] > 0)
    cents = 1200.0 * np.log2(result_hz[:frames][both] / expected[both])
    return float(np.median(np.abs(cents))), float(both.sum() / voiced.sum())


def long_term_spectrum_db(samples: np.ndarray, rate_hz: int) -> np.ndarray:
    """The mean level in dB of each band over the sounding frames, with the mean over the bands removed."""
    mono = tracking.mono_at_check_rate(samples, rate_hz)
    starts = np.arange(0, len(mono) - WINDOW, HOP)
    frames = mono[starts[:, None] + np.arange(WINDOW)] * np.hanning(WINDOW)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    loudness = power.sum(axis=1)
    sounding = loudness > loudness.max() * 10 ** (-SOUNDING_WITHIN_DB / 10)
    bands = power[sounding] @ _band_filters()
    level = (10.0 * np.log10(bands + 1e-9)).mean(axis=0)
    return level - level.mean()


def spectrum_distance_db(one: np.ndarray, other: np.ndarray) -> float:
    """The root mean square difference of two long-term spectra."""
    return float(np.sqrt(np.mean((one - other) ** 2)))


def level_in_silence_dbfs(result: np.ndarray, source: np.ndarray, rate_hz: int) -> float:
    """RMS of the result where the source is silent; -inf for digital silence, NaN when the source has no silence."""
    frame = round(0.01 * rate_hz)
    length = min(len(result), len(source)) // frame * frame
    quiet = _frame_rms(source[:length], frame) < 10 ** (SILENT_BELOW_DBFS / 20)
    margin = round(SILENCE_MARGIN_S / 0.01)
    inside = np.convolve(quiet, np.ones(2 * margin + 1), "same") >= 2 * margin + 1
    if not inside.any():
        return float("nan")
    power = np.mean(_frame_rms(result[:length], frame)[inside] ** 2)
    return float(10.0 * np.log10(power)) if power > 0 else float("-inf")


def _frame_rms(samples: np.ndarray, frame: int) -> np.ndarray:
    mono = samples.mean(axis=1) if samples.ndim == 2 else samples
    return np.sqrt((mono.reshape(-1, frame) ** 2).mean(axis=1))


def _band_filters() -> np.ndarray:
    def to_mel(hz: float) -> float:
        return 2595.0 * np.log10(1.0 + hz / 700.0)

    edges = 700.0 * (10.0 ** (np.linspace(*map(to_mel, BAND_RANGE_HZ), BANDS + 2) / 2595.0) - 1.0)
    hz = np.linspace(0.0, tracking.CHECK_RATE_HZ / 2, WINDOW // 2 + 1)[:, None]
    rising = (hz - edges[:-2]) / (edges[1:-1] - edges[:-2])
    falling = (edges[2:] - hz) / (edges[2:] - edges[1:-1])
    filters = np.maximum(0.0, np.minimum(rising, falling))
    return filters / (filters.sum(axis=0) + 1e-12)
