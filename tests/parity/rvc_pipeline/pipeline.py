"""RVC's pipeline of the releases around 2.2, and of 2.3, written once more with NumPy, SciPy, librosa, FAISS and PyTorch.

Steps, constants and order are those of `infer/modules/vc/pipeline.py` and `modules.py` on the project's branch 20240604. What release 2.3
does otherwise (`get_f0` in `infer/vc/pipeline.py` under the tag 2.3.260718) stands in `filled`.
"""

import faiss
import librosa
import numpy as np
import torch
from scipy import signal

from noise import gaussian

RATE, HOP = 16_000, 160
MEL_LOW, MEL_HIGH = 1127 * np.log(1 + 50 / 700), 1127 * np.log(1 + 1100 / 700)
HIGH_PASS = signal.butter(N=5, Wn=48, btype="high", fs=RATE)
BANDS = librosa.filters.mel(sr=RATE, n_fft=1024, n_mels=128, fmin=30, fmax=8000, htk=True)


def prepared(wave):
    peak = np.abs(wave).max() / 0.95
    return signal.filtfilt(*HIGH_PASS, wave / peak if peak > 1 else wave)


def cut_points(audio, cuts):
    center, query = (round(RATE * cuts[key]) for key in ("center_s", "query_s"))
    if len(audio) + HOP <= round(RATE * cuts["max_s"]):
        return []
    padded = np.abs(np.pad(audio, HOP // 2, mode="reflect"))
    energy = np.convolve(padded, np.ones(HOP), mode="valid")[: len(audio)]
    points = []
    for ideal in range(center, len(audio), center):
        around = energy[ideal - query : ideal + query]
        points.append((ideal - query + int(np.argmin(around))) // HOP * HOP)
    return points


def salience_f0(audio, estimate, threshold=0.03):
    """RMVPE: log-mel, frames filled up to 32, the mean of nine bins."""
    framed = torch.stft(
        torch.from_numpy(audio.astype(np.float32)), 1024, HOP, 1024, torch.hann_window(1024), center=True, return_complex=True
    )
    mel = torch.log(torch.clamp(torch.from_numpy(BANDS) @ framed.abs(), min=1e-5)).numpy()
    frames = mel.shape[1]
    mel = np.pad(mel, ((0, 0), (0, -frames % 32)))
    salience = estimate(mel[None])[0, :frames]
    cents = np.pad(20 * np.arange(360) + 1997.3794084376191, 4)
    padded = np.pad(salience, ((0, 0), (4, 4)))
    best = salience.argmax(axis=1)
    near = np.stack([padded[np.arange(frames), best + shift] for shift in range(9)], axis=1)
    means = np.stack([cents[best + shift] for shift in range(9)], axis=1)
    mean = (near * means).sum(axis=1) / near.sum(axis=1)
    mean[salience.max(axis=1) <= threshold] = 0
    f0 = 10 * 2 ** (mean / 1200)
    f0[f0 == 10] = 0
    return f0


def fcpe_f0(audio, estimate, threshold=0.006):
    """FCPE: log-mel on Slaney's scale, windows that begin 432 samples before their frame, indices that stop at the ends."""
    frames = len(audio) // HOP + 1
    behind = (frames - 1) * HOP - 432 + 1024 - len(audio)
    padded = torch.from_numpy(np.pad(audio.astype(np.float32), (432, behind), mode="reflect"))
    framed = torch.stft(padded, 1024, HOP, 1024, torch.hann_window(1024), center=False, return_complex=True)
    magnitude = torch.sqrt(framed.real**2 + framed.imag**2 + 1e-9)
    bands = librosa.filters.mel(sr=RATE, n_fft=1024, n_mels=128, fmin=0, fmax=8000)
    mel = torch.log(torch.clamp(torch.from_numpy(bands) @ magnitude, min=1e-5)).numpy()
    salience = torch.from_numpy(estimate(mel.T[None].copy())[0])
    lowest, highest = 1200 * np.log2(np.array([32.70, 1975.5]) / 10)
    cents = torch.linspace(lowest, highest, 360, dtype=torch.float64)
    best, middle = salience.max(dim=1, keepdim=True)
    places = (torch.arange(9) + middle - 4).clamp(0, 359)
    near = torch.gather(salience, 1, places).double()
    f0 = 10 * 2 ** ((cents[places] * near).sum(dim=1) / near.sum(dim=1) / 1200)
    f0[best[:, 0] <= threshold] = 0
    return f0.numpy()


def crepe_f0(audio, estimate, threshold=0.1, low=50, high=1100):
    """CREPE: standardised frames, the likeliest path through bins from 50 to 1,100 Hz, median and mean of three frames."""
    padded = torch.nn.functional.pad(torch.from_numpy(audio.astype(np.float32)), (512, 512))
    frames = padded.unfold(0, 1024, HOP)
    frames = frames - frames.mean(dim=1, keepdim=True)
    frames = frames / frames.std(dim=1, keepdim=True).clamp(min=1e-10)
    bins = (1200 * np.log2(np.array([low, high]) / 10) - 1997.3794084376191) / 20
    lowest, end = int(np.floor(bins[0])), int(np.ceil(bins[1]))
    step = np.maximum(12 - np.abs(np.subtract.outer(np.arange(360), np.arange(360))), 0)
    f0, sure = [], []
    for first in range(0, len(frames), 512):
        salience = torch.from_numpy(estimate(frames[first : first + 512].numpy()))
        salience[:, :lowest] = salience[:, end:] = -torch.inf
        likely = torch.softmax(salience, dim=1).numpy().T
        path = librosa.sequence.viterbi(likely, step / step.sum(axis=1, keepdims=True)).astype(int)
        f0.extend(10 * 2 ** ((20 * path + 1997.3794084376191) / 1200))
        sure.extend(salience.numpy()[np.arange(len(path)), path])
    sure = np.array(sure)
    around = [slice(max(t - 1, 0), t + 2) for t in range(len(f0))]
    median = np.array([sorted(sure[part])[(len(sure[part]) - 1) // 2] for part in around])
    return np.where(median < threshold, 0, [np.mean(f0[part]) for part in around])


def filled(f0):
    """Release 2.3: unvoiced frames on the line between voiced ones, the ends as the first and the last of these."""
    voiced = np.flatnonzero(f0)
    return np.interp(np.arange(len(f0)), voiced, f0[voiced]) if len(voiced) else f0


def coarse(f0):
    mel = 1127 * np.log(1 + f0 / 700)
    voiced = mel > 0
    mel[voiced] = (mel[voiced] - MEL_LOW) * 254 / (MEL_HIGH - MEL_LOW) + 1
    return np.rint(np.clip(mel, 1, 255)).astype(np.int64)


def retrieved(features, index, rate):
    rows = index.reconstruct_n(0, index.ntotal)
    score, place = index.search(features, k=8)
    weight = np.square(1 / score)
    weight /= weight.sum(axis=1, keepdims=True)
    return (rows[place] * weight[..., None]).sum(axis=1) * rate + (1 - rate) * features


def volume_mixed(source, sound, rate_hz, share):
    def envelope(wave, hz):
        return torch.from_numpy(librosa.feature.rms(y=wave, frame_length=hz // 2 * 2, hop_length=hz // 2))

    def spread(points):
        return torch.nn.functional.interpolate(points.float()[None], size=len(sound), mode="linear")[0, 0]

    one = spread(envelope(source, RATE))
    two = torch.clamp(spread(envelope(sound, rate_hz)), min=1e-6)
    return (torch.from_numpy(sound) * torch.pow(one, 1 - share) * torch.pow(two, share - 1)).numpy()


def convert(wave, models, case, cuts):
    """A mono recording at 16 kHz through a voice. `models` are callables: encode, estimate, speak; and the index."""
    audio = prepared(wave)
    rate_hz, upp = models["rate_hz"], models["rate_hz"] // 100
    pad = round(RATE * cuts["pad_s"])
    points = cut_points(audio, cuts)
    padded = np.pad(audio, pad, mode="reflect")
    frames = len(padded) // HOP
    f0 = None
    if "estimate" in models:
        f0 = salience_f0(padded, models["estimate"], case.get("threshold", 0.03))
        if case.get("profile") == "rvc-2.3":
            f0 = filled(f0)
        f0 = f0[:frames] * 2 ** (case["pitch_shift"] / 12)
    sounds, start = [], 0
    for end in [*points, None]:
        stop = None if end is None else end + 2 * pad + HOP
        last = frames if end is None else (end + 2 * pad) // HOP
        pitch = None if f0 is None else f0[start // HOP : last]
        sound = speak(padded[start:stop], pitch, start // HOP, models, case)
        sounds.append(sound[pad // HOP * upp : -(pad // HOP) * upp])
        start = end
    sound = np.concatenate(sounds)
    if case["model_volume_mix"] != 1:
        sound = volume_mixed(audio, sound, rate_hz, case["model_volume_mix"])
    return sound


def speak(audio, pitch, first_frame, models, case):
    features = models["encode"](audio.astype(np.float32))
    before = features.copy()
    if models.get("index") is not None and case["conversion_strength"] > 0:
        features = retrieved(features, models["index"], case["conversion_strength"])
    features, before = np.repeat(features, 2, axis=0), np.repeat(before, 2, axis=0)
    frames = min(len(audio) // HOP, len(features))
    features, before = features[:frames], before[:frames]
    feed = {"phone": features[None].astype(np.float32), "phone_lengths": np.array([frames])}
    feed["ds"] = np.array([models["speaker"]])
    prior = gaussian(case["seed"], 0, models["prior"], first_frame, frames, 0.66666)
    feed["rnd"] = prior.T[None].copy()
    if pitch is not None:
        pitch = pitch[:frames]
        if models["protect"] < 0.5:
            share = np.where(pitch < 1, models["protect"], 1.0)[:, None]
            feed["phone"] = (features * share + before * (1 - share))[None].astype(np.float32)
        feed["pitch"] = coarse(pitch.copy())[None]
        feed["pitchf"] = pitch[None].astype(np.float32)
        upp = models["rate_hz"] // 100
        feed["nsf_noise"] = gaussian(case["seed"], 1, upp, first_frame, frames, 1).reshape(1, -1, 1)
    return models["speak"](feed)
