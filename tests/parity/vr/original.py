"""VR models as python-audio-separator 0.47.1 has them: its networks with random weights, and its way from a recording to the stem that the
mask lets through."""

import logging
import sys
import types
from pathlib import Path

import librosa
import numpy
import soundfile
import torch

# python-audio-separator imports a converter that it needs only for other models.
sys.modules.setdefault("onnx2torch", types.SimpleNamespace(convert=None))

from audio_separator.separator.architectures.vr_separator import VRSeparator
from audio_separator.separator.uvr_lib_v5 import spec_utils
from audio_separator.separator.uvr_lib_v5.vr_network import nets, nets_new
from audio_separator.separator.uvr_lib_v5.vr_network.model_param_init import ModelParameters

LOG = logging.getLogger("parity")
LOG.setLevel(logging.ERROR)
# Between bands, sound goes down and up by one filter here. The original has it for the way down, and on some machines for the way up.
spec_utils.wav_resolution = "polyphase"


def parameters(bands):
    """The parameters of bands, all of which are made by the same filter."""
    found = ModelParameters(str(Path(nets.__file__).parent / "modelparams" / f"{bands}.json"))
    for band in found.param["band"].values():
        band["res_type"] = "polyphase"
    return found


def varied(network, seed):
    """Random weights whose masks are spread."""
    torch.manual_seed(seed)
    with torch.no_grad():
        for name, buffer in network.named_buffers():
            if name.endswith("running_mean"):
                buffer.normal_(0, 0.1)
            elif name.endswith("running_var"):
                buffer.uniform_(0.5, 1.5)
        for name, parameter in network.named_parameters():
            if parameter.dim() > 1:
                parameter.normal_(0, 1.5 * parameter[0].numel() ** -0.5)
            elif name.endswith("weight"):
                parameter.uniform_(0.8, 1.2)
            else:
                parameter.normal_(0, 0.1)
    return network.eval()


def older(bands, channels, layers=5):
    """A network from before version 5.1, of so many channels in each stage and so many layers at the bottom of each part."""
    kind = {5: 123821, 6: 129605, 7: 537238}[layers]
    one, two, three = channels
    sizes = [(2, one), (2, one), (2 + one, two, 1, 1, 0), (two, 2 * two), (2 + one + 2 * two, 2 * two, 1, 1, 0), (2 * two, three)]
    outputs = [(three, 2, 1), (one, 2, 1), (2 * two, 2, 1)]
    return nets.CascadedASPPNet(parameters(bands).param["bins"] * 2, sizes + outputs, kind)


def newer(bands, channels, recurrent):
    """A network of version 5.1."""
    return nets_new.CascadedNet(parameters(bands).param["bins"] * 2, 56817, nout=channels, nout_lstm=recurrent)


def published(bands, kind):
    """A network from before version 5.1 of the size that some published ones have."""
    return nets.determine_model_capacity(parameters(bands).param["bins"] * 2, kind)


def split_of(bands, aggression):
    """How the mask of a network is bent."""
    return {"value": aggression / 100, "split_bin": parameters(bands).param["band"][1]["crop_stop"], "aggr_correction": None}


def separated(network, bands, sound, folder, *, stem, aggression, window, turned):
    """What the mask of a network lets through of a sound `[2, L]` at the rate of the bands, or what it takes away."""
    given = parameters(bands)
    soundfile.write(folder / "mix.wav", sound.T, given.param["sr"], subtype="FLOAT")
    separator = VRSeparator.__new__(VRSeparator)
    separator.logger, separator.model_params, separator.model_run = LOG, given, network
    separator.audio_file_path, separator.wav_subtype = str(folder / "mix.wav"), "FLOAT"
    separator.is_vr_51_model = isinstance(network, nets_new.CascadedNet)
    separator.high_end_process = separator.enable_tta = separator.enable_post_process = False
    separator.torch_device_mps, separator.batch_size, separator.window_size = None, 1, window
    separator.primary_stem_name = stem
    let_through, taken_away = separator.inference_vr(separator.loading_mix(), torch.device("cpu"), split_of(bands, aggression))
    return separator.spec_to_wav(taken_away if turned else let_through)


def mask_of(network, bands, magnitudes, *, stem, aggression, turned):
    """The mask of a window of magnitudes `[2, bins, frames]`, its uncertain ends included, bent and turned."""
    with torch.no_grad():
        mask = network.forward(torch.from_numpy(magnitudes[None]))[0, :, : magnitudes.shape[1]].numpy()
    mask = spec_utils.adjust_aggr(mask, stem in VRSeparator.NON_ACCOM_STEMS, split_of(bands, aggression))
    return 1 - mask if turned else mask
