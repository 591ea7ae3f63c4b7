"""Reference numbers of the training of voices: steps of it in PyTorch, and what WORLD says of a sound.

`python run.py` compares tests/fixtures/training/golden.json with them, `python run.py --write` writes it. The tests beside the
host's code hold it to the same numbers.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyworld
import torch

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "models" / "training"))

from voices import decoder  # noqa: E402

FILE = ROOT / "tests" / "fixtures" / "training" / "golden.json"
WIDTH, DILATIONS = 12, (1, 2)
BATCH, FRAMES, STEPS = 2, 24, 5
RATE = 2e-3


def waves(count, pace, offset):
    """Numbers that are easily made anywhere."""
    return np.sin(np.arange(count, dtype=np.float64) * pace + offset)


def network():
    """A small network with weights by a formula, and the order in which a training keeps them."""
    decoder.WIDTH, decoder.DILATIONS = WIDTH, DILATIONS
    decoder.STYLE = len(DILATIONS) * 2 * WIDTH + 2 * decoder.BANDS
    made = decoder.EnvelopeNetwork()
    style = torch.nn.Parameter(torch.empty(1, decoder.STYLE))
    weights = [made.stem.weight, made.stem.bias]
    for block in made.blocks:
        weights += [block.open.weight, block.open.bias, block.close.weight, block.close.bias]
    weights += [made.result.weight, made.result.bias, style]
    for number, weight in enumerate(weights):
        fan = max(1, weight.numel() // weight.shape[0])
        values = waves(weight.numel(), 0.7 + 0.01 * number, number) / np.sqrt(fan)
        with torch.no_grad():
            weight.copy_(torch.from_numpy(values.astype(np.float32)).reshape(weight.shape))
    return made, style, weights


def batch():
    """Content [B, T, 65], f0 [B, T], wanted gains [B, T, 64] of both parts and which frames count [B, T]."""
    content = waves(BATCH * FRAMES * 65, 0.311, 0.2).reshape(BATCH, FRAMES, 65)
    f0 = 220.0 * 2.0 ** waves(BATCH * FRAMES, 0.05, 0.0).reshape(BATCH, FRAMES)
    f0[waves(BATCH * FRAMES, 0.9, 0.4).reshape(BATCH, FRAMES) < -0.4] = 0.0
    harmonic = -4.0 + 2.0 * waves(BATCH * FRAMES * 64, 0.017, 0.1).reshape(BATCH, FRAMES, 64)
    noise = -5.0 + waves(BATCH * FRAMES * 64, 0.023, 0.6).reshape(BATCH, FRAMES, 64)
    valid = (waves(BATCH * FRAMES, 1.3, 0.0).reshape(BATCH, FRAMES) > -0.9).astype(np.float64)
    return [torch.from_numpy(part.astype(np.float32)) for part in (content, f0, harmonic, noise, valid)]


def loss_of(made, style):
    """As `voices.train_decoder.loss_with` has it."""
    content, f0, harmonic, noise, valid = batch()
    drawn_harmonic, drawn_noise = made(content, f0, style)
    pitched, valid = (f0 > 0).float()[..., None], valid[..., None]
    silent = 40.0 * (1.0 - pitched)
    whole = torch.logaddexp(2 * drawn_harmonic - silent, 2 * drawn_noise)
    wanted = torch.logaddexp(2 * harmonic - silent, 2 * noise)
    error = 0.5 * (whole - wanted).abs()
    error = error + 0.4 * pitched * (drawn_harmonic - harmonic).abs() + 0.4 * (drawn_noise - noise).abs()
    return (error * valid).sum() / (valid.sum() * decoder.BANDS)


def steps():
    made, style, weights = network()
    optimiser = torch.optim.AdamW(weights, RATE, betas=(0.9, 0.98), weight_decay=1e-3)
    result = {"losses": [], "lengths": []}
    for _ in range(STEPS):
        loss = loss_of(made, style)
        optimiser.zero_grad()
        loss.backward()
        result["lengths"].append(float(torch.nn.utils.clip_grad_norm_(weights, 2.0)))
        optimiser.step()
        result["losses"].append(loss.item())
    row = torch.cat([weight.detach().flatten() for weight in weights]).double()
    result["count"] = len(row)
    result["weights"] = [float(value) for value in row[::97]]
    return result


def sung(count, rate):
    """A voice's pulses through two resonances, gliding, with noise behind its harmonics."""
    f0 = 160.0 * 2.0 ** (0.3 * np.sin(np.arange(count) / (0.21 * rate)))
    phase = 2 * np.pi * np.cumsum(f0) / rate
    state, noise = 12_345, np.empty(count)
    for place in range(count):
        state = (state * 1_103_515_245 + 12_345) % 2**31
        noise[place] = state / 2**30 - 1
    wave = np.zeros(count)
    for number in range(1, int(rate / 2 / f0.max())):
        hz = number * f0
        gain = 1.0 / (1.0 + ((hz - 600.0) / 150.0) ** 2) + 0.4 / (1.0 + ((hz - 1_900.0) / 250.0) ** 2) + 0.01
        wave += gain * np.sin(number * phase + number * number * 0.3)
    return np.float32(0.1 * wave + 0.004 * noise).astype(np.float64), f0


def world(rate, length):
    samples, f0 = sung(rate // 2, rate)
    moments = np.arange(5, 45, 7) / 100.0
    pitches = f0[(moments * rate).astype(int)]
    pitches[-1] = 0.0
    power = pyworld.cheaptrick(samples, pitches, moments, rate, fft_size=length)
    rough = pyworld.d4c(samples, pitches, moments, rate, fft_size=length)
    coded = pyworld.code_aperiodicity(rough, rate)
    return {
        "rate": rate,
        "length": length,
        "moments": moments.tolist(),
        "pitches": pitches.tolist(),
        "envelopes": np.log(power)[:, :: length // 64].tolist(),
        "roughness_db": coded.tolist(),
    }


def main():
    found = {"steps": steps(), "world": [world(16_000, 1024), world(32_000, 2048)]}
    if "--write" in sys.argv:
        FILE.parent.mkdir(parents=True, exist_ok=True)
        FILE.write_text(json.dumps(found) + "\n")
        return
    kept = json.loads(FILE.read_text())
    apart = np.abs(np.array(found["steps"]["losses"]) - np.array(kept["steps"]["losses"])).max()
    print(f"losses differ by {apart:.2e}")
    worst = max(
        np.abs(np.array(one[key]) - np.array(other[key])).max()
        for one, other in zip(found["world"], kept["world"], strict=True)
        for key in ("envelopes", "roughness_db")
    )
    print(f"WORLD differs by {worst:.2e}")
    if apart > 1e-5 or worst > 1e-3:
        sys.exit(1)


if __name__ == "__main__":
    main()
