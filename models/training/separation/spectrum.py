"""The spectra that the networks read and write, and the features that they see of them.

Everything is [..., 4, bins, frames] with the channels left real, left imaginary, right real, right imaginary.
"""

from __future__ import annotations

import torch

FFT = 4096
HOP = 1024
BINS = 2048
_WINDOW = torch.hann_window(FFT)


def analyse(waves: torch.Tensor) -> torch.Tensor:
    """[B, 2, samples] to [B, 4, BINS, samples // HOP + 1]; the Nyquist bin is left out."""
    batch, _, samples = waves.shape
    spectra = torch.stft(waves.reshape(batch * 2, samples), FFT, HOP, window=_WINDOW, center=True, return_complex=True)
    frames = spectra.shape[-1]
    return torch.view_as_real(spectra[:, :BINS]).permute(0, 3, 1, 2).reshape(batch, 4, BINS, frames)


def synthesise(spectra: torch.Tensor, samples: int) -> torch.Tensor:
    """[B, 4, BINS, frames] to [B, 2, samples]."""
    batch, _, _, frames = spectra.shape
    parts = spectra.float().reshape(batch * 2, 2, BINS, frames)
    whole = torch.complex(parts[:, 0].contiguous(), parts[:, 1].contiguous())
    whole = torch.cat([whole, torch.zeros_like(whole[:, :1])], 1)
    return torch.istft(whole, FFT, HOP, window=_WINDOW, center=True, length=samples).reshape(batch, 2, samples)


