"""Demucs of the fourth generation with random weights: the original's class, saved by the original's own functions. `answers` is what it
makes of a piece and its spectrogram, without the transforms around it."""

from fractions import Fraction

import torch
import yaml
from demucs.htdemucs import HTDemucs
from demucs.states import load_model, serialize_model

RATE, HOP, BINS = 44100, 1024, 2048
FOUR = ["drums", "bass", "other", "vocals"]
SIX = [*FOUR, "guitar", "piano"]

# As the published models say of themselves; all else is what their class has anyway.
PUBLISHED = dict(channels=48, depth=4, dconv_mode=3, bottom_channels=512, segment=Fraction(39, 5))
PUBLISHED_SIX = PUBLISHED | dict(bottom_channels=0)
SMALL = dict(channels=4, depth=3, dconv_mode=3, dconv_comp=2, t_heads=2, t_hidden_scale=1.0, segment=Fraction(10240, RATE))

# By name: the stems, the arguments of the class, those of the published size, and whether the weights are saved as halves.
CASES = {
    "htdemucs": (FOUR, SMALL | dict(bottom_channels=16, t_layers=3), PUBLISHED, True),
    "htdemucs_6s": (SIX, SMALL | dict(depth=2, t_layers=2, dconv_mode=1), PUBLISHED_SIX, False),
    "normalised layers, crossing first": (
        FOUR,
        SMALL | dict(norm_starts=1, norm_groups=2, t_layers=2, t_cross_first=True, t_layer_scale=False, t_norm_out=False, t_gelu=False,
                     emb_scale=5, freq_emb=0.4, t_weight_pos_embed=0.5, segment=0.25, context_enc=1, dconv_depth=-2),
        None,
        True,
    ),
    "no transformer, no embedding": (["vocals", "other"], SMALL | dict(depth=2, t_layers=0, freq_emb=0, dconv_mode=2), None, False),
}


def varied(sources, seed, **arguments):
    """Random weights whose answers are spread: a fresh network's residual branches start near zero, and it answers almost nothing."""
    torch.manual_seed(seed)
    made = HTDemucs(sources, **arguments)
    with torch.no_grad():
        for name, parameter in made.named_parameters():
            if parameter.ndim == 1:
                parameter.add_(0.1 * torch.randn_like(parameter))
            if name.endswith(".scale"):
                parameter.add_(0.3)
        for last in (made.decoder[-1].conv_tr, made.tdecoder[-1].conv_tr):
            last.weight.mul_(4.0)
    return made


def save(model, path, half):
    """As the original's training ends; gives the network as it is loaded again."""
    from omegaconf import OmegaConf

    arguments = OmegaConf.create({"dset": {"sources": list(model.sources)}, "epochs": 360, "ema": {"batch": [0.9995]}, "dummy": None})
    torch.save(serialize_model(model, arguments, half=half), path)
    return load_model(torch.load(path, "cpu", weights_only=False)).eval()


def save_bag(path, names, weights=None, segment=None):
    said = {"models": names} | ({"weights": weights} if weights else {}) | ({"segment": segment} if segment else {})
    path.write_text(yaml.safe_dump(said))


def samples_of(model):
    return int(model.segment * model.samplerate)


def heard(samples):
    """A piece and something like its spectrogram, of sines that a test can write down, too."""
    count = torch.arange(2 * samples, dtype=torch.float64)
    mix = 0.3 * torch.sin(0.07 * count) * torch.cos(0.0031 * count)
    frames = -(-samples // HOP)
    count = torch.arange(4 * BINS * frames, dtype=torch.float64)
    spec = torch.sin(0.37 * count) * torch.cos(0.011 * count)
    return mix.float().reshape(1, 2, samples), spec.float().reshape(1, 4, BINS, frames)


@torch.no_grad()
def answers(model, mix, spec):
    """`time` and `spec_out`."""
    found = {}
    model._spec = lambda _: spec
    model._magnitude = lambda spectrum: spectrum
    model._mask = lambda _, mask: mask
    model._ispec = lambda spectrum, length=None, scale=0: found.update(spec_out=spectrum) or 0.0
    found["time"] = model(mix)
    return found
