"""Trains the content encoder and the base decoder as one, from where each has come by itself.

    python -m voices.train_together WORK --seconds 3600

The encoder alone learns to name phones and to hear the same in an utterance and its twin; what else the decoder needs of
an utterance, and what of its speaker disturbs the decoder, it cannot know. Here the decoder's error goes back through the
encoder, while that still names phones and hears twins. The encoder's normalisation stays as it is, so that it hears in
training what it will hear in use. Seconds are processor time of this process.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import precision

from . import clock, items, train_content, training_frames
from .networks import ContentNetwork
from .spectra import CONTENT_FLOOR, CONTENT_MELS, content_log_mel, loudness
from .train_decoder import BATCH, CONTENT_NOISE, FRAMES, SEED, Base, Stretches, loss_with

WINDOW = 224
"""Frames of a recording that the encoder hears at once."""
CONTEXT = 24
"""Of them, before the first that counts."""
UTTERANCES = 6
"""That are named and heard with their twins, beside the stretches, in each step."""
AUGMENTED_SHARE = 0.7
DECODER_WEIGHT, NAMED_WEIGHT, APART_WEIGHT = 2.0, 0.5, 1.0
ENCODER_RATE, DECODER_RATE = 8e-4, 1e-3
SILENCE = float(np.log(CONTENT_FLOOR))


def log_mel_with_loudness(samples: np.ndarray) -> np.ndarray:
    """[N] at 16 kHz to [T, 65] at 100 Hz: what the encoder is fed, and the loudness that it passes on."""
    samples = torch.from_numpy(np.asarray(samples, np.float32))
    log_mel = content_log_mel(functional.pad(samples, (0, -len(samples) % 320)))
    return torch.cat([log_mel, loudness(log_mel).repeat_interleave(2, 0)[:, None]], 1).numpy()


class Windows(Stretches):
    """Stretches whose content is still to be heard: the first column is (window, places in it, loudness, quiet)."""

    def __init__(self, work: Path):
        super().__init__(work, log_mel_with_loudness)

    def content(self, heard: np.ndarray, places: np.ndarray, loudness: np.ndarray, quiet: int) -> tuple:
        """`window` [WINDOW, 64]; a place behind it is -1."""
        first = max(0, int(places.min()) - CONTEXT) // 2 * 2
        window = torch.full((WINDOW, CONTENT_MELS), SILENCE)
        piece = torch.from_numpy(heard[first : first + WINDOW, :64].astype(np.float32))
        window[: len(piece)] = train_content.augment(piece) if random.random() < AUGMENTED_SHARE else piece
        inside = np.where(places - first < WINDOW, places - first, -1)
        return window, inside, np.where(np.arange(FRAMES) < quiet, loudness, self.silence[64]), quiet


def heard_by(encoder: ContentNetwork, drawn: list[tuple]) -> tuple[torch.Tensor, np.ndarray]:
    """The stretches' content [B, FRAMES, 65], and which frames lie within what was heard."""
    windows = torch.stack([*(window for window, *_ in drawn), torch.full((WINDOW, CONTENT_MELS), SILENCE)])
    with precision.autocast():
        content = encoder(windows)[0]
    content = content.float()
    silence = content[-1, WINDOW // 4]
    result = []
    for one, (_, places, loud, quiet) in zip(content, drawn, strict=False):
        said = one[torch.from_numpy(places).clamp(min=0) // 2]
        sounds = (torch.arange(FRAMES) < quiet)[:, None]
        said = torch.where(sounds, said + CONTENT_NOISE * torch.randn_like(said), silence)
        result.append(torch.cat([said, torch.from_numpy(loud.astype(np.float32))[:, None]], 1))
    return torch.stack(result), np.stack([places >= 0 for _, places, *_ in drawn])


def main() -> None:
    """Trains, and stores both networks and their figures in WORK."""
    options = clock.parser(__doc__, 3600.0).parse_args()
    clock.seed(SEED)
    windows = Windows(options.work)
    print("sizes of the bodies:", {name: round(float(size), 2) for name, size in windows.sizes.items()}, flush=True)
    data, weights = train_content.read(options.work)
    tests = train_content.read_tests(options.work)
    encoder = training_frames.load_content_network(options.work)
    base = Base()
    base.load_state_dict(torch.load(options.work / "base.pt"))
    groups = [
        {"params": encoder.parameters(), "rate": ENCODER_RATE, "weight_decay": 1e-2},
        {"params": base.parameters(), "rate": DECODER_RATE, "weight_decay": 1e-3},
    ]
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98))
    timer, step, recent = clock.Clock(options), 0, []

    def store() -> None:
        torch.save(encoder.state_dict(), options.work / "content.pt")
        torch.save(base.state_dict(), options.work / "base.pt")

    while (progress := timer.progress()) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = group["rate"] * min(1.0, step / 100) * max(0.01, 1.0 - progress)
        drawn = [windows.draw() for _ in range(BATCH)]
        content, inside = heard_by(encoder, [one[0] for one in drawn])
        columns = list(zip(*drawn, strict=True))
        columns[6] = [valid * here for valid, here in zip(columns[6], inside, strict=True)]
        shares = torch.from_numpy(np.stack(columns[2]))
        drawing = loss_with(base.network, shares @ base.styles.weight, content, columns)
        named, apart = train_content.losses(encoder, *train_content.batch(data, weights, UTTERANCES))
        loss = DECODER_WEIGHT * drawing + NAMED_WEIGHT * named + APART_WEIGHT * apart
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(encoder.parameters(), 2.0)
        nn.utils.clip_grad_norm_(base.parameters(), 4.0)
        optimiser.step()
        recent = [*recent[-199:], (drawing.item(), named.item(), apart.item())]
        step += 1
        if timer.is_due():
            scores = train_content.accuracies(encoder, tests)
            print(f"{timer.spent():.0f} s, step {step}: {np.mean(recent, axis=0).round(4)} {scores}", flush=True)
            store()
    store()
    figures = train_content.accuracies(encoder, tests)
    figures |= {"steps": step, "cpu_s": round(timer.spent()), "apart_mse": float(np.mean(recent, 0)[2])}
    (options.work / "content_training.json").write_text(json.dumps(figures, indent=2) + "\n")
    figures = {"steps": step, "loss": round(float(np.mean(recent, 0)[0]), 4), "cpu_s": round(timer.spent())}
    (options.work / "base_training.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(figures, flush=True)


if __name__ == "__main__":
    main()
