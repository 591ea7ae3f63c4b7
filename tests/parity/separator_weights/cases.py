"""Separators with random weights, saved with their settings as their programs save them."""

import torch
from safetensors.torch import save_file

import mdx23c
import roformer
import scnet

STEMS = ["drums", "bass", "other", "vocals"]
# Of the published Mel-Band RoFormer of vocals and BS-RoFormer (model_bs_roformer_ep_317).
BS_WIDTHS = [2] * 24 + [4] * 12 + [12] * 8 + [24] * 8 + [48] * 8 + [128, 129]
PUBLISHED = dict(heads=8, head=64, hidden=2)


def varied(model, seed):
    """Random weights whose answers are spread."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, buffer in model.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_(0, 0.1)
            elif name.endswith("running_var"):
                buffer.uniform_(0.5, 1.5)
        for name, parameter in model.named_parameters():
            if name.endswith("freqs"):
                continue
            if parameter.dim() > 1:
                parameter.normal_(0, 1.5 * parameter[0].numel() ** -0.5)
            elif name.endswith(("gamma", "norm.weight", "0.weight", "3.weight")):
                parameter.uniform_(0.8, 1.2)
            else:
                parameter.normal_(0, 0.1)
    return model.eval()


def as_yaml(value, indent=0):
    """Settings as Music-Source-Separation-Training writes them, its tuples included."""
    lines = []
    for name, one in value.items():
        start = " " * indent + name + ":"
        if isinstance(one, dict):
            lines += [start, *as_yaml(one, indent + 2)]
        elif isinstance(one, (list, tuple)):
            lines += [start + (" !!python/tuple" if isinstance(one, tuple) else "")]
            lines += [" " * indent + f"- {item}" for item in one]
        else:
            lines += [start + " " + {None: "null", True: "true", False: "False"}.get(one, str(one))]
    return lines


def settings(model, samples, instruments, target=None, **inference):
    """The settings of a network whose own are `model`."""
    return {
        "audio": {"chunk_size": samples, "dim_t": 256, "num_channels": 2, "sample_rate": 44100},
        "model": model,
        "training": {"instruments": instruments, "target_instrument": target, "lr": "1.0e-05"},
        "inference": {"batch_size": 4, "dim_t": 256, "num_overlap": 2, **inference},
    }


def of_roformer(n_fft, hop, samples, instruments, target=None, **more):
    transform = dict(stft_n_fft=n_fft, stft_hop_length=hop, stft_win_length=n_fft, stft_normalized=False)
    return settings(dict(dim=8, stereo=True, multi_stft_resolutions_window_sizes=(4096, 2048), **transform, **more), samples, instruments, target)


def bs(full, **more):
    sizes = dict(PUBLISHED, widths=BS_WIDTHS, dim=512, depth=12, hidden=1)
    tiny = dict(widths=[2, 3, 4, 8], dim=8, depth=2, heads=2, head=4, hidden=1)
    return roformer.bs(**(sizes if full else tiny | more))


def mel(full, **more):
    sizes = dict(PUBLISHED, count=60, n_fft=2048, dim=384, depth=6)
    tiny = dict(count=6, n_fft=64, dim=8, depth=2, heads=2, head=6, hidden=2)
    return roformer.mel(**(sizes if full else tiny | more))


def of_mdx23c(n_fft, hop, samples, instruments, **model):
    told = settings(dict(bottleneck_factor=4, **model), samples, instruments)
    told["audio"] |= dict(n_fft=n_fft, hop_length=hop)
    return told


def mdx(full, **more):
    # Of the published MDX23C-InstVoc HQ.
    sizes = dict(bins=4096, subbands=4, levels=5, blocks=2, channels=128, growth=128, narrowing=4, stems=2)
    tiny = dict(bins=32, subbands=2, levels=2, blocks=1, channels=4, growth=2, narrowing=2, stems=2)
    return mdx23c.Mdx23c(**(sizes if full else tiny) | more)


# Of the published SCNet and SCNet-large: their shares of the bins, strides, kernels and branches.
SCNET_BANDS = [(0.175, 1, 3, 3), (0.392, 4, 4, 2), (0.433, 16, 16, 1)]
LARGE_BANDS = [(share, *rest) for share, (_, *rest) in zip((0.225, 0.372, 0.403), SCNET_BANDS)]
SMALL_BANDS = [(0.3, 1, 3, 2), (0.3, 2, 2, 1), (0.4, 3, 5, 1)]


def of_scnet(n_fft, hop, samples, instruments, bands, **model):
    shares, strides, kernels, _ = map(list, zip(*bands))
    said = dict(sources=instruments, audio_channels=2, dims=[4, 4, 8], nfft=n_fft, hop_size=hop, win_size=n_fft, normalized=True)
    told = settings(said | dict(band_SR=shares, band_stride=strides, band_kernel=kernels) | model, samples, instruments)
    told["inference"]["num_overlap"] = 4
    return told


def sc(full, **more):
    sizes = dict(channels=[4, 32, 64, 128], bands=SCNET_BANDS, layers=6, stems=4)
    tiny = dict(channels=[4, 4, 8], bands=SMALL_BANDS, layers=2, stems=4, narrowing=2)
    return scnet.Scnet(**(sizes if full else tiny) | more)


def save_plain(model, path):
    torch.save(model.state_dict(), path)


def save_half(model, path):
    """In half precision; the network is given the values that are saved."""
    model.half().float()
    torch.save({name: tensor.half() for name, tensor in model.state_dict().items()}, path)


def save_within(model, path):
    """As a part of what trained it."""
    torch.save({"epoch": 3, "state_dict": {f"model.{name}": tensor for name, tensor in model.state_dict().items()}}, path)


def save_safe(model, path):
    save_file({name: tensor.clone() for name, tensor in model.state_dict().items()}, path)


BS_SIZES = lambda full: (2048, 441, 352800) if full else (32, 8, 96)
MDX_SIZES = lambda full: (8192, 1024, 261120) if full else (64, 16, 176)
SCNET_SIZES = lambda full: (4096, 1024, 485100) if full else (64, 16, 150)
MEL_SIZES = lambda full: (2048, 441, 352800) if full else (64, 16, 200)

# By name: the network, how it is saved and as which file, its settings, and the axes of what it hears (bins, frames).
CASES = {
    "BS-RoFormer": (bs, save_plain, "bs.ckpt", lambda full: of_roformer(*BS_SIZES(full), ["vocals", "other"], "vocals")),
    "Mel-Band RoFormer": (mel, save_within, "mel.ckpt", lambda full: of_roformer(*MEL_SIZES(full), ["vocals", "other"], "vocals", num_bands=60 if full else 6)),
    "BS-RoFormer, four stems, skips, half precision": (
        lambda full: bs(full, **({} if full else dict(stems=4, depths=(2, 1), skips=True, silences_lowest=False))),
        save_half,
        "bs_stems.ckpt",
        lambda full: of_roformer(*BS_SIZES(full), *((["vocals", "other"], "vocals") if full else (STEMS,)), **({} if full else dict(skip_connection=True, zero_dc=False))),
    ),
    "Mel-Band RoFormer, two stems": (
        lambda full: mel(full, **({} if full else dict(stems=2, depth=1))),
        save_safe,
        "mel_stems.safetensors",
        lambda full: of_roformer(*MEL_SIZES(full), ["vocals", "other"], "other" if full else None, num_bands=60 if full else 6),
    ),
    "MDX23C": (mdx, save_plain, "mdx23c.ckpt", lambda full: of_mdx23c(*MDX_SIZES(full), ["Vocals", "Instrumental"], norm="InstanceNorm", act="gelu")),
    "MDX23C, four stems, statistics, half precision": (
        lambda full: mdx(full, norm="BatchNorm", act="elu0.5", **({} if full else dict(stems=4, subbands=1, scale=(3, 2)))),
        save_half,
        "mdx23c_stems.ckpt",
        lambda full: of_mdx23c(*MDX_SIZES(full), ["vocals", "other"] if full else STEMS, norm="BatchNorm", act="elu0.5")
        | ({} if full else {"inference": {"chunk_size": 16 * 8}}),
    ),
    "SCNet": (sc, save_plain, "scnet.ckpt", lambda full: of_scnet(*SCNET_SIZES(full), STEMS, SCNET_BANDS if full else SMALL_BANDS)),
    "SCNet-large, two stems, more units, half precision": (
        lambda full: sc(full, stems=2, **(dict(channels=[4, 64, 128, 256], bands=LARGE_BANDS) if full else dict(layers=4, kernel=5, hidden=2))),
        save_half,
        "scnet_stems.ckpt",
        lambda full: of_scnet(*SCNET_SIZES(full), ["vocals", "other"], LARGE_BANDS if full else SMALL_BANDS, normalized=False),
    ),
    "SCNet with masks": (
        lambda full: sc(full, masked_bins=2049 if full else 33),
        save_within,
        "scnet_masked.ckpt",
        lambda full: of_scnet(*SCNET_SIZES(full), STEMS, SCNET_BANDS if full else SMALL_BANDS),
    ),
}


def shape(told, model):
    """The shape of what a network hears that has these settings."""
    audio = told["audio"] | told["inference"]
    if "n_fft" in audio:
        bins = model.first_conv.in_channels // 4 * model.encoder_blocks[0].tfc_tdf.blocks[0].tdf[2].in_features
        return 4, bins, 1 + audio["chunk_size"] // audio["hop_length"]
    model = told["model"]
    if "nfft" in model:
        hops = told["audio"]["chunk_size"] // model["hop_size"] + 1
        return 4, model["nfft"] // 2 + 1, 1 + hops + (hops + 1) % 2
    return 2 * (model["stft_n_fft"] // 2 + 1), 1 + told["audio"]["chunk_size"] // model["stft_hop_length"], 2


def write(name, full, seed, folder):
    """Makes a case's files; gives them, the network, and the shape of what it hears."""
    make, save, file, tell = CASES[name]
    model, told = varied(make(full), seed), tell(full)
    if full and hasattr(model, "mask_layer"):
        # Random weights of this size give hundreds before they are bent to masks, of which torch itself is off by 2e-4 in single precision.
        with torch.no_grad():
            model.mask_layer[2].weight *= 0.02
    save(model, folder / file)
    config = (folder / file).with_suffix(".yaml")
    config.write_text("\n".join(as_yaml(told)) + "\n")
    return [folder / file, config], model, shape(told, model)
