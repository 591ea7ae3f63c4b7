use super::architecture::{Block, DECODERS, Declared, FRAMES_PER_S, MAX_UPP, one_of};
use crate::drawing::{DrawFault, Weights};

/// The decoders that are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DecoderKind {
    /// HiFi-GAN, RVC's own.
    HiFi,
    /// Applio's MRF HiFi-GAN: more of its weights are normalised, and nine harmonics lead it.
    Mrf,
    /// Applio's `RefineGAN` ("`RefineGAN`: Universally Generating Waveform Better than Ground Truth with Highly Accurate Pitch and
    /// Intensity Responses", Xu and others 2021), as it is since August 2025.
    Refine,
}

impl DecoderKind {
    /// Tells the decoder by its weights; what the checkpoint calls it must agree, since a voice with the wrong decoder is noise.
    pub(super) fn of(weights: &Weights, said: Option<&str>) -> Result<Self, DrawFault> {
        let kind = if weights.has_conv("dec.mrfs.0.0.layers.0.conv1") {
            Self::Mrf
        } else if weights.has_conv("dec.upsample_conv_blocks.0.input_conv") {
            if !weights.has_conv("dec.pre_conv") || weights.find(REFINE_SOURCE).is_none() {
                let reason = "has a RefineGAN of an earlier release of Applio, whose network is another than that since \
                              3.3.0 (August 2025); only that is supported";
                return Err(DrawFault::refused(reason.to_owned()));
            }
            Self::Refine
        } else {
            Self::HiFi
        };
        match said.filter(|said| *said != kind.name()) {
            Some(said) => Err(DrawFault::refused(format!(
                "says that its decoder is {said:?}, and its weights are those of {}",
                kind.name()
            ))),
            None => Ok(kind),
        }
    }

    /// What Applio calls it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::HiFi => "HiFi-GAN",
            Self::Mrf => "MRF HiFi-GAN",
            Self::Refine => "RefineGAN",
        }
    }

    /// What the names of the layers that make the sound longer begin with.
    pub(super) fn upsamplers(self) -> &'static str {
        match self {
            Self::Mrf => "dec.upsamples.",
            _ => "dec.ups.",
        }
    }

    /// Channels that it begins with.
    pub(super) fn initial(self, weights: &Weights) -> Result<u64, DrawFault> {
        let [channels, _, _] = match self {
            Self::Refine => weights.conv_dims("dec.mel_conv")?,
            _ => weights.conv_dims("dec.conv_pre")?,
        };
        // The other half comes from the sine source.
        let halves = if self == Self::Refine { 2 } else { 1 };
        Ok(channels.saturating_mul(halves))
    }

    /// Whether a convolution's weights are trained as length and direction: those of the flow's networks, and of the decoder what is
    /// listed here (`weight_norm` in `infer/lib/infer_pack/modules.py` and `models.py`, and in Applio's
    /// `rvc/lib/algorithm/generators`).
    pub(super) fn is_normed(self, prefix: &str) -> bool {
        const FLOW: [&str; 3] = [
            ".enc.in_layers.",
            ".enc.res_skip_layers.",
            ".enc.cond_layer",
        ];
        let of_decoder: &[&str] = match self {
            Self::HiFi => &["dec.ups.", "dec.resblocks."],
            Self::Mrf => &[
                "dec.upsamples.",
                "dec.mrfs.",
                "dec.conv_pre",
                "dec.conv_post",
            ],
            Self::Refine => &[
                "dec.pre_conv",
                "dec.mel_conv",
                "dec.downsample_blocks.",
                "dec.conv_post",
            ],
        };
        let in_block = self == Self::Refine && prefix.contains(".convs");
        let of_flow = prefix.starts_with("flow.") && FLOW.iter().any(|part| prefix.contains(part));
        of_flow || in_block || of_decoder.iter().any(|part| prefix.starts_with(part))
    }
}

/// The weight that a `RefineGAN` scales its sine by.
pub(super) const REFINE_SOURCE: &str = "dec.m_source.merge.0.weight";

/// The blocks behind each stage of an MRF `HiFi-GAN`: kernels from the weights, dilations as declared or the original's.
pub(super) fn mrf_blocks(weights: &Weights, declared: &Declared) -> Result<Vec<Block>, DrawFault> {
    let strange = || DrawFault::refused("has residual blocks that are not Applio's".to_owned());
    let count = weights.count("dec.mrfs.0.", 1, |weights, block| {
        weights.has_conv(&format!("{block}.layers.0.conv1"))
    });
    let mut blocks = Vec::with_capacity(count);
    for block in 0..count {
        let prefix = format!("dec.mrfs.0.{block}.layers.");
        let [_, _, kernel] = weights.conv_dims(&format!("{prefix}0.conv1"))?;
        let layers = weights.count(&prefix, 1, |weights, layer| {
            weights.has_conv(&format!("{layer}.conv1"))
        });
        let dilations = match &declared.dilations {
            Some(dilations) => dilations.get(block).cloned().unwrap_or_default(),
            None => vec![1, 3, 5],
        };
        let dilations: Vec<u64> = dilations
            .into_iter()
            .filter_map(|dilation| u64::try_from(dilation).ok())
            .filter(|dilation| (1..=64).contains(dilation))
            .collect();
        if dilations.len() != layers || kernel.is_multiple_of(2) {
            return Err(strange());
        }
        blocks.push((kernel, dilations));
    }
    if blocks.is_empty() {
        Err(strange())
    } else {
        Ok(blocks)
    }
}

/// The rates of the stages of a `RefineGAN`, of which its weights say no more than how many there are.
pub(super) fn refine_rates(
    weights: &Weights,
    initial: u64,
    declared: &Declared,
) -> Result<Vec<u64>, DrawFault> {
    let stages = weights.count("dec.upsample_conv_blocks.", 1, |weights, stage| {
        weights.has_conv(&format!("{stage}.input_conv"))
    });
    let [source, _, _] = weights.conv_dims("dec.pre_conv")?;
    // Each stage of the branch of the sine doubles its channels, until they are as many as those of the other.
    let doubled = u32::try_from(stages).ok().filter(|stages| *stages <= 8);
    let doubled = doubled.and_then(|stages| source.checked_mul(2 << stages));
    if doubled != Some(initial) || initial == 0 {
        let reason = "has a RefineGAN whose channels do not go together";
        return Err(DrawFault::refused(reason.to_owned()));
    }
    let Some(rates) = &declared.rates else {
        let known = DECODERS.iter().map(|(rates, _)| *rates);
        let known: Vec<&[u64]> = known.filter(|rates| rates.len() == stages).collect();
        return match &known[..] {
            [] => Err(DrawFault::refused(format!(
                "has a RefineGAN of {stages} stages, which no release of Applio has"
            ))),
            known => one_of(known, declared),
        };
    };
    let rates = rates.iter().map(|rate| u64::try_from(*rate).ok());
    let rates: Option<Vec<u64>> = rates.collect();
    let product = |rates: &[u64]| {
        let mut rates = rates.iter();
        rates.try_fold(1_u64, |product, rate| product.checked_mul(*rate))
    };
    let fits = |rates: &Vec<u64>| {
        rates.len() == stages
            && product(rates).is_some_and(|upp| {
                (80..=MAX_UPP).contains(&upp)
                    && declared
                        .rate_said
                        .is_none_or(|said| u64::try_from(said) == Ok(upp * FRAMES_PER_S))
            })
    };
    rates.filter(fits).ok_or_else(|| {
        let reason =
            "says that its decoder upsamples in a way that does not fit its weights or its rate";
        DrawFault::refused(reason.to_owned())
    })
}
