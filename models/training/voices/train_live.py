"""Trains the content encoder of live conversions: one that hears 1.28 s, of which little comes after what is said.

    python -m voices.train_live WORK --initial MODELS --seconds 4500
    python -m voices.train_live WORK --initial MODELS --before OLDER --seconds 1200    from the live encoder of the generation before

It begins as the published encoder with its projection, and learns from `live_sounds` to say of a window what that encoder says who hears all of
it; and as numbers that are near are not yet words, a voice should draw the same curves of both. Windows are always `FRAMES` long, so each place in one has a look-ahead of its own, and the network is as good
as can be at every one of them: one network serves all blocks and look-aheads. Seconds are processor time of this process.
"""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional

import precision

from . import clock, decoder, initial, live_sounds, projection, spectra, whisper

LAYERS, STAGES = whisper.LAYERS, projection.STAGES
"""Of Whisper's layers, and which of them are heard."""
FRAMES, FIRST, LOOK_AHEAD = 64, 40, 4
"""Frames of 20 ms of a window; the first one that is asked for; how many of the last are heard for those before them."""
AHEAD_WEIGHT = 0.3
"""How much the last frames count: a decoder looks at them, nobody hears them."""
VOICE_WEIGHT, CURVES_WEIGHT = 0.05, 0.1
LIVE_ID = "vocalhost.content-live-2"
JUDGE, JUDGED_HZ = "vocalhost.oak-5", (90.0, 300.0)
"""The voice that draws, and at which pitches; in half of the windows it has none."""
BATCH = 16
ENCODER_RATE, PROJECTION_RATE = 4e-5, 1e-4
LEVEL_DB = 4.0
"""By how much the level of a window may be wrong: live it is known by and by."""
TEST_PIECES, APART = 40, 20
SEED = 53


def student(models: Path) -> projection.WhisperContent:
    """With the published weights, as far as there are any for it."""
    state = initial.tensors(initial.newest(models, live_sounds.CONTENT_ID) / "content.onnx", prefix="")
    network = projection.WhisperContent(whisper.WhisperEncoder(LAYERS), projection.Projection(), STAGES)
    initial.load(network, state)
    return network


def student_of_before(models: Path, before: Path) -> projection.WhisperContent:
    """The live encoder of an older folder of packages, whose projection moves as that of the encoder that it learned from has moved since."""
    network = student(models)
    was = initial.tensors(initial.newest(before, live_sounds.CONTENT_ID) / "content.onnx", prefix="")
    live = initial.tensors(initial.newest(before, LIVE_ID) / "content.onnx", prefix="")
    now = network.state_dict()
    moved = {name: now[name] - was[name] for name in live if name.startswith("network.")}
    initial.load(network, {name: values + moved.get(name, 0.0) for name, values in live.items()})
    return network


