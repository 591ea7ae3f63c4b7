"""Every form of a VR model: its network, its bands, and what is said of it at its import."""

from dataclasses import dataclass

import original

SMALL = (2, 1, 2)


@dataclass
class Case:
    """A form."""

    bands: str
    small: object
    """Makes its network with few channels."""
    full: object
    """Makes it with the channels of a published one."""
    stems: str = "backing"
    stem: str = "Instrumental"
    """The original's name for what the mask lets through."""
    turned: bool = True
    """Whether the separator estimates what the mask takes away."""
    window: int = 512
    aggression: int = 5
    golden: str | None = None
    """The name of its files in the suite, if it is there."""

    @property
    def facts(self):
        more = {"frames": self.window} if self.window != 512 else {}
        more |= {"aggression": self.aggression} if self.aggression != 5 else {}
        return {"vr_model_param": self.bands, "stems": self.stems} | more


def older(bands, kind, layers=5, **more):
    return Case(bands, lambda: original.older(bands, SMALL, layers), lambda: original.published(bands, kind), **more)


def newer(bands, channels=32, recurrent=128, **more):
    return Case(bands, lambda: original.newer(bands, 4, 4), lambda: original.newer(bands, channels, recurrent), **more)


CASES = {
    "one band": older("1band_sr44100_hl512", 123821),
    "two bands at 32 kHz, bins above them": older("2band_32000", 31191, golden="vr_older", window=288),
    "three bands": older("3band_44100", 123812, window=1024),
    "three bands, mid and side": older("3band_44100_mid", 123821, stems="vocals", stem="Vocals", turned=False),
    "three bands, half sides, karaoke": older("3band_44100_msb2", 123821, stems="no-lead"),
    "four bands, six layers": older("4band_44100", 129605, 6),
    "four bands, seven layers": older("4band_v2", 537238, 7, aggression=0),
    "four bands, 5.1, against reverb": newer("4band_v3", stems="no-reverb", stem="No Reverb", turned=False, golden="vr_newer", window=160),
    "four bands, 5.1, crossfeed": newer("4band_v3_sn", 64, stems="vocals", stem="Vocals", turned=False, window=320),
    "one band, 5.1, against noise": newer("1band_sr44100_hl1024", 16, stems="noise", stem="Noise", aggression=20),
}
