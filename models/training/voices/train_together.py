"""Trains the projection and the base decoder as one, from where each has come by itself.

    python -m voices.train_together WORK --seconds 3600
    python -m voices.train_together WORK --initial MODELS      from the weights of published packages

The projection alone learns what the small encoder said; what else the decoder needs of an utterance, and what of its speaker disturbs
the decoder, it cannot know. Here the decoder's error goes back through the projection, while that still names phones, hears an
utterance, its twin and the same worn alike, and stays near what it said before: voices of the last generation, of which blends were made,
listen with it too. Whisper itself stays as it is. Seconds are processor time of this process.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from . import clock, initial, items, projection, train_projection, training_frames
from .packages import CONTENT_ID
from .phones import UNKNOWN
from .spectra import content_log_mel, loudness
from .train_decoder import BATCH, CONTENT_NOISE, FRAMES, SEED, Base, Stretches, loss_with, start_from
from .whisper_features import VARIANTS, hear, load_encoder, samples_of
from .worn import rms

WINDOW = 112
"""Frames of 20 ms that the projection hears at once."""
CONTEXT = 12
"""Of them, before the first that counts."""
UTTERANCES = 12
"""That are named and heard in two ways, beside the stretches, in each step."""
DECODER_WEIGHT, NAMED_WEIGHT, APART_WEIGHT, MOVED_WEIGHT = 2.0, 0.15, 1.0, 0.5
PROJECTION_RATE, DECODER_RATE = 6e-4, 8e-4
NAMING_STEPS, NAMING_RATE = 300, 1e-2


class Features:
    """What Whisper hears of an utterance, f16 [T, stages, 512] at 50 Hz, and its loudness [2 T] at 100 Hz."""

    def __init__(self, features: np.ndarray, loud: np.ndarray):
        self.features, self.loud = features, loud

    def __getitem__(self, place: tuple[np.ndarray, int]) -> np.ndarray:
        """The loudness at some frames of 10 ms: the only channel that is known before the projection."""
        return self.loud[place[0]]


class FeatureListener(training_frames.Listener):
    """Gives features instead of content."""

    def __init__(self, work: Path):
        super().__init__(lambda samples: np.zeros((len(samples) // 160, 65), np.float32))
        self.work = work

    def contents(self, path: Path, item, frames: int) -> list:
        result = []
        for variant in VARIANTS:
            file = self.work / "whisper" / f"{path.stem}.{variant}.npy"
            if file.exists():
                samples = samples_of(self.work, item, variant, path.stem)
                clean = items.read_wave(item["twin" if variant == "twin" else "wave"][: frames * 160])
                samples = torch.from_numpy((samples * (rms(clean) / rms(samples))).astype(np.float32))
                loud = loudness(content_log_mel(samples)).repeat_interleave(2).numpy()
                result.append(Features(np.load(file), loud))
        return result


class Windows(Stretches):
    """Stretches whose content is still to be heard: the first column is (window, places in it, loudness, quiet)."""

    def __init__(self, work: Path):
        super().__init__(work, FeatureListener(work))
        encoder = load_encoder(work)
        self.quiet_features = torch.from_numpy(hear(encoder, np.zeros(WINDOW * 320)).astype(np.float32))
        self.quiet_loudness = float(loudness(content_log_mel(torch.zeros(3_200)))[5])

    def content(self, heard: Features, places: np.ndarray, loud: np.ndarray, quiet: int) -> tuple:
        """`window` [WINDOW, stages, 512]; a place behind it is -1."""
        first = max(0, int(places.min()) // 2 - CONTEXT)
        window = self.quiet_features.clone()
        piece = torch.from_numpy(heard.features[first : first + WINDOW].astype(np.float32))
        window[: len(piece)] = piece
        inside = np.where(places // 2 - first < WINDOW, places // 2 - first, -1)
        return window, inside, np.where(np.arange(FRAMES) < quiet, loud, self.quiet_loudness), quiet

    def unhear(self, content: tuple, sounding: np.ndarray) -> None:
        """Nothing: what is said is not known yet. The decoder learns it alone, afterwards."""


def heard_by(network: projection.Projection, drawn: list[tuple], quiet_features: torch.Tensor) -> tuple:
    """The stretches' content [B, FRAMES, 65], and which frames lie within what was heard."""
    windows = torch.stack([*(window for window, *_ in drawn), quiet_features])
    content = network(train_projection.disturbed(windows))[0]
    silence = content[-1, WINDOW // 2]
    result = []
    for one, (_, places, loud, quiet) in zip(content, drawn, strict=False):
        said = one[torch.from_numpy(places).clamp(min=0)]
        sounds = (torch.arange(FRAMES) < quiet)[:, None]
        said = torch.where(sounds, said + CONTENT_NOISE * torch.randn_like(said), silence)
        result.append(torch.cat([said, torch.from_numpy(loud.astype(np.float32))[:, None]], 1))
    return torch.stack(result), np.stack([places >= 0 for _, places, *_ in drawn])


def alike(network: projection.Projection, before: projection.Projection, data: list, weights: list[int]) -> list[torch.Tensor]:
    """How wrongly phones, and whether there is any, are named, how far two ways of hearing an utterance are apart, and how far what is
    said is from what was said before the training."""
    one, other, labels = [], [], []
    for item in random.choices(data, weights, k=UTTERANCES):
        start = random.randint(0, len(item.labels) - train_projection.FRAMES)
        piece = slice(start, start + train_projection.FRAMES)
        ways = random.sample(item.variants, 2) if len(item.variants) > 1 else item.variants * 2
        one.append(ways[0][piece])
        other.append(ways[1][piece])
        labels.append(item.labels[piece])
    features = torch.from_numpy(np.stack(one + other).astype(np.float32))
    content, logits, voice = network(train_projection.disturbed(features))
    wanted = torch.from_numpy(np.stack(labels)).repeat(2, 1)
    named = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=UNKNOWN)
    spoken = functional.binary_cross_entropy_with_logits(voice, train_projection.speaks(wanted))
    first, second = content.chunk(2)
    with torch.no_grad():
        said = before(features)[0]
    return [named + spoken, (first - second).pow(2).mean(), (content - said).pow(2).mean()]


