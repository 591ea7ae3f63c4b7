"""What the originals make of a recording: their own code where it can be installed, their rules otherwise."""

import logging
import random
import sys
import types
from unittest import mock

import numpy as np
import torch

# python-audio-separator imports a converter that it needs only for pieces of another length than the network's.
sys.modules.setdefault("onnx2torch", types.SimpleNamespace(convert=None))

LOG = logging.getLogger("parity")
LOG.setLevel(logging.ERROR)


def quietly(work):
    """Runs work without progress bars."""
    with mock.patch("tqdm.tqdm.__init__", lambda self, iterable=None, **_: setattr(self, "iterable", iterable)), mock.patch(
        "tqdm.tqdm.__iter__", lambda self: iter(self.iterable)
    ):
        return work()


def mdx_net(graph, mix, *, n_fft, hop, bins, frames, overlap, denoise):
    """`demix` of python-audio-separator 0.47.1 for MDX-Net, which leaves level and compensation to its caller."""
    from audio_separator.separator.architectures.mdx_separator import MDXSeparator

    original = MDXSeparator.__new__(MDXSeparator)
    original.logger = LOG
    original.n_fft, original.hop_length, original.dim_f = n_fft, hop, bins
    original.segment_size, original.overlap, original.batch_size = frames, overlap, 1
    original.enable_denoise = denoise
    original.torch_device = torch.device("cpu")
    original.model_run = lambda spectrum: graph(spectrum.numpy())[0]
    return quietly(lambda: original.demix(mix))


class Config(dict):
    """Settings of a model, by attribute."""

    __getattr__ = dict.__getitem__


