use super::decoders::{DecoderKind, mrf_blocks, refine_rates};
use crate::asked::{NONE_OF_THEM, cannot_be};
use crate::drawing::{DrawFault, Weights};
use crate::{Question, Why};

/// The largest number of samples for a frame of 10 ms; 1,920 is a rate of 192 kHz.
pub(super) const MAX_UPP: u64 = 1_920;
pub(super) const FRAMES_PER_S: u64 = 100;
/// The question that is asked when the weights fit several rates.
pub(super) const RATE_QUESTION: &str = "sample_rate";

/// What the original's decoders look like: the rates at which their stages upsample, and their kernels. (RVC's and Applio's
/// `configs/`.)
pub(super) const DECODERS: [(&[u64], &[u64]); 6] = [
    (&[10, 10, 2, 2], &[16, 16, 4, 4]),
    (&[10, 6, 2, 2, 2], &[16, 16, 4, 4, 4]),
    (&[12, 10, 2, 2], &[24, 20, 4, 4]),
    (&[10, 4, 2, 2, 2], &[16, 16, 4, 4, 4]),
    (&[10, 8, 2, 2], &[20, 16, 4, 4]),
    (&[10, 6, 2, 2], &[20, 12, 4, 4]),
];

/// The dimensions of a voice's network. All that the shapes of the weights tell is taken from them, for what a checkpoint
/// says about itself is often wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Architecture {
    /// Length of a content vector: 256 or 768.
    pub(super) content: u64,
    /// Channels inside the text encoder and the flow.
    pub(super) hidden: u64,
    /// Channels between the parts, and of the prior noise.
    pub(super) inter: u64,
    /// Channels of the text encoder's feed-forward layers.
    pub(super) filter: u64,
    /// Layers of the text encoder.
    pub(super) layers: usize,
    /// Heads of its attention.
    pub(super) heads: u64,
    /// Kernel of its feed-forward layers.
    pub(super) filter_kernel: u64,
    /// Distance over which its attention knows the position of a neighbour.
    pub(super) window: u64,
    /// Whether the voice is told the pitch.
    pub(super) pitch: bool,
    /// Length of a speaker's vector.
    pub(super) speaker: u64,
    /// Number of speakers.
    pub(super) speakers: u64,
    /// Number of coupling layers of the flow.
    pub(super) flows: usize,
    /// Layers of the network inside each.
    pub(super) flow_layers: usize,
    /// Kernel of these layers.
    pub(super) flow_kernel: u64,
    /// What the decoder is.
    pub(super) decoder: DecoderKind,
    /// Channels that the decoder begins with; each stage halves them.
    pub(super) initial: u64,
    /// The stages of the decoder: how much each upsamples.
    pub(super) rates: Vec<u64>,
    /// Their kernels.
    pub(super) kernels: Vec<u64>,
    /// The residual blocks behind each stage: kernel and dilations.
    pub(super) blocks: Vec<Block>,
    /// Whether a residual block has a second convolution behind each dilated one.
    pub(super) paired: bool,
}

/// A residual block of the decoder: its kernel and its dilations.
pub(super) type Block = (u64, Vec<u64>);

/// What the weights do not tell: as the checkpoint has it, or nothing for a training file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Declared {
    /// The rates at which the decoder's stages upsample.
    pub(super) rates: Option<Vec<i64>>,
    /// The dilations of each residual block.
    pub(super) dilations: Option<Vec<Vec<i64>>>,
    /// Bins of the spectra that it was trained on, where a training file says them.
    pub(super) spectrum: Option<u64>,
    /// What the checkpoint calls its decoder.
    pub(super) decoder: Option<String>,
    /// The rate that the checkpoint says it speaks at.
    pub(super) rate_said: Option<i64>,
    /// An answer to the question of the rate, as a person gave it.
    pub(super) sample_rate: Option<String>,
}

impl Declared {
    /// Whether the spectra that it was trained on are those of voices at this rate: RVC's transforms have 1,024 samples at 32 kHz and
    /// 2,048 above (`configs/`). A checkpoint that does not tell them may be at any rate.
    fn may_be_at(&self, sample_rate_hz: u64) -> bool {
        const BINS: u64 = 513;
        self.spectrum
            .is_none_or(|bins| (bins == BINS) == (sample_rate_hz <= 32_000))
    }
}

