"""The encoder of OpenAI's Whisper, base: a log-mel spectrogram at 100 Hz to 512 channels at 50 Hz.

Weights are read from a CTranslate2 file, which two unrelated packages carry (see `fetch_whisper.py`); the layers are
those of the published model: two convolutions, sinusoidal positions, six layers of attention and feed-forward with their
normalisation before, one normalisation behind.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from . import spectra

CHANNELS, HEADS, LAYERS, MELS = 512, 8, 6, 80
LONGEST = 1_500
"""Frames that positions are known for: 30 s."""
FFT, HOP = 400, 160
POWER_FLOOR = 1e-10
LOG_FLOOR = -6.5
"""Whisper lifts what is 80 dB below the loudest band of what it hears. Here the level is known beforehand: speech whose sounding parts
have an RMS of 0.06 has its loudest bands near 10^1.5."""


def mel_filters(mels: int = MELS) -> np.ndarray:
    """[201, mels]: triangles on Slaney's mel scale up to 8 kHz, each of unit area, as `librosa.filters.mel` makes them."""
    edges_mel = np.linspace(0.0, _to_mel(8_000.0), mels + 2)
    points = np.where(edges_mel < 15.0, edges_mel * 200.0 / 3.0, 1_000.0 * np.exp((edges_mel - 15.0) * np.log(6.4) / 27.0))
    hz = np.linspace(0.0, 8_000.0, FFT // 2 + 1)[:, None]
    rising = (hz - points[:-2]) / (points[1:-1] - points[:-2])
    falling = (points[2:] - hz) / (points[2:] - points[1:-1])
    filters = np.maximum(0.0, np.minimum(rising, falling))
    return (filters * (2.0 / (points[2:] - points[:-2]))).astype(np.float32)


def _to_mel(hz: float) -> float:
    """Slaney's scale: linear up to 1 kHz, logarithmic above."""
    return 15.0 + 27.0 * np.log(hz / 1_000.0) / np.log(6.4)


PADDING = (FFT // 2 - HOP, FFT // 2)
"""Zeros before and behind, so that the first window is centred on sample 160 and vector t of the encoder on sample 320 t + 160: the
middle of its 20 ms."""


class Attention(nn.Module):
    """Self-attention of 8 heads over [B, T, 512]."""

    def __init__(self):
        super().__init__()
        self.inward = nn.Linear(CHANNELS, 3 * CHANNELS)
        self.outward = nn.Linear(CHANNELS, CHANNELS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part.unflatten(2, (HEADS, CHANNELS // HEADS)).transpose(1, 2) for part in self.inward(x).chunk(3, 2)
        )
        scores = torch.matmul(query * (CHANNELS // HEADS) ** -0.5, key.transpose(2, 3))
        heard = torch.matmul(torch.softmax(scores, 3), value)
        return self.outward(heard.transpose(1, 2).flatten(2))


class Layer(nn.Module):
    """Attention and feed-forward, each added to what goes in."""

    def __init__(self):
        super().__init__()
        self.before_attention = nn.LayerNorm(CHANNELS)
        self.attention = Attention()
        self.before_forward = nn.LayerNorm(CHANNELS)
        self.widen = nn.Linear(CHANNELS, 4 * CHANNELS)
        self.narrow = nn.Linear(4 * CHANNELS, CHANNELS)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(self.before_attention(x))
        return x + self.narrow(functional.gelu(self.widen(self.before_forward(x))))


class WhisperEncoder(nn.Module):
    """Scaled log mel [B, 80, 2 T] to the result [B, T, 512] after some layers; T at most 1,500."""

    def __init__(self, layers: int = LAYERS):
        super().__init__()
        self.first = nn.Conv1d(MELS, CHANNELS, 3, padding=1)
        self.second = nn.Conv1d(CHANNELS, CHANNELS, 3, stride=2, padding=1)
        self.register_buffer("positions", torch.zeros(LONGEST, CHANNELS))
        self.layers = nn.ModuleList([Layer() for _ in range(layers)])
        self.norm = nn.LayerNorm(CHANNELS)

    def forward(self, mel: torch.Tensor) -> torch.Tensor:
        return self.norm(self.stages(mel)[-1])

    def stages(self, mel: torch.Tensor) -> list[torch.Tensor]:
        """What each layer gives, before the last normalisation."""
        hidden = functional.gelu(self.second(functional.gelu(self.first(mel)))).transpose(1, 2)
        hidden = hidden + self.positions[: hidden.shape[1]]
        results = []
        for layer in self.layers:
            hidden = layer(hidden)
            results.append(hidden)
        return results

    @classmethod
    def from_variables(cls, variables: dict[str, np.ndarray], layers: int = LAYERS) -> WhisperEncoder:
        """With the weights of a CTranslate2 file, in single precision."""

        def tensor(name: str) -> torch.Tensor:
            return torch.from_numpy(variables[f"encoder/{name}"].astype(np.float32))

        encoder = cls(layers)
        state = {"positions": tensor("position_encodings/encodings")}
        names = {"first": "conv1", "second": "conv2"}
        norms = {"norm": "layer_norm"}
        for number in range(layers):
            theirs, ours = f"layer_{number}", f"layers.{number}"
            names[f"{ours}.attention.inward"] = f"{theirs}/self_attention/linear_0"
            names[f"{ours}.attention.outward"] = f"{theirs}/self_attention/linear_1"
            names[f"{ours}.widen"] = f"{theirs}/ffn/linear_0"
            names[f"{ours}.narrow"] = f"{theirs}/ffn/linear_1"
            norms[f"{ours}.before_attention"] = f"{theirs}/self_attention/layer_norm"
            norms[f"{ours}.before_forward"] = f"{theirs}/ffn/layer_norm"
        for ours, theirs in names.items():
            state |= {f"{ours}.weight": tensor(f"{theirs}/weight"), f"{ours}.bias": tensor(f"{theirs}/bias")}
        for ours, theirs in norms.items():
            state |= {f"{ours}.weight": tensor(f"{theirs}/gamma"), f"{ours}.bias": tensor(f"{theirs}/beta")}
        encoder.load_state_dict(state)
        return encoder.eval()


def scaled_log_mel(samples: torch.Tensor) -> torch.Tensor:
    """[B, N] at 16 kHz, N a multiple of 320, to what the encoder hears [B, 80, N / 160]."""
    padded = functional.pad(samples, PADDING)
    frames = padded.unfold(1, FFT, HOP) * torch.hann_window(FFT)
    power = torch.fft.rfft(frames).abs().pow(2)
    mel = torch.matmul(power, torch.from_numpy(mel_filters())).transpose(1, 2)
    return scaled(torch.log10(mel + POWER_FLOOR))


def scaled(log_mel: torch.Tensor) -> torch.Tensor:
    """As Whisper is fed, but for the fixed floor."""
    return (log_mel.clamp(min=LOG_FLOOR) + 4.0) / 4.0


assert spectra.HOP == HOP
