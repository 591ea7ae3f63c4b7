"""The network of RVC's voices, written for these tests from its published description: the parts of VITS that turn
content vectors into a latent, and HiFi-GAN with a sine source. Modules carry the names that checkpoints use.

All random numbers are arguments, so that two implementations can be compared. Shapes are [batch, channels, time]."""

import math

import torch
from torch import nn
from torch.nn import functional as F
from torch.nn.utils import parametrizations, weight_norm

LONGEST_DISTANCE = 10


def middle(kernel, dilation=1):
    return (kernel - 1) * dilation // 2


class ChannelNorm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(channels))
        self.beta = nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        x = F.layer_norm(x.transpose(1, 2), self.gamma.shape, self.gamma, self.beta, 1e-5)
        return x.transpose(1, 2)


class Attention(nn.Module):
    def __init__(self, channels, heads):
        super().__init__()
        self.heads, self.head = heads, channels // heads
        for name in ("conv_q", "conv_k", "conv_v", "conv_o"):
            setattr(self, name, nn.Conv1d(channels, channels, 1))
        self.emb_rel_k = nn.Parameter(torch.randn(1, 2 * LONGEST_DISTANCE + 1, self.head))
        self.emb_rel_v = nn.Parameter(torch.randn(1, 2 * LONGEST_DISTANCE + 1, self.head))

    def forward(self, x, mask):
        batch, channels, frames = x.shape
        split = lambda y: y.reshape(batch, self.heads, self.head, frames).transpose(2, 3)
        query, key, value = split(self.conv_q(x)), split(self.conv_k(x)), split(self.conv_v(x))
        # For each pair of frames, the row of the table of relative positions, or none when they are too far apart.
        place = torch.arange(frames)
        distance = place[None, :] - place[:, None]
        near = (distance.abs() <= LONGEST_DISTANCE).to(x.dtype)[..., None]
        row = distance.clamp(-LONGEST_DISTANCE, LONGEST_DISTANCE) + LONGEST_DISTANCE
        keys, values = self.emb_rel_k[0][row] * near, self.emb_rel_v[0][row] * near
        query = query / math.sqrt(self.head)
        scores = query @ key.transpose(2, 3) + torch.einsum("bhtd,tsd->bhts", query, keys)
        seen = mask[:, :, :, None] * mask[:, :, None, :]
        shares = scores.masked_fill(seen == 0, -1e4).softmax(-1)
        y = shares @ value + torch.einsum("bhts,tsd->bhtd", shares, values)
        return self.conv_o(y.transpose(2, 3).reshape(batch, channels, frames))


