"""Trains the pitch network of live conversions: one that hears little after the frame that it speaks of.

    python -m voices.train_live_pitch WORK --initial MODELS --seconds 1900

It begins as the published pitch network (FCPE), and learns from the sounds of `live_sounds` to say of a window what that one says of the same place when
it hears the whole piece. Windows end anywhere, so every place in one has a look-ahead of its own, and one network serves all blocks and look-aheads. Seconds are
processor time of this process.
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
import reference

from . import clock, initial, train_live

TEACHER = "vocalhost.f0-3"
HOP = 160
FRAMES, FIRST, LOOK_AHEAD = 56, 26, 4
"""Frames of 10 ms of a window; the first one that is asked for; how many of the last are heard for those before them."""
WIDTH, LAYERS, KERNEL = 512, 6, 31
"""FCPE's, as its package has them."""
BATCH, RATE = 16, 5e-5
LEVEL_DB = 6.0
"""By how much the level of a window may be wrong: live it is known by and by."""
VOICED_WEIGHT = 3.0
"""What it counts whether a frame is voiced, beside a bin."""
APART = 37
"""Frames between the windows of a test."""
SEED = 71


class Layer(nn.Module):
    """A gated convolution over some frames of each channel, as a conformer's. [B, T, WIDTH], which is added to."""

    def __init__(self):
        super().__init__()
        self.norm = nn.LayerNorm(WIDTH)
        self.widen = nn.Linear(WIDTH, 4 * WIDTH)
        self.depth = nn.Conv1d(2 * WIDTH, 2 * WIDTH, KERNEL, padding=KERNEL // 2, groups=2 * WIDTH)
        self.narrow = nn.Linear(2 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        gated = functional.glu(self.widen(self.norm(x)), 2)
        # In two dimensions, of which one is 1: ONNX Runtime has no fast convolution of single channels in one.
        weight = self.depth.weight[:, :, None]
        deep = functional.conv2d(gated.transpose(1, 2)[:, :, None], weight, self.depth.bias, padding=(0, KERNEL // 2), groups=2 * WIDTH)
        return x + self.narrow(functional.silu(deep[:, :, 0].transpose(1, 2)))


class LivePitch(nn.Module):
    """FCPE's network: log mel [B, T, 128] to the logits of the salience of the pitches [B, T, 360]."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv1d(128, WIDTH, 3, padding=1)
        self.between = nn.GroupNorm(4, WIDTH)
        self.second = nn.Conv1d(WIDTH, WIDTH, 3, padding=1)
        self.layers = nn.ModuleList(Layer() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.last = nn.Linear(WIDTH, 360)

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        x = functional.leaky_relu(self.between(self.first(mel.transpose(1, 2))))
        x = self.second(x).transpose(1, 2)
        for layer in self.layers:
            x = layer(x)
        return self.last(self.norm(x))


PARTS = {
    "input_stack.0": "first", "input_stack.1": "between", "input_stack.3": "second", "net.encoder_layers": "layers",
    "conformer.net.0": "norm", "conformer.net.2": "widen", "conformer.net.4.conv": "depth", "conformer.net.6": "narrow", "output_proj": "last",
}  # fmt: skip
"""Names of FCPE's and of ours."""


def published(models: Path) -> LivePitch:
    """With the weights of the teacher."""
    state = initial.tensors(models / TEACHER / "f0.onnx")
    direction = state.pop("output_proj.parametrizations.weight.original1")
    state["output_proj.weight"] = state.pop("output_proj.parametrizations.weight.original0") * functional.normalize(direction, dim=1)
    network, own = LivePitch(), {}
    for name, values in state.items():
        for theirs, ours in PARTS.items():
            name = name.replace(theirs, ours)
        # Its linear layers are convolutions of one frame.
        is_linear = name.endswith(("widen.weight", "narrow.weight"))
        own[name] = values[..., 0] if is_linear else values
    network.load_state_dict(own)
    return network


class Salience(nn.Module):
    """Log mel [B, T, 128] to the salience of the pitches [B, T, 360], as hosts want it."""

    def __init__(self, network: LivePitch):
        super().__init__()
        self.network = network

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        return torch.sigmoid(self.network(mel))


class Ear:
    """What a host makes of sound for the teacher and for the student: `reference.Fundamental.mel`, of many windows at once."""

    def __init__(self, teacher: reference.Fundamental):
        self.facts = teacher.parameters
        self.filters = torch.from_numpy(teacher.filters.astype(np.float32))
        self.window = torch.hann_window(self.facts["n_fft"])

    def __call__(self, samples: torch.Tensor) -> torch.Tensor:
        """[B, HOP * T] to [B, T, 128]."""
        lead, length = self.facts["lead"], self.facts["n_fft"]
        padded = functional.pad(samples[:, None], (lead, length - HOP - lead), mode="reflect")[:, 0]
        power = torch.fft.rfft(padded.unfold(1, length, HOP) * self.window).abs().pow(2)
        return torch.log((torch.sqrt(power + self.facts["power_floor"]) @ self.filters).clamp(min=self.facts["log_floor"]))


def taught(work: Path, teacher: reference.Fundamental, number: int, samples: np.ndarray) -> np.ndarray:
    """f16 [N / HOP, 360]: what the teacher says of a whole piece; kept in WORK/live-pitch."""
    file = work / "live-pitch" / f"{number:04d}.npy"
    if not file.exists():
        file.parent.mkdir(exist_ok=True)
        mel = teacher.mel(samples.astype(np.float64) / 32_768.0)
        np.save(file, teacher.session.run(None, {"mel": mel[None]})[0][0].astype(np.float16))
    return np.load(file)


def windows(pieces: list[tuple[np.ndarray, np.ndarray]], weights: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
    """Samples [BATCH, HOP * FRAMES] and salience [BATCH, FRAMES, 360] of windows from anywhere."""
    samples, salience = [], []
    for whole, said in random.choices(pieces, weights, k=BATCH):
        start = random.randint(0, len(said) - FRAMES)
        heard = whole[HOP * start : HOP * (start + FRAMES)].astype(np.float32) / 32_768.0
        samples.append(heard * 10.0 ** (random.uniform(-LEVEL_DB, LEVEL_DB) / 20.0))
        salience.append(said[start : start + FRAMES])
    return torch.from_numpy(np.stack(samples)), torch.from_numpy(np.stack(salience).astype(np.float32))


def loss(logits: torch.Tensor, wanted: torch.Tensor, threshold: float) -> torch.Tensor:
    """How wrong each frame is, [B, T]: in its bins, and in whether it is voiced, which the teacher's threshold says."""
    bins = functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none").sum(2)
    border = float(np.log(threshold / (1.0 - threshold)))
    is_voiced = torch.sigmoid(torch.logit(wanted.amax(2), 1e-6) - border)
    voiced = functional.binary_cross_entropy_with_logits(logits.amax(2) - border, is_voiced, reduction="none")
    return bins + VOICED_WEIGHT * voiced


def compare(said: np.ndarray, wanted: np.ndarray) -> dict[str, float]:
    """Of two tracks in hertz, 0 where unvoiced: shares in percent."""
    both = (said > 0) & (wanted > 0)
    cents = np.abs(1_200.0 * np.log2(said[both] / wanted[both]))
    return {
        "voicing": round(100.0 * float(np.mean((said > 0) != (wanted > 0))), 2),
        "beyond 50 cents": round(100.0 * float(np.mean(cents > 50.0)), 2),
        "median cents": round(float(np.median(cents)), 2),
    }


@torch.inference_mode()
def apart(network: LivePitch, ear: Ear, pieces: list[tuple[np.ndarray, np.ndarray]]) -> dict[str, dict[str, float]]:
    """`compare` with the teacher's tracks of whole pieces, with a look-ahead of 40, 80 and 160 ms, at places 0.37 s apart."""
    found = {4: [], 8: [], 16: []}
    for samples, said in pieces:
        sound = torch.from_numpy(samples.astype(np.float32) / 32_768.0)
        logits = network(ear(sound.unfold(0, HOP * FRAMES, APART * HOP)))
        wanted = reference.decode_salience(said.astype(np.float32), ear.facts)
        starts = APART * np.arange(len(logits))
        for ahead, tracks in found.items():
            place = FRAMES - ahead - 1
            own = reference.decode_salience(torch.sigmoid(logits[:, place]).numpy(), ear.facts)
            tracks.append((own, wanted[starts + place]))
    return {f"{10 * ahead} ms": compare(*map(np.concatenate, zip(*tracks))) for ahead, tracks in found.items()}


def main() -> None:
    """Trains, and stores WORK/live_pitch.pt and its figures."""
    parser = clock.parser(__doc__, 1_900.0)
    parser.add_argument("--initial", type=Path, required=True, help="a folder of packages, whose pitch network is the teacher")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    clock.seed(SEED)
    teacher = reference.Fundamental(reference.Package(options.initial / TEACHER))
    sounds = [piece["samples"] for piece in train_live.read(options.work)]
    pieces = [(samples, taught(options.work, teacher, number, samples)) for number, samples in enumerate(sounds)]
    tests, data = pieces[: train_live.TEST_PIECES], pieces[train_live.TEST_PIECES :]
    lengths = [len(said) for _, said in data]
    minutes = round(sum(lengths) / 6_000)
    print(f"{len(data)} pieces, {minutes} minutes", flush=True)
    ear, network = Ear(teacher), published(options.initial)
    if options.resume:
        network.load_state_dict(torch.load(options.work / "live_pitch.pt"))
    optimiser = torch.optim.AdamW(network.parameters(), lr=RATE, weight_decay=1e-2)
    places = train_live.weights_of_places(FRAMES, FIRST, LOOK_AHEAD)
    timer, step, recent = clock.Clock(options), 0, []
    while (progress := timer.progress()) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = RATE * min(1.0, step / 100) * max(0.01, 1.0 - progress)
        samples, wanted = windows(data, lengths)
        mel = ear(samples)
        with precision.autocast():
            logits = network(mel)
        wrong = (loss(logits.float(), wanted, teacher.parameters["threshold"]) * places).sum(1).mean()
        optimiser.zero_grad()
        wrong.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        recent = [*recent[-199:], wrong.item()]
        step += 1
        if timer.is_due(600.0):
            print(f"{timer.spent():.0f} s, step {step}: {np.mean(recent):.4f} {apart(network, ear, tests)}", flush=True)
            torch.save(network.state_dict(), options.work / "live_pitch.pt")
    torch.save(network.state_dict(), options.work / "live_pitch.pt")
    found = {"apart": apart(network, ear, tests), "steps": step, "cpu_s": round(timer.spent()), "minutes": minutes}
    (options.work / "live_pitch_training.json").write_text(json.dumps(found, indent=2) + "\n")
    print(found, flush=True)


if __name__ == "__main__":
    main()