# Bins below this one have masks of their own with a phase; above (8.07 kHz) neighbours share a real mask.
LOW_BINS = 750
HIGH_POOL = 4
HIGH_POOLED = -(-(BINS - LOW_BINS) // HIGH_POOL)
LOW_FEATURES = 10
HIGH_FEATURES = 4


SILENT = 1e-6
"""The sum of a frame's squared bins below which nothing sounds: one step of 16 bits, as noise, has 6e-3."""
NOTHING = 1e-10
"""What is added to the power of a bin, whose magnitude (to the power of 0.4) is then NOTHING ** 0.2 where nothing sounds."""


def powers(mix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """[B, 4, BINS, T] to the squares of the magnitudes of left and right, [B, 1, BINS, T] each. Sums of slices, as ONNX Runtime takes several
    times as long for sums over an axis; what it is asked for more than once, it works out once."""
    left_re, left_im, right_re, right_im = (mix[:, part : part + 1] for part in range(4))
    return left_re * left_re + left_im * left_im, right_re * right_re + right_im * right_im


def power(mix: torch.Tensor) -> torch.Tensor:
    """[B, 4, BINS, T] to the power of both sides, [B, BINS, T]."""
    left, right = powers(mix)
    return (left + right).squeeze(1)


def summed(values: torch.Tensor, groups: torch.Tensor) -> torch.Tensor:
    """Sums over groups of bins, [B, bins, T] to [B, groups, T]; `groups` is [groups, bins], 1 where a bin is in a group. As a product of matrices,
    which takes ONNX Runtime 0.4 instead of 4.5 ms for all bins of a piece of 768 frames: sums over an axis that is not the last one are slow."""
    return torch.matmul(groups, values)


def sounding(mix: torch.Tensor) -> torch.Tensor:
    """[B, 4, BINS, T] to the share of frames in which anything sounds, [B, 1, 1, 1]. Means over a chunk are divided by it, or what fills
    up the chunk of a short sound would make the sound louder."""
    there = summed(power(mix), torch.ones(1, BINS)).squeeze(1) > SILENT
    return there.float().mean(1).reshape(-1, 1, 1, 1) + 1e-3


def features(mix: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """[B, 4, BINS, T] to [B, LOW_FEATURES, LOW_BINS, T] and [B, HIGH_FEATURES, HIGH_POOLED, T].

    Magnitudes to the power of 0.4 of left, right, middle and side, and for the low bins three products whose phase does
    not depend on where a frame begins, as loud as the magnitudes: left by right (place), middle by the frame before
    (frequency; a bin's own turn of a quarter a hop and bin is taken out), middle by the bin below (time). All divided by
    the mean magnitude while anything sounds, so that the level of the input does not matter. Of high bins, means of HIGH_POOL neighbours
    (the last group is filled up with silence).
    """
    left_re, left_im, right_re, right_im = (mix[:, part : part + 1] for part in range(4))
    middle_re, middle_im = (left_re + right_re) * 0.5, (left_im + right_im) * 0.5
    side_re, side_im = (left_re - right_re) * 0.5, (left_im - right_im) * 0.5
    pairs = ((middle_re, middle_im), (side_re, side_im))
    # A power by way of its logarithm takes ONNX Runtime a third of the time of Pow, which works out value by value.
    magnitudes = torch.cat([*powers(mix), *(real * real + imaginary * imaginary for real, imaginary in pairs)], 1)
    magnitudes = torch.exp(0.2 * torch.log(magnitudes + NOTHING))
    nothing = NOTHING**0.2
    loud = (magnitudes[:, :2].mean((1, 2, 3), keepdim=True) - nothing) / sounding(mix) + nothing + 1e-3
    left_re, left_im, right_re, right_im, middle_re, middle_im = (
        part[:, :, :LOW_BINS] for part in (left_re, left_im, right_re, right_im, middle_re, middle_im)
    )

    def product(ar: torch.Tensor, ai: torch.Tensor, br: torch.Tensor, bi: torch.Tensor, size: torch.Tensor):
        real, imaginary = ar * br + ai * bi, ai * br - ar * bi
        scale = size * torch.rsqrt(real * real + imaginary * imaginary + 1e-14)
        return real * scale, imaginary * scale

    low = magnitudes[:, :, :LOW_BINS] / loud
    before_re = torch.cat([middle_re[..., :1] * 0, middle_re[..., :-1]], 3)
    before_im = torch.cat([middle_im[..., :1] * 0, middle_im[..., :-1]], 3)
    below_re = torch.cat([middle_re[:, :, :1] * 0, middle_re[:, :, :-1]], 2)
    below_im = torch.cat([middle_im[:, :, :1] * 0, middle_im[:, :, :-1]], 2)
    turn_re, turn_im = _quarter_turns(mix)
    place = product(left_re, left_im, right_re, right_im, low[:, 2:3])
    real, imaginary = product(middle_re, middle_im, before_re, before_im, low[:, 2:3])
    turned = (real * turn_re + imaginary * turn_im, imaginary * turn_re - real * turn_im)
    time = product(middle_re, middle_im, below_re, below_im, low[:, 2:3])
    return torch.cat([low, *place, *turned, *time], 1), _pooled(magnitudes[:, :, LOW_BINS:]) / loud


def _pooled(high: torch.Tensor) -> torch.Tensor:
    """[B, kinds, BINS - LOW_BINS, T] to [B, kinds, HIGH_POOLED, T]."""
    batch, kinds, bins, frames = high.shape
    whole = bins // HIGH_POOL
    groups = high[:, :, : whole * HIGH_POOL].reshape(batch, kinds, whole, HIGH_POOL, frames).mean(3)
    return torch.cat([groups, high[:, :, whole * HIGH_POOL :].sum(2, keepdim=True) / HIGH_POOL], 2)


def _quarter_turns(like: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Cosine and sine, [1, 1, LOW_BINS, 1], of a bin's turn within a hop: HOP is a quarter of FFT."""
    turns = torch.arange(LOW_BINS) % 4
    cosine = torch.tensor([1.0, 0.0, -1.0, 0.0])[turns]
    sine = torch.tensor([0.0, 1.0, 0.0, -1.0])[turns]
    return cosine.view(1, 1, LOW_BINS, 1).to(like), sine.view(1, 1, LOW_BINS, 1).to(like)
