"""Reference numbers of the signal processing around voices, from SciPy, librosa, PyTorch and FAISS.

`python run.py` compares tests/fixtures/dsp/golden.json with them, `python run.py --write` writes it. The unit tests beside the
host's code hold it to the same numbers.
"""

import json
import sys
from pathlib import Path

import faiss
import librosa
import numpy as np
import torch
from scipy import signal

FILE = Path(__file__).resolve().parents[2] / "fixtures" / "dsp" / "golden.json"
RATE = 16_000


def rumbling(count):
    """Two tones over an offset and a rumble that the high-pass takes away."""
    n = np.arange(count, dtype=np.float64)
    low = 0.3 + 0.2 * np.sin(2 * np.pi * 7 * n / RATE)
    return (low + 0.3 * np.sin(2 * np.pi * 220 * n / RATE) + 0.1 * np.sin(2 * np.pi * 1234.5 * n / RATE + 1)).astype(np.float32)


def sung(count):
    """Harmonics of a gliding pitch, then a pause, then lower ones, over a little noise."""
    n = np.arange(count, dtype=np.float64)
    octave = np.where(n < count * 0.4, 0.0, -1.3)
    f0 = 200 * 2 ** (octave + 0.4 * np.sin(n / 9_000))
    phase = 2 * np.pi * np.cumsum(f0) / RATE
    wave = sum(np.sin(k * phase) / k for k in range(1, 9)) * 0.2
    pause = (n > count * 0.4) & (n < count * 0.55)
    # A congruential generator, so that the same noise is easily made anywhere.
    state, noise = 12_345, np.empty(count)
    for place in range(count):
        state = (state * 1_103_515_245 + 12_345) % 2**31
        noise[place] = state / 2**30 - 1
    return (np.where(pause, 0, wave) + 0.003 * noise).astype(np.float32)