def mdxc(network, mix, *, stems, chunk, overlap, roformer):
    """`demix` of python-audio-separator 0.47.1 for networks of waves: MDX23C and RoFormer models."""
    from audio_separator.separator.architectures.mdxc_separator import MDXCSeparator

    class Network(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.nothing = torch.nn.Parameter(torch.zeros(1))
            self.num_target_instruments = len(stems)

        def forward(self, pieces):
            answers = [network(piece.detach().numpy()[None])[0] for piece in pieces]
            found = torch.from_numpy(np.stack(answers))
            return found[:, 0] if len(stems) == 1 else found

    original = MDXCSeparator.__new__(MDXCSeparator)
    original.logger = LOG
    original.pitch_shift, original.override_model_segment_size = 0, False
    original.is_roformer, original.overlap, original.batch_size = roformer, overlap, 1
    original.is_primary_stem_main_target = False
    original.torch_device = torch.device("cpu")
    original.model_run = Network()
    original._run_roformer_model = lambda piece: original.model_run(piece[None])[0]
    hop = 16
    assert chunk % hop == 0
    original.model_data_cfgdict = Config(
        audio=Config(hop_length=hop),
        model=Config(stft_hop_length=hop),
        inference=Config(dim_t=chunk // hop + 1),
        training=Config(instruments=stems, target_instrument=stems[0] if len(stems) == 1 else None),
    )
    found = quietly(lambda: original.demix(mix))
    return {stems[0]: np.asarray(found)} if not isinstance(found, dict) else found


def demucs(model, mix, *, overlap=0.25, shifts=0, offsets=()):
    """`apply_model` of demucs 4.1.0 between the normalisation that its `Separator` does. `offsets` are what the shifts
    draw by chance."""
    from demucs.apply import apply_model

    wave = torch.from_numpy(mix)
    mono = wave.mean(0)
    mean, deviation = mono.mean(), mono.std() + 1e-8
    drawn = iter(offsets)
    with mock.patch.object(random, "randint", lambda low, high: next(drawn)), torch.no_grad():
        found = apply_model(model, ((wave - mean) / deviation)[None], shifts=shifts, overlap=overlap)
    found = (found[0] * deviation + mean).numpy()
    return dict(zip(model.sources, found, strict=True))


class Waves(torch.nn.Module):
    """A graph of waves as a network for `apply_model`."""

    def __init__(self, graph, sources, *, rate, samples):
        super().__init__()
        self.graph, self.sources, self.samplerate, self.audio_channels = graph, sources, rate, 2
        self.segment, self.samples = samples / rate, samples
        self.nothing = torch.nn.Parameter(torch.zeros(1))

    def valid_length(self, length):
        return self.samples

    def forward(self, mix):
        return torch.from_numpy(self.graph(mix.numpy())[0])


def msst(network, mix, *, chunk, overlaps):
    """The generic rule of the tools of Music-Source-Separation-Training (`utils/model_utils.py`, `demix`), for pieces one
    by one: pieces every `chunk / overlaps` samples over a recording that is mirrored at both ends, with linear ramps but
    at its very ends."""
    step, fade = chunk // overlaps, chunk // 10
    border = chunk - step
    length = mix.shape[1]
    has_border = length > 2 * border and border > 0
    sound = np.pad(mix, ((0, 0), (border, border)), mode="reflect") if has_border else mix
    total = sound.shape[1]
    ramp = np.linspace(0, 1, fade, dtype=np.float32)
    result, weights = None, np.zeros(total, dtype=np.float64)
    for start in range(0, total, step):
        piece = sound[:, start : start + chunk]
        count = piece.shape[1]
        mode = "reflect" if count > chunk // 2 else "constant"
        estimate = network(np.pad(piece, ((0, 0), (0, chunk - count)), mode=mode)[None])[0][..., :count]
        window = np.concatenate([ramp, np.ones(chunk - 2 * fade, dtype=np.float32), ramp[::-1]])
        if start == 0:
            window[:fade] = 1
        elif start + step >= total:
            window[-fade:] = 1
        if result is None:
            result = np.zeros((*estimate.shape[:-1], total), dtype=np.float64)
        result[..., start : start + count] += estimate * window[:count]
        weights[start : start + count] += window[:count]
    found = np.nan_to_num(result / weights)
    return found[..., border : border + length] if has_border else found


def spleeter(graphs, mix, *, n_fft, hop, bins, frames):
    """Spleeter's rule (`spleeter/model/__init__.py`): magnitudes of the whole recording behind a frame of silence, cut into
    stretches of `frames`, ratio masks of power, and the sum of frames under two thirds of the window."""
    window = (0.5 - 0.5 * np.cos(2 * np.pi * np.arange(n_fft) / n_fft)).astype(np.float64)
    length = mix.shape[1]
    count = -(-(length + n_fft) // hop)
    stretches = -(-count // frames)
    total = (stretches * frames - 1) * hop + n_fft
    sound = np.zeros((2, total))
    sound[:, n_fft : n_fft + length] = mix
    places = np.arange(stretches * frames)[:, None] * hop + np.arange(n_fft)
    spectrum = np.fft.rfft(sound[:, places] * window)[..., :bins]
    magnitude = np.abs(spectrum).astype(np.float32).reshape(2, stretches, frames, bins)
    estimates = []
    for graph in graphs:
        answers = [graph(magnitude[:, at : at + 1])[0] for at in range(stretches)]
        estimates.append(np.concatenate(answers, axis=1).reshape(2, -1, bins).astype(np.float64))
    powers = np.square(estimates)
    found = []
    for power in powers:
        mask = (power + 1e-10 / len(graphs)) / (powers.sum(0) + 1e-10)
        whole = np.zeros((2, stretches * frames, n_fft // 2 + 1), dtype=complex)
        whole[..., :bins] = spectrum * mask
        sound = np.zeros((2, total))
        for channel, rows in enumerate(np.fft.irfft(whole, n_fft) * (window * 2 / 3)):
            np.add.at(sound[channel], places, rows)
        found.append(sound[:, n_fft : n_fft + length])
    return found


def ensemble(algorithm, sounds, weights=None):
    """`Ensembler` of python-audio-separator 0.47.1."""
    from audio_separator.separator.ensembler import Ensembler

    return Ensembler(LOG, algorithm, weights).ensemble(sounds)