class FeedForward(nn.Module):
    def __init__(self, channels, inner, kernel):
        super().__init__()
        self.pad = ((kernel - 1) // 2, kernel // 2)
        self.conv_1 = nn.Conv1d(channels, inner, kernel)
        self.conv_2 = nn.Conv1d(inner, channels, kernel)

    def forward(self, x, mask):
        x = self.conv_1(F.pad(x * mask, self.pad)).relu()
        return self.conv_2(F.pad(x * mask, self.pad)) * mask


class Transformer(nn.Module):
    def __init__(self, channels, inner, heads, layers, kernel):
        super().__init__()
        make = lambda module, *sizes: nn.ModuleList(module(*sizes) for _ in range(layers))
        self.attn_layers = make(Attention, channels, heads)
        self.norm_layers_1 = make(ChannelNorm, channels)
        self.ffn_layers = make(FeedForward, channels, inner, kernel)
        self.norm_layers_2 = make(ChannelNorm, channels)

    def forward(self, x, mask):
        x = x * mask
        layers = zip(self.attn_layers, self.norm_layers_1, self.ffn_layers, self.norm_layers_2)
        for attend, norm_1, feed, norm_2 in layers:
            x = norm_1(x + attend(x, mask))
            x = norm_2(x + feed(x, mask))
        return x * mask


class Encoder(nn.Module):
    def __init__(self, s):
        super().__init__()
        self.hidden, self.inter = s.hidden, s.inter
        self.emb_phone = nn.Linear(s.content, s.hidden)
        if s.pitch:
            self.emb_pitch = nn.Embedding(256, s.hidden)
        self.encoder = Transformer(s.hidden, s.filter, s.heads, s.layers, s.kernel)
        self.proj = nn.Conv1d(s.hidden, 2 * s.inter, 1)

    def forward(self, content, pitch, lengths):
        x = self.emb_phone(content)
        if pitch is not None:
            x = x + self.emb_pitch(pitch)
        x = F.leaky_relu(x * math.sqrt(self.hidden), 0.1).transpose(1, 2)
        mask = (torch.arange(x.shape[2])[None] < lengths[:, None])[:, None].to(x.dtype)
        x = self.proj(self.encoder(x * mask, mask)) * mask
        return x[:, : self.inter], x[:, self.inter :], mask


class WaveNet(nn.Module):
    def __init__(self, hidden, kernel, layers, speaker, norm):
        super().__init__()
        self.hidden = hidden
        self.cond_layer = norm(nn.Conv1d(speaker, 2 * hidden * layers, 1))
        self.in_layers = nn.ModuleList(
            norm(nn.Conv1d(hidden, 2 * hidden, kernel, padding=middle(kernel))) for _ in range(layers)
        )
        outputs = [2 * hidden] * (layers - 1) + [hidden]
        self.res_skip_layers = nn.ModuleList(norm(nn.Conv1d(hidden, count, 1)) for count in outputs)

    def forward(self, x, mask, speaker):
        told = self.cond_layer(speaker).chunk(len(self.in_layers), 1)
        given = 0
        for heard, out, extra in zip(self.in_layers, self.res_skip_layers, told):
            value, gate = (heard(x) + extra).chunk(2, 1)
            y = out(value.tanh() * gate.sigmoid())
            if y.shape[1] > self.hidden:
                x = (x + y[:, : self.hidden]) * mask
                y = y[:, self.hidden :]
            given = given + y
        return given * mask


class Coupling(nn.Module):
    def __init__(self, s, norm):
        super().__init__()
        self.pre = nn.Conv1d(s.inter // 2, s.hidden, 1)
        self.enc = WaveNet(s.hidden, s.flow_kernel, s.flow_layers, s.speaker, norm)
        self.post = nn.Conv1d(s.hidden, s.inter // 2, 1)

    def backwards(self, x, mask, speaker):
        kept, moved = x.chunk(2, 1)
        shift = self.post(self.enc(self.pre(kept) * mask, mask, speaker)) * mask
        return torch.cat([kept, (moved - shift) * mask], 1)


class Flow(nn.Module):
    def __init__(self, s, norm):
        super().__init__()
        # Couplings have even numbers; the odd ones turn the channels around and have no weights.
        self.flows = nn.ModuleList()
        for _ in range(s.flows):
            self.flows.extend([Coupling(s, norm), nn.Identity()])

    def backwards(self, x, mask, speaker):
        for coupling in reversed(self.flows[::2]):
            x = coupling.backwards(x.flip(1), mask, speaker)
        return x


class Residual(nn.Module):
    def __init__(self, channels, kernel, dilations, norm):
        super().__init__()
        make = lambda dilation: norm(
            nn.Conv1d(channels, channels, kernel, dilation=dilation, padding=middle(kernel, dilation))
        )
        self.convs1 = nn.ModuleList(make(dilation) for dilation in dilations)
        self.convs2 = nn.ModuleList(make(1) for _ in dilations)

    def forward(self, x):
        for first, second in zip(self.convs1, self.convs2):
            x = x + second(F.leaky_relu(first(F.leaky_relu(x, 0.1)), 0.1))
        return x


class SingleResidual(nn.Module):
    def __init__(self, channels, kernel, dilations, norm):
        super().__init__()
        self.convs = nn.ModuleList(
            norm(nn.Conv1d(channels, channels, kernel, dilation=d, padding=middle(kernel, d)))
            for d in dilations
        )

    def forward(self, x):
        for conv in self.convs:
            x = x + conv(F.leaky_relu(x, 0.1))
        return x


class Source(nn.Module):
    def __init__(self):
        super().__init__()
        self.l_linear = nn.Linear(1, 1)

    def forward(self, pitch, upp, rate, noise):
        """pitch [1, T], noise [1, T upp, 1] -> [1, 1, T upp]."""
        within = pitch[:, :, None] / rate * torch.arange(1, upp + 1, dtype=pitch.dtype)
        advance = torch.fmod(within[:, :, -1] + 0.5, 1.0) - 0.5
        before = torch.fmod(advance.cumsum(1), 1.0).roll(1, 1)
        before[:, 0] = 0.0
        phase = within + before[:, :, None]
        voiced = (pitch > 0).to(pitch.dtype)[:, :, None]
        level = voiced * 0.003 + (1 - voiced) * 0.1 / 3
        wave = torch.sin(2 * math.pi * phase) * 0.1 * voiced + level * noise.reshape(1, -1, upp)
        # Exports in half precision have the sine in single precision.
        wave = wave.reshape(1, -1, 1).to(self.l_linear.weight.dtype)
        return self.l_linear(wave).tanh().transpose(1, 2)


class Decoder(nn.Module):
    def __init__(self, s, norm):
        super().__init__()
        self.s, self.upp = s, math.prod(s.rates)
        self.conv_pre = nn.Conv1d(s.inter, s.initial, 7, padding=3)
        self.cond = nn.Conv1d(s.speaker, s.initial, 1)
        self.ups, self.resblocks = nn.ModuleList(), nn.ModuleList()
        if s.pitch:
            self.m_source, self.noise_convs = Source(), nn.ModuleList()
        block = Residual if s.paired else SingleResidual
        for stage, (rate, kernel) in enumerate(zip(s.rates, s.kernels)):
            wide, narrow = s.initial >> stage, s.initial >> (stage + 1)
            self.ups.append(
                norm(nn.ConvTranspose1d(wide, narrow, kernel, rate, padding=(kernel - rate) // 2))
            )
            step = math.prod(s.rates[stage + 1 :])
            if s.pitch and step > 1:
                self.noise_convs.append(nn.Conv1d(1, narrow, 2 * step, step, padding=step // 2))
            elif s.pitch:
                self.noise_convs.append(nn.Conv1d(1, narrow, 1))
            for size, dilations in zip(s.block_kernels, s.dilations):
                self.resblocks.append(block(narrow, size, dilations, norm))
        self.conv_post = nn.Conv1d(narrow, 1, 7, padding=3, bias=False)

    def forward(self, x, pitch, speaker, noise):
        x = self.conv_pre(x) + self.cond(speaker)
        if self.s.pitch:
            source = self.m_source(pitch, self.upp, float(self.upp * 100), noise)
        count = len(self.s.block_kernels)
        for stage, up in enumerate(self.ups):
            x = up(F.leaky_relu(x, 0.1))
            if self.s.pitch:
                x = x + self.noise_convs[stage](source)
            blocks = self.resblocks[stage * count : (stage + 1) * count]
            x = sum(block(x) for block in blocks) / count
        return self.conv_post(F.leaky_relu(x)).tanh()


def decoder_of(name):
    import decoders

    return {"HiFi-GAN": Decoder, "MRF HiFi-GAN": decoders.MrfDecoder, "RefineGAN": decoders.RefineDecoder}[name]


class Voice(nn.Module):
    def __init__(self, sizes):
        super().__init__()
        norm = parametrizations.weight_norm if sizes.parametrized else weight_norm
        self.enc_p = Encoder(sizes)
        self.dec = decoder_of(sizes.decoder)(sizes, norm)
        self.flow = Flow(sizes, norm)
        self.emb_g = nn.Embedding(sizes.speakers, sizes.speaker)

    @torch.no_grad()
    def infer(self, inputs):
        speaker = self.emb_g(inputs["ds"])[:, :, None]
        mean, log_deviation, mask = self.enc_p(
            inputs["phone"], inputs.get("pitch"), inputs["phone_lengths"]
        )
        sample = (mean + log_deviation.exp() * inputs["rnd"]) * mask
        latent = self.flow.backwards(sample, mask, speaker) * mask
        return self.dec(latent, inputs.get("pitchf"), speaker, inputs.get("nsf_noise"))