impl Architecture {
    /// Reads the dimensions off the weights.
    pub(super) fn of(weights: &Weights, declared: &Declared) -> Result<Self, DrawFault> {
        let [hidden, content] = weights.dims("enc_p.emb_phone.weight")?;
        let [twice_inter, _, _] = weights.conv_dims("enc_p.proj")?;
        let [filter, _, filter_kernel] = weights.conv_dims("enc_p.encoder.ffn_layers.0.conv_1")?;
        let [_, positions, head] = weights.dims("enc_p.encoder.attn_layers.0.emb_rel_k")?;
        let [speakers, speaker] = weights.dims("emb_g.weight")?;
        let [_, _, flow_kernel] = weights.conv_dims("flow.flows.0.enc.in_layers.0")?;
        let decoder = DecoderKind::of(weights, declared.decoder.as_deref())?;
        let initial = decoder.initial(weights)?;
        let pitch = weights.find("enc_p.emb_pitch.weight").is_some();
        if ![256, 768].contains(&content) {
            let reason = format!(
                "wants content vectors of {content} channels; voices of RVC want 256 or 768"
            );
            return Err(DrawFault::refused(reason));
        }
        if !hidden.is_multiple_of(head)
            || positions.is_multiple_of(2)
            || !twice_inter.is_multiple_of(4)
        {
            let reason = "has layers whose shapes do not go together".to_owned();
            return Err(DrawFault::refused(reason));
        }
        let (kernels, rates) = if decoder == DecoderKind::Refine {
            (Vec::new(), refine_rates(weights, initial, declared)?)
        } else {
            let kernels = decoder_kernels(weights, decoder.upsamplers())?;
            let rates = decoder_rates(weights, &kernels, pitch, declared)?;
            (kernels, rates)
        };
        let (blocks, paired) = match decoder {
            DecoderKind::HiFi => blocks(weights, kernels.len(), declared)?,
            DecoderKind::Mrf => (mrf_blocks(weights, declared)?, true),
            DecoderKind::Refine => (Vec::new(), true),
        };
        let architecture = Self {
            content,
            hidden,
            inter: twice_inter / 2,
            filter,
            layers: weights.count("enc_p.encoder.attn_layers.", 1, |weights, layer| {
                weights.has_conv(&format!("{layer}.conv_q"))
            }),
            heads: hidden / head,
            filter_kernel,
            window: positions / 2,
            pitch,
            speaker,
            speakers,
            flows: weights.count("flow.flows.", 2, |weights, flow| {
                weights.has_conv(&format!("{flow}.pre"))
            }),
            flow_layers: weights.count("flow.flows.0.enc.in_layers.", 1, Weights::has_conv),
            flow_kernel,
            decoder,
            initial,
            rates,
            kernels,
            blocks,
            paired,
        };
        Ok(architecture)
    }

    /// Samples for a frame of 10 ms.
    pub(super) fn upp(&self) -> u64 {
        self.rates.iter().product()
    }

    /// The rate of the sound that comes out.
    pub(super) fn sample_rate_hz(&self) -> u64 {
        self.upp() * FRAMES_PER_S
    }

    /// How many samples a frame is long behind a stage of the decoder.
    pub(super) fn rate_behind(&self, stage: usize) -> u64 {
        self.rates[stage + 1..].iter().product()
    }

    /// Channels behind a stage of the decoder.
    pub(super) fn channels_behind(&self, stage: usize) -> u64 {
        self.initial >> (stage + 1)
    }
}

fn decoder_kernels(weights: &Weights, prefix: &str) -> Result<Vec<u64>, DrawFault> {
    let stages = weights.count(prefix, 1, Weights::has_conv);
    if !(1..=8).contains(&stages) {
        let reason = "has a decoder that is neither RVC's (HiFi-GAN) nor one of Applio's (MRF HiFi-GAN, RefineGAN)";
        return Err(DrawFault::refused(reason.to_owned()));
    }
    (0..stages)
        .map(|stage| Ok(weights.conv_dims(&format!("{prefix}{stage}"))?[2]))
        .collect()
}

/// The rates of the decoder's stages: as declared when they fit the weights, or those of the one known decoder that does.
fn decoder_rates(
    weights: &Weights,
    kernels: &[u64],
    pitch: bool,
    declared: &Declared,
) -> Result<Vec<u64>, DrawFault> {
    if let Some(rates) = &declared.rates {
        let rates = rates.iter().map(|rate| u64::try_from(*rate).ok());
        let rates: Option<Vec<u64>> = rates.collect();
        let rates = rates.filter(|rates| rates_fit(weights, rates, kernels, pitch));
        return rates.ok_or_else(|| {
            let reason = "says that its decoder upsamples in a way that does not fit its weights";
            DrawFault::refused(reason.to_owned())
        });
    }
    let fitting = DECODERS
        .iter()
        .filter(|(rates, known)| *known == kernels && rates_fit(weights, rates, kernels, pitch));
    let mut fitting: Vec<&[u64]> = fitting.map(|(rates, _)| *rates).collect();
    if fitting.len() > 1 {
        let rate_of = |rates: &[u64]| rates.iter().product::<u64>() * FRAMES_PER_S;
        fitting.retain(|rates| declared.may_be_at(rate_of(rates)));
    }
    if fitting.is_empty() {
        return Err(DrawFault::refused(format!(
            "has a decoder with kernels {kernels:?}, which no release of RVC has"
        )));
    }
    one_of(&fitting, declared)
}