def high_pass():
    b, a = signal.butter(N=5, Wn=48, btype="high", fs=RATE)
    cases = []
    for count in (19, 40, 50_000):
        x = rumbling(count).astype(np.float64)
        y = signal.filtfilt(b, a, x)
        at = sorted({0, 1, 17, count // 2, count - 2, count - 1} | set(range(0, count, 4_999)))
        cases.append({"count": count, "at": at, "values": [float(y[place]) for place in at]})
    return cases


def fcpe_mel():
    # In double precision: in single, what lies next to the floor is the rounding of the machine's transform.
    x = torch.from_numpy(rumbling(8_000)).double()
    padded = torch.nn.functional.pad(x[None, None], (432, 432), mode="reflect")[0]
    window = torch.hann_window(1024, dtype=torch.float64)
    spectrum = torch.stft(padded, 1024, 160, 1024, window, center=False, return_complex=True)[0]
    magnitude = torch.sqrt(spectrum.real**2 + spectrum.imag**2 + 1e-9)
    bands = librosa.filters.mel(sr=RATE, n_fft=1024, n_mels=128, fmin=0, fmax=8000, dtype=np.float64)
    mel = torch.log(torch.clamp(torch.from_numpy(bands) @ magnitude, min=1e-5)).numpy()
    rows = [0, 3, 17, 40, 64, 100, 127]
    return {"frames": mel.shape[1], "rows": rows, "values": [[float(v) for v in mel[row][::7]] for row in rows]}


def bumps(frames):
    """Salience with one bump per frame, the first and the last cut off by the ends of the range."""
    bins = np.arange(360)
    middle = np.linspace(0.3, 358.8, frames)[:, None]
    height = 0.02 + 0.9 * np.abs(np.sin(np.arange(frames) * 0.7))[:, None]
    return (height * np.exp(-((bins - middle) ** 2) / 6)).astype(np.float32)


def local_argmax():
    """FCPE's decoding: nine bins whose numbers stop at the ends, unvoiced up to the threshold."""
    salience = torch.from_numpy(bumps(40))
    cents = torch.from_numpy(20 * np.arange(360) + 1997.3794084376191)
    best, middle = salience.max(dim=1, keepdim=True)
    places = (torch.arange(9) + middle - 4).clamp(0, 359)
    near = torch.gather(salience, 1, places).double()
    mean = (cents[places] * near).sum(dim=1) / near.sum(dim=1)
    f0 = 10 * 2 ** (mean / 1200)
    f0[best[:, 0] <= 0.3] = 0
    return f0.tolist()


def filtered(f0, sure, threshold):
    """torchcrepe's filters as RVC sets them: median of three saliences, mean of three pitches."""
    around = [slice(max(t - 1, 0), t + 2) for t in range(len(f0))]
    median = [sorted(sure[part])[(len(sure[part]) - 1) // 2] for part in around]
    return [float(np.mean(f0[part])) if certain >= threshold else 0.0 for part, certain in zip(around, median)]


def smoothed():
    """CREPE's salience read as torchcrepe's weighted argmax does."""
    cents = 20 * np.arange(360) + 1997.3794084376191
    f0, sure = [], []
    for frame in bumps(40).astype(np.float64):
        best = int(frame.argmax())
        near = slice(max(best - 4, 0), best + 5)
        f0.append(10 * 2 ** ((cents[near] * frame[near]).sum() / frame[near].sum() / 1200))
        sure.append(frame[best])
    return filtered(f0, sure, 0.3)


def leaping(frames):
    """Salience that glides, with noise around it and a frame an octave too high now and then."""
    place, bins = np.arange(frames)[:, None], np.arange(360)
    middle = 150 + 60 * np.sin(place / 25) + np.where(place % 17 == 3, 60, 0)
    bump = 0.9 * np.abs(np.sin(place * 0.11)) * np.exp(-((bins - middle) ** 2) / 8)
    return (bump + 0.05 * np.abs(np.sin(bins * 12.9898 + place * 78.233))).astype(np.float32)


def viterbi():
    """CREPE's salience read as `torchcrepe.predict` does by default, between 50 and 1,100 Hz, less the random part of a bin."""
    step = np.maximum(12 - np.abs(np.subtract.outer(np.arange(360), np.arange(360))), 0)
    cents = 20 * np.arange(360) + 1997.3794084376191
    f0, sure = [], []
    for first in (0, 512):
        salience = torch.from_numpy(leaping(600)[first : first + 512]).clone()
        salience[:, :39] = salience[:, 308:] = -torch.inf
        likely = torch.softmax(salience, dim=1).numpy().T
        path = librosa.sequence.viterbi(likely, step / step.sum(axis=1, keepdims=True)).astype(int)
        f0.extend(10 * 2 ** (cents[path] / 1200))
        sure.extend(salience.numpy()[np.arange(len(path)), path])
    return filtered(f0, sure, 0.1)


def pyin():
    x = sung(48_000).astype(np.float64)
    f0, _, _ = librosa.pyin(x, fmin=50, fmax=1100, sr=RATE, frame_length=1024, hop_length=160)
    bins = np.round(120 * np.log2(np.where(np.isnan(f0), 50, f0) / 50))
    return [-1 if np.isnan(value) else int(number) for value, number in zip(f0, bins)]


def retrieval():
    value = lambda row, column, a, b: np.float32(np.sin((row * a + column * b) * 0.37))
    rows = np.array([[value(r, c, 7, 3) + value(r, c, 2.3, 11) for c in range(12)] for r in range(300)], np.float32)
    queries = np.array([[value(r, c, 5.1, 4.7) for c in range(12)] for r in range(20)], np.float32)
    found = {}
    flat = faiss.IndexFlatL2(12)
    flat.add(rows)
    quantizer = faiss.IndexFlatL2(12)
    quantizer.add(rows[::43].copy())
    cells = faiss.IndexIVFFlat(quantizer, 12, quantizer.ntotal, faiss.METRIC_L2)
    cells.is_trained = True
    cells.add(rows)
    for name, index in {"flat": flat, "cells": cells}.items():
        score, place = index.search(queries, k=8)
        weight = np.square(1 / score.astype(np.float64))
        weight /= weight.sum(axis=1, keepdims=True)
        mean = (rows[place] * weight[..., None]).sum(axis=1)
        found[name] = mean.round(9).tolist()
    return found


def resampled():
    n = np.arange(44_100, dtype=np.float64)
    tones = sum(np.sin(2 * np.pi * hz * n / 44_100 + hz) for hz in (110, 997, 3_000, 6_100)) * 0.2
    y = librosa.resample(tones.astype(np.float32), orig_sr=44_100, target_sr=RATE, res_type="soxr_vhq")
    return y[4_000:4_200].astype(float).round(7).tolist()


def numbers():
    return {
        "high_pass": high_pass(),
        "fcpe_mel": fcpe_mel(),
        "local_argmax": local_argmax(),
        "smoothed": smoothed(),
        "viterbi": viterbi(),
        "pyin": pyin(),
        "retrieval": retrieval(),
        "resampled": resampled(),
    }


def flat(value):
    if isinstance(value, dict):
        return [number for part in value.values() for number in flat(part)]
    if isinstance(value, list):
        return [number for part in value for number in flat(part)]
    return [float(value)]


def main():
    found = numbers()
    if "--write" in sys.argv:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(json.dumps(found) + "\n")
    kept, failed = json.loads(FILE.read_text()), False
    for name, value in found.items():
        a, b = np.array(flat(value)), np.array(flat(kept[name]))
        off = float(np.abs(a - b).max()) if a.shape == b.shape else float("inf")
        failed |= off > 1e-4
        print(f"{name}: {len(a)} numbers, golden off by {off:.1e}")
    sys.exit(failed)


main()