def start(work: Path, packages: Path | None, network: projection.Projection, base: Base) -> bool:
    """The weights of WORK, or of published packages; whether phones can be named yet, which no package can."""
    if packages is None:
        network.load_state_dict(torch.load(work / "projection.pt"))
        base.load_state_dict(torch.load(work / "base.pt"))
        return True
    initial.load(network, initial.tensors(initial.newest(packages, CONTENT_ID) / "content.onnx"))
    start_from(base, packages)
    return False


def learn_names(network: projection.Projection, data: list, weights: list[int]) -> None:
    """Trains the layer that names phones, and nothing before it."""
    optimiser = torch.optim.Adam(network.phones.parameters(), NAMING_RATE)
    for _ in range(NAMING_STEPS):
        features, _, labels = train_projection.batch(data, weights)
        with torch.no_grad():
            content = network(features)[0].transpose(1, 2)
        named = functional.cross_entropy(network.phones(3.0 * content), labels, ignore_index=UNKNOWN)
        optimiser.zero_grad()
        named.backward()
        optimiser.step()


def main() -> None:
    """Trains, and stores both networks and their figures in WORK."""
    parser = clock.parser(__doc__, 3600.0)
    parser.add_argument("--initial", type=Path, help="a folder of packages to start from, instead of what lies in WORK")
    options = parser.parse_args()
    clock.seed(SEED)
    windows = Windows(options.work)
    print("sizes of the bodies:", {name: round(float(size), 2) for name, size in windows.sizes.items()}, flush=True)
    teacher = training_frames.load_teacher(options.work)
    data = [item for item in train_projection.read(options.work, "train-", teacher) if len(item.labels) >= train_projection.FRAMES]
    data += train_projection.read_nothing(options.work, teacher)
    weights = [len(item.labels) for item in data]
    tests = train_projection.read_tests(options.work, teacher)
    # The statistics of the normalisations stay as the projection's own training left them: stretches and utterances have others, and
    # what is trained is then what is published.
    network, base = projection.Projection().eval(), Base()
    if not start(options.work, options.initial, network, base):
        learn_names(network, data, weights)
    before = copy.deepcopy(network)
    print("at first:", train_projection.figures(network, tests), flush=True)
    groups = [
        {"params": network.parameters(), "rate": PROJECTION_RATE, "weight_decay": 3e-2},
        {"params": base.parameters(), "rate": DECODER_RATE, "weight_decay": 1e-3},
    ]
    optimiser = torch.optim.AdamW(groups, betas=(0.9, 0.98))
    timer, step, recent = clock.Clock(options), 0, []

    def store() -> None:
        torch.save(network.state_dict(), options.work / "projection.pt")
        torch.save(base.state_dict(), options.work / "base.pt")

    while (progress := timer.progress()) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = group["rate"] * min(1.0, step / 100) * max(0.01, 1.0 - progress)
        drawn = [windows.draw() for _ in range(BATCH)]
        content, inside = heard_by(network, [one[0] for one in drawn], windows.quiet_features)
        columns = list(zip(*drawn, strict=True))
        columns[6] = [valid * here for valid, here in zip(columns[6], inside, strict=True)]
        shares = torch.from_numpy(np.stack(columns[2]))
        drawing = loss_with(base.network, shares @ base.styles.weight, content, columns)
        named, apart, moved = alike(network, before, data, weights)
        loss = DECODER_WEIGHT * drawing + NAMED_WEIGHT * named + APART_WEIGHT * apart + MOVED_WEIGHT * moved
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 2.0)
        nn.utils.clip_grad_norm_(base.parameters(), 4.0)
        optimiser.step()
        recent = [*recent[-199:], (drawing.item(), named.item(), apart.item(), moved.item())]
        step += 1
        if timer.is_due():
            scores = train_projection.figures(network, tests)
            print(f"{timer.spent():.0f} s, step {step}: {np.mean(recent, axis=0).round(4)} {scores}", flush=True)
            store()
    store()
    figures = train_projection.named_figures(network, tests)
    figures |= {"steps": step, "cpu_s": round(timer.spent()), "apart_mse": float(np.mean(recent, 0)[2]), "moved_mse": float(np.mean(recent, 0)[3])}
    (options.work / "together_training.json").write_text(json.dumps(figures, indent=2) + "\n")
    print(figures, flush=True)


if __name__ == "__main__":
    main()