/// Chooses among several rates of the stages that fit: a person has to say the rate that the voice speaks at.
pub(super) fn one_of(fitting: &[&[u64]], declared: &Declared) -> Result<Vec<u64>, DrawFault> {
    let rate_of = |rates: &[u64]| rates.iter().product::<u64>() * FRAMES_PER_S;
    match fitting {
        [rates] => Ok(rates.to_vec()),
        several => {
            let answer = declared.sample_rate.as_deref().map(str::trim);
            let rates: Vec<String> = several
                .iter()
                .map(|rates| rate_of(rates).to_string())
                .collect();
            let said = rates.iter().position(|rate| Some(rate.as_str()) == answer);
            match said {
                Some(place) => Ok(several[place].to_vec()),
                None => Err(DrawFault::Question(rate_question(answer, rates))),
            }
        }
    }
}

/// Asks for the rate; anew, where the answer is none that fits.
fn rate_question(answer: Option<&str>, allowed: Vec<String>) -> Question {
    let text = "Samples per second that it speaks at.";
    let (why, text) = match answer {
        Some(said) => (Why::Wrong, cannot_be(said, NONE_OF_THEM, text)),
        None => (Why::Unsaid, text.to_owned()),
    };
    Question {
        name: RATE_QUESTION.to_owned(),
        why,
        text,
        allowed,
    }
}

/// Whether stages of these rates go with the weights: each makes its input exactly so many times as long, and the branch of
/// the sine source, which a voice with pitch has, arrives at the same length.
fn rates_fit(weights: &Weights, rates: &[u64], kernels: &[u64], pitch: bool) -> bool {
    let whole = |(rate, kernel): (&u64, &u64)| {
        (1..=MAX_UPP).contains(rate) && kernel >= rate && (kernel - rate).is_multiple_of(2)
    };
    if rates.len() != kernels.len() || !rates.iter().zip(kernels).all(whole) {
        return false;
    }
    let product = rates
        .iter()
        .try_fold(1_u64, |product, rate| product.checked_mul(*rate));
    if product.is_none_or(|upp| upp > MAX_UPP || upp * FRAMES_PER_S < 8_000) {
        return false;
    }
    let source_fits = |stage: usize| {
        let stride: u64 = rates[stage + 1..].iter().product();
        let kernel = weights.conv_dims(&format!("dec.noise_convs.{stage}"));
        kernel.is_ok_and(|[_, _, kernel]| match stride {
            1 => kernel == 1,
            // Applio takes one less where the stride is odd.
            stride => kernel == 2 * stride || kernel == 2 * stride - stride % 2,
        })
    };
    !pitch || (0..rates.len()).all(source_fits)
}

/// The residual blocks behind the decoder's stages: kernels from the weights, dilations as declared or the original's.
fn blocks(
    weights: &Weights,
    stages: usize,
    declared: &Declared,
) -> Result<(Vec<Block>, bool), DrawFault> {
    let strange = || DrawFault::refused("has residual blocks that are not RVC's".to_owned());
    let paired = weights.has_conv("dec.resblocks.0.convs1.0");
    let convs = if paired { "convs1" } else { "convs" };
    let count = weights.count("dec.resblocks.", 1, |weights, block| {
        weights.has_conv(&format!("{block}.{convs}.0"))
    });
    if count == 0 || !count.is_multiple_of(stages) {
        return Err(strange());
    }
    let each = count / stages;
    let mut blocks = Vec::with_capacity(each);
    for block in 0..each {
        let prefix = format!("dec.resblocks.{block}.{convs}.");
        let [_, _, kernel] = weights.conv_dims(&format!("{prefix}0"))?;
        let layers = weights.count(&prefix, 1, Weights::has_conv);
        let dilations: Vec<i64> = match &declared.dilations {
            Some(dilations) => dilations.get(block).cloned().unwrap_or_default(),
            None => [1, 3, 5].into_iter().take(layers).collect(),
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
    Ok((blocks, paired))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spectra_of_training_tell_32_khz_from_48() {
        let declared = |spectrum| Declared {
            spectrum,
            ..Declared::default()
        };
        let rates = |spectrum| [32_000, 48_000].map(|rate| declared(spectrum).may_be_at(rate));
        assert_eq!(rates(Some(513)), [true, false]);
        assert_eq!(rates(Some(1_025)), [false, true]);
        assert_eq!(rates(None), [true, true]);
    }
}