def windows(pieces: list[dict[str, np.ndarray]], weights: list[int]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Samples [BATCH, 320 * FRAMES], content [BATCH, FRAMES, 64] and voice logits [BATCH, FRAMES] of windows from anywhere, also from before
    the first sound."""
    samples, content, voice = [], [], []
    for piece in random.choices(pieces, weights, k=BATCH):
        start = random.randint(0, len(piece["voice"]) - FRAMES)
        place = slice(start, start + FRAMES)
        heard = piece["samples"][320 * start : 320 * (start + FRAMES)].astype(np.float32) / 32_768.0
        if random.random() < 0.1:
            heard[: 320 * random.randint(1, FIRST)] = 0.0
        samples.append(heard * 10.0 ** (random.uniform(-LEVEL_DB, LEVEL_DB) / 20.0))
        content.append(piece["content"][place])
        voice.append(piece["voice"][place])
    return tuple(torch.from_numpy(np.stack(part).astype(np.float32)) for part in (samples, content, voice))


def weights_of_places(frames: int, first: int, look_ahead: int) -> torch.Tensor:
    """[frames]: how much each place of a window counts, of which nothing is asked before `first` and nobody hears the last ones."""
    weights = torch.zeros(frames)
    weights[first:] = 1.0
    weights[-look_ahead:] = AHEAD_WEIGHT
    return weights / weights.sum()


def apart(network: projection.WhisperContent, pieces: list[dict[str, np.ndarray]]) -> dict[str, float]:
    """Mean square distance from what is wanted, with a look-ahead of 80, 160 and 320 ms, of windows that begin 0.4 s apart."""
    found = {4: [], 8: [], 16: []}
    network.eval()
    with torch.inference_mode():
        for piece in pieces:
            samples = torch.from_numpy(piece["samples"].astype(np.float32) / 32_768.0).unfold(0, 320 * FRAMES, 320 * APART)
            content, _, _ = network.network(network.features(samples))
            wanted = torch.from_numpy(piece["content"].astype(np.float32)).unfold(0, FRAMES, APART).transpose(1, 2)
            for ahead, values in found.items():
                place = FRAMES - ahead - 1
                values.append((content[:, place] - wanted[:, place]).pow(2).mean().item())
    network.train()
    return {f"{20 * ahead} ms": round(float(np.mean(values)), 5) for ahead, values in found.items()}


class Judge:
    """A published voice, which draws curves of what is said."""

    def __init__(self, models: Path):
        state = initial.tensors(initial.newest(models, JUDGE) / "decoder.onnx")
        self.network = decoder.EnvelopeNetwork()
        if left := initial.load(self.network, state):
            raise ValueError(f"the package has no weights for {left}")
        self.network.requires_grad_(False)
        self.style = state["style"].reshape(1, -1)

    def apart(self, samples: torch.Tensor, said: torch.Tensor, wanted: torch.Tensor, places: torch.Tensor) -> torch.Tensor:
        """How far the curves of `said` are from those of `wanted`, in nepers; content [B, FRAMES, 64], a weight for each place."""
        loud = torch.stack([spectra.loudness(spectra.content_log_mel(one)) for one in samples])[..., None]
        f0_hz = torch.empty(len(samples), 1).uniform_(*JUDGED_HZ) * (torch.rand(len(samples), 1) < 0.5)
        f0_hz = f0_hz.expand(-1, 2 * FRAMES)
        curves = [
            torch.cat(self.network(torch.cat([content, loud], 2).repeat_interleave(2, 1), f0_hz, self.style), 2)
            for content in (said, wanted)
        ]
        return ((curves[0] - curves[1]).abs().mean(2) * places.repeat_interleave(2) / 2).sum(1).mean()


def read(work: Path) -> list[dict[str, np.ndarray]]:
    """All pieces, in memory."""
    pieces = []
    for path in sorted((work / "live").glob("*.npz")):
        with np.load(path) as archive:
            pieces.append(dict(archive))
    return [piece for piece in pieces if len(piece["voice"]) > FRAMES]


def main() -> None:
    """Trains, and stores WORK/live.pt and its figures."""
    parser = clock.parser(__doc__, 4_500.0)
    parser.add_argument("--initial", type=Path, required=True, help="a folder of packages to start from")
    parser.add_argument("--before", type=Path, help="a folder of packages of the generation before, whose live encoder it goes on from")
    parser.add_argument("--resume", action="store_true")
    options = parser.parse_args()
    clock.seed(SEED)
    pieces = read(options.work)
    tests, data = pieces[:TEST_PIECES], pieces[TEST_PIECES:]
    lengths = [len(piece["voice"]) for piece in data]
    print(f"{len(data)} pieces, {sum(lengths) / 3_000:.0f} minutes", flush=True)
    network = student_of_before(options.initial, options.before) if options.before else student(options.initial)
    network.train()
    file = options.work / "live.pt"
    if options.resume:
        network.load_state_dict(torch.load(file))
    groups = [
        {"params": network.encoder.parameters(), "rate": ENCODER_RATE},
        {"params": network.network.parameters(), "rate": PROJECTION_RATE},
    ]
    optimiser = torch.optim.AdamW(groups, weight_decay=1e-2, betas=(0.9, 0.98))
    places, judge = weights_of_places(FRAMES, FIRST, LOOK_AHEAD), Judge(options.initial)
    timer, step, recent = clock.Clock(options), 0, []
    while (progress := timer.progress()) < 1.0:
        for group in optimiser.param_groups:
            group["lr"] = group["rate"] * min(1.0, step / 200) * max(0.01, 1.0 - progress)
        samples, content, voice = windows(data, lengths)
        with torch.no_grad():
            mel = whisper.scaled_log_mel(samples)
        with precision.autocast():
            stages = network.encoder.stages(mel)
        said, _, speaks = network.network(projection.normalised([stage.float() for stage in stages], STAGES))
        wrong = ((said - content).pow(2).mean(2) * places).sum(1).mean()
        doubt = functional.binary_cross_entropy_with_logits(speaks, torch.sigmoid(voice), reduction="none")
        drawn = judge.apart(samples, said, content, places)
        loss = wrong + CURVES_WEIGHT * drawn + VOICE_WEIGHT * (doubt * places).sum(1).mean()
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimiser.step()
        recent = [*recent[-199:], (wrong.item(), drawn.item(), doubt.mean().item())]
        step += 1
        if timer.is_due(600.0):
            print(f"{timer.spent():.0f} s, step {step}: {np.mean(recent, 0).round(5)} {apart(network, tests)}", flush=True)
            torch.save(network.state_dict(), file)
    torch.save(network.state_dict(), file)
    minutes = round(sum(lengths) / 3_000)
    found = {"apart": apart(network, tests), "steps": step, "cpu_s": round(timer.spent()), "minutes": minutes}
    (options.work / "live_training.json").write_text(json.dumps(found, indent=2) + "\n")
    print(found, flush=True)


if __name__ == "__main__":
    main()
