"""Estimators of pitch with random weights, as their programs save them. CREPE's and FCPE's originals are the networks of torchcrepe and
torchfcpe; RMVPE's, which no package has, is written down in `rmvpe.py`."""

import importlib
import importlib.util
import sys
import types

import torch
from torch import nn

from rmvpe import Rmvpe
from waves import mel, wave

FRAME = 1024


def network(package, module, name, **facts):
    """A class of a package, without what the package's first lines would import to read recordings with. `facts` are what its modules
    ask the package for."""
    bare = types.ModuleType(package)
    vars(bare).update(facts)
    bare.__path__ = importlib.util.find_spec(package).submodule_search_locations
    sys.modules[package] = bare
    return getattr(importlib.import_module(f"{package}.{module}"), name)


# Attention to the neighbourhood, which no released network has.
sys.modules["local_attention"] = types.SimpleNamespace(LocalAttention=None)
Crepe = network("torchcrepe", "model", "Crepe", PITCH_BINS=360)
CFNaiveMelPE = network("torchfcpe", "models", "CFNaiveMelPE")


def varied(model, seed):
    """Random weights whose answers are spread, and statistics that do something."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if name.endswith(("original0", "weight_g")):
                parameter.uniform_(0.5, 2)
            elif parameter.dim() > 1:
                parameter.normal_(0, parameter[0].numel() ** -0.5)
            elif name.endswith("weight"):
                parameter.uniform_(0.8, 1.2)
            else:
                parameter.normal_(0, 0.1)
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_(0, 0.1)
            elif name.endswith("running_var"):
                buffer.uniform_(0.5, 1.5)
    return model.eval()


def crepe(capacity, full):
    model = Crepe(capacity)
    if full:
        return model
    # The same network with two channels everywhere.
    for number in range(1, 7):
        conv = getattr(model, f"conv{number}")
        setattr(model, f"conv{number}", nn.Conv2d(1 if number == 1 else 2, 2, conv.kernel_size, conv.stride))
        norm = getattr(model, f"conv{number}_BN")
        setattr(model, f"conv{number}_BN", nn.BatchNorm2d(2, eps=norm.eps, momentum=norm.momentum))
    model.in_features = 8
    model.classifier = nn.Linear(model.in_features, 360)
    return model


def fcpe(full, **more):
    sizes = dict(hidden_dims=512, n_layers=6, n_heads=8) if full else dict(hidden_dims=16, n_layers=2, n_heads=2)
    return CFNaiveMelPE(128, 360, **(sizes | more))


def rmvpe(full, **sizes):
    return Rmvpe(**({} if full else dict(first=1, count=1, middle=2, hidden=4) | sizes))


def save_plain(model, path):
    """As torch saves it; in half precision the network is given the values that are saved."""
    torch.save(model.state_dict(), path)


def save_half(model, path):
    model.half().float()
    torch.save({name: tensor.half() for name, tensor in model.state_dict().items()}, path)


def save_fcpe(model, path):
    settings = {
        "mel": {"sr": 16000, "num_mels": 128, "n_fft": 1024, "win_size": 1024, "hop_size": 160, "fmin": 0, "fmax": 8000},
        "model": {"type": "CFNaiveMelPE", "f0_min": 32.7, "f0_max": 1975.5, "use_fa_norm": model.use_fa_norm},
    }
    torch.save({"config_dict": settings, "model": model.state_dict()}, path)


def save_first(model, path):
    """As the first releases called things, which Applio's file has."""
    weights = model.state_dict()
    for ours, theirs in [("input_stack.", "stack."), ("net.encoder_layers.", "decoder._layers."), ("output_proj.", "dense_out.")]:
        weights = {name.replace(ours, theirs): tensor for name, tensor in weights.items()}
    weights = {
        name.replace("parametrizations.weight.original0", "weight_g").replace("parametrizations.weight.original1", "weight_v"): tensor
        for name, tensor in weights.items()
    }
    torch.save({"config": {"mel": {"sampling_rate": 16000, "num_mels": 128}}, "model": weights, "optimizer": None}, path)


# By name: the network, how it is saved and as which file, and the axes of what it hears.
CASES = {
    "RMVPE": (lambda full: rmvpe(full), save_half, "rmvpe.pt", "bands"),
    "RMVPE, two blocks a layer": (lambda full: rmvpe(full, first=2, count=2), save_plain, "rmvpe_blocks.pt", "bands"),
    # The network that comes with torchfcpe says of attentions, which it has not, that they compare directions.
    "FCPE, convolutions alone": (lambda full: fcpe(full, conv_only=True, use_fa_norm=True), save_fcpe, "fcpe.pt", "frames"),
    "FCPE, with attention": (
        lambda full: fcpe(full, use_harmonic_emb=True, use_fa_norm=True, **({} if full else {"n_layers": 1})), save_fcpe, "fcpe_attention.pt", "frames",
    ),
    "FCPE, with attention, as Applio has it": (
        lambda full: fcpe(full, **({} if full else {"n_layers": 1})), save_first, "fcpe_first.pt", "frames",
    ),
    "CREPE, full": (lambda full: crepe("full", full), save_plain, "full.pth", "sound"),
    "CREPE, tiny": (lambda full: crepe("tiny", full), save_plain, "tiny.pth", "sound"),
}
# Those that the host's ordinary tests keep.
PINNED = [name for name in CASES if name not in ("RMVPE, two blocks a layer", "CREPE, full")]


def heard(axes, frames):
    if axes == "sound":
        return wave(frames * FRAME).reshape(frames, FRAME)
    return mel(frames * 128).reshape((1, 128, frames) if axes == "bands" else (1, frames, 128))


@torch.no_grad()
def salience(model, axes, frames):
    return model(heard(axes, frames))
