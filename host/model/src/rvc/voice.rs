use std::sync::Arc;

use crate::content::ContentEncoder;
use crate::decoder::{Decoder, Speech};
use crate::f0::{F0Estimator, SILENCE_RATIO};
use crate::gate::Gate;
use crate::index::Index;
use crate::lanes::in_order;
use crate::level::{Levels, envelope_point, envelope_points};
use crate::output::{OUTPUT_BLOCK_FRAMES, PITCH_SHARE, output_frames, pass_on};
use crate::parts::VoiceParts;
use crate::pitch::{shift_factor, suggested_shift};
use crate::source::{Sound, Source, reflect};
use crate::volume::VolumeMix;
use crate::{ConversionParameters, Converted, Framing, ModelError, Package, Runtime, VoiceKnobs};
use vocalhost_audio::{Block, Spool};
use vocalhost_system::work::Part;

use super::cuts::{HOP, cut_points, pad_samples};
use super::fill::fill_unvoiced;
use super::high_pass::HighPassed;
use super::plan::{Piece, Plan};
use super::protect::{protect, protects};
use super::recording::Padded;
use super::seam::Seam;
use super::{Profile, Rvc};

/// Samples that are filtered at a time while levels are measured.
const MEASURED_SAMPLES: usize = 1 << 17;

/// A voice of RVC with its encoder and estimator, run in the pipeline of the releases around 2.2, or that of 2.3.
///
/// The steps are those of `pipeline.py`: peak guard, high-pass, cuts at quiet places, mirrored padding, pitch over the whole, content at 50
/// Hz, retrieval, each vector twice, protection of unvoiced frames, the network, and the loudness mix. `exact_length` and `cross_fade` of
/// the manifest allow deviations. Besides, for every estimator, frames in which nothing sounds are unvoiced, and pYIN gets the recording
/// before the high-pass, whose ringing where sound stops it would take for a pitch. Memory depends on the length of a piece, plus a few
/// bytes per frame of 10 ms.
/// per frame of 10 ms.
pub(crate) struct RvcVoice {
    content: ContentEncoder,
    f0: Option<F0Estimator>,
    index: Option<Arc<Index>>,
    decoder: Decoder,
    facts: Rvc,
    framing: Framing,
    mean_f0_hz: f64,
    output_rate_hz: u32,
    threads: usize,
    /// Whether the voice is muted where the recording is silent. The original has no such gate.
    is_gated: bool,
}

/// What is known of a recording before the voice is decoded.
struct Heard<'s> {
    sound: &'s HighPassed<'s>,
    levels: Levels,
    plan: Plan,
    /// Pitch of the padded recording; empty for voices that take none.
    f0_hz: Vec<f32>,
    converted: Converted,
}

impl RvcVoice {
    /// Loads a voice and its parts. `convert` works on `threads` pieces side by side.
    pub(crate) fn load(
        runtime: &Runtime,
        voice: &Package,
        parts: VoiceParts<'_>,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let manifest = voice.manifest();
        let decoder = Decoder::load(runtime, voice, threads)?;
        let format = parts.content.manifest().content.as_ref();
        let (Some(facts), Some(format)) = (manifest.rvc.clone(), format) else {
            return Err(ModelError::Inference {
                package: manifest.id.clone(),
                reason: "is not a voice of RVC".to_owned(),
            });
        };
        let f0 = facts
            .f0
            .then(|| F0Estimator::load(runtime, parts.f0, threads))
            .transpose()?;
        Ok(Self {
            content: ContentEncoder::load(runtime, parts.content, manifest, threads)?,
            f0,
            index: Index::load(runtime, voice)?,
            decoder,
            facts,
            framing: format.framing,
            mean_f0_hz: manifest
                .voice
                .as_ref()
                .map_or(0.0, |voice| voice.mean_f0_hz),
            output_rate_hz: manifest.audio.sample_rate_hz,
            threads: threads.max(1),
            is_gated: false,
        })
    }

    /// The same with a job's choices.
    pub(crate) fn with(mut self, knobs: &VoiceKnobs) -> Self {
        self.facts.protect = knobs.protect.unwrap_or(self.facts.protect);
        self.is_gated = knobs.silence_gate.unwrap_or(self.is_gated);
        if let Some(speaker) = knobs.speaker {
            self.decoder = self.decoder.speaking_as(speaker);
        }
        self
    }

    /// The rate of the sound that comes out.
    pub(crate) fn output_rate_hz(&self) -> u32 {
        self.output_rate_hz
    }

    /// Converts a mono recording at 16 kHz. The blocks that `sink` gets make up [`output_frames`].
    pub(crate) fn convert<E: From<ModelError>>(
        &self,
        source: &Spool,
        parameters: &ConversionParameters,
        sink: &mut dyn FnMut(Block) -> Result<(), E>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Converted, E> {
        if source.frames() == 0 {
            return Ok(Converted::default());
        }
        let sound = HighPassed::new(source);
        let heard = self.hear(source, &sound, parameters, progress)?;
        let mut finish = self.finish(&heard, parameters)?;
        let mut room = output_frames(source, self.output_rate_hz);
        let pieces = &heard.plan.pieces;
        let mut passed = 0;
        let speak = |piece: &&_| self.speak(&heard, piece, parameters);
        in_order(self.threads, pieces, speak, |_, sound| {
            passed += 1;
            let mixed = Part::Join.count(|| {
                let joined = finish.seam.join(&sound, passed == pieces.len());
                finish.process(joined)
            });
            let count = room.min(mixed.len() as u64);
            room -= count;
            let done = passed as f64 / pieces.len() as f64;
            progress(PITCH_SHARE + (1.0 - PITCH_SHARE) * done);
            pass_on(&mixed[..count as usize], sink)
        })?;
        // The original's result is shorter than the recording.
        while room > 0 {
            let silence = vec![0.0; room.min(OUTPUT_BLOCK_FRAMES as u64) as usize];
            pass_on(&silence, sink)?;
            room -= silence.len() as u64;
        }
        Ok(heard.converted)
    }

    fn hear<'s>(
        &self,
        source: &Spool,
        sound: &'s HighPassed<'s>,
        parameters: &ConversionParameters,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Heard<'s>, ModelError> {
        let cuts = cut_points(sound, &self.facts.cuts)?;
        let pad = pad_samples(&self.facts.cuts);
        let exact = self.facts.exact_length;
        let plan = Plan::new(sound.len() as usize, &cuts, pad, self.framing, exact);
        let levels = Levels::measure(source)?;
        let (mut f0_hz, mut converted) = (Vec::new(), Converted::default());
        if let Some(estimator) = &self.f0 {
            // The originals give their estimators sound at its own level.
            let (gain, level_rms) = match estimator.level_rms() {
                Some(level_rms) => {
                    let rms = levels.sounding_rms();
                    let rms = rms.map_or(level_rms, |rms| rms * sound.gain());
                    (level_rms / rms, level_rms)
                }
                None => (1.0, 0.0),
            };
            let plain = Source::new(source, sound.gain());
            let heard: &dyn Sound = if estimator.hears_rumble() {
                &plain
            } else {
                sound
            };
            let padded = Padded::new(heard, plan.pad, plan.tail, gain);
            // A spectrogram with centred frames has one more frame than there are hops.
            let mut track = estimator.track(&padded, plan.frames + 1, level_rms, &mut |share| {
                progress(PITCH_SHARE * share);
            })?;
            unvoice_silence(&mut track, &levels, (plan.pad / HOP, sound.len()));
            let heard = &track[..plan.frames.min(track.len())];
            converted.suggested_pitch_shift = suggested_shift(heard, self.mean_f0_hz);
            if self.facts.profile == Profile::Rvc23 {
                fill_unvoiced(&mut track);
            }
            track.truncate(plan.frames);
            let factor = shift_factor(parameters.shift_by(converted));
            f0_hz = track.into_iter().map(|f0| f0 * factor).collect();
        }
        Ok(Heard {
            sound,
            levels,
            plan,
            f0_hz,
            converted,
        })
    }

    /// The sound of a piece, with its padding.
    fn speak(
        &self,
        heard: &Heard<'_>,
        piece: &Piece,
        parameters: &ConversionParameters,
    ) -> Result<Vec<f32>, ModelError> {
        let start = piece.heard.start as i64 - heard.plan.pad as i64;
        let samples = heard.sound.reflected(start, piece.heard.len())?;
        let mut content = self.content.encode_whole(samples)?;
        let width = self.content.width();
        let f0_hz = match self.f0 {
            Some(_) => &heard.f0_hz[piece.first_frame..][..piece.frames],
            None => &[],
        };
        let mut before = Vec::new();
        if let Some(index) = &self.index {
            if protects(self.facts.protect) && self.f0.is_some() {
                before = twice(&content, width, piece.frames);
            }
            index.blend(&mut content, width, parameters.conversion_strength);
        }
        let mut content = twice(&content, width, piece.frames);
        protect(&mut content, &before, width, f0_hz, self.facts.protect);
        self.decoder.speak(Speech {
            content,
            f0_hz,
            frames: piece.frames,
            first_frame: piece.first_frame,
            phase: 0.0,
            seed: parameters.seed,
        })
    }

    fn finish(
        &self,
        heard: &Heard<'_>,
        parameters: &ConversionParameters,
    ) -> Result<Finish, ModelError> {
        let upp = self.decoder.hop_samples();
        let pad = heard.plan.pad / HOP * upp;
        let mix = parameters.model_volume_mix;
        let envelope = if mix < 1.0 {
            envelope(heard.sound)?
        } else {
            Vec::new()
        };
        let total = heard.plan.output_samples(upp);
        let frames = (heard.sound.len() as usize).div_ceil(HOP);
        let levels = &heard.levels;
        Ok(Finish {
            seam: Seam::new(pad, self.output_rate_hz, self.facts.cross_fade),
            gate: self
                .is_gated
                .then(|| Gate::new(levels, levels.sounding_rms(), frames, upp)),
            joined: 0,
            volume: VolumeMix::new(envelope, mix, total, upp),
        })
    }
}

/// Finishes the network's sound: joins it, gates it if wanted, and mixes its loudness. The gate comes first, so that what the voice makes
/// of silence does not count as its loudness.
struct Finish {
    seam: Seam,
    gate: Option<Gate>,
    joined: u64,
    volume: VolumeMix,
}

impl Finish {
    fn process(&mut self, mut joined: Vec<f32>) -> Vec<f32> {
        if let Some(gate) = &self.gate {
            gate.apply(&mut joined, self.joined);
        }
        self.joined += joined.len() as u64;
        self.volume.process(joined)
    }
}

/// Unvoices frames in which nothing sounds: a pitch estimated there is not the voice's. `pad_frames` and the number of the recording's
/// samples locate the frames of the mirrored padding within it.
fn unvoice_silence(track: &mut [f32], levels: &Levels, (pad_frames, samples): (usize, u64)) {
    let Some(rms) = levels.sounding_rms() else {
        track.fill(0.0);
        return;
    };
    let hops = (samples as usize).div_ceil(HOP) as i64;
    for (frame, f0) in track.iter_mut().enumerate() {
        let heard = reflect(frame as i64 - pad_frames as i64, hops + 1) as usize;
        if levels.frame_rms(heard) < rms * SILENCE_RATIO {
            *f0 = 0.0;
        }
    }
}

/// The first `frames` frames of content with each vector twice.
fn twice(content: &[f32], width: usize, frames: usize) -> Vec<f32> {
    let vectors = content.chunks_exact(width);
    let mut doubled: Vec<f32> = vectors
        .flat_map(|vector| [vector, vector])
        .flatten()
        .copied()
        .collect();
    doubled.truncate(frames * width);
    doubled
}

/// The slow envelope of the filtered recording: the RMS of one second at every half second.
fn envelope(sound: &HighPassed<'_>) -> Result<Vec<f64>, ModelError> {
    let length = sound.len() as usize;
    let mut hops = vec![0.0; length.div_ceil(HOP)];
    for start in (0..length).step_by(MEASURED_SAMPLES) {
        let count = MEASURED_SAMPLES.min(length - start);
        let heard = sound.precise(start as i64, count)?;
        for (offset, sample) in heard.iter().enumerate() {
            hops[(start + offset) / HOP] += sample * sample;
        }
    }
    let points = envelope_points(length as u64, HOP);
    let points = (0..points).map(|point| envelope_point(&hops, HOP, point));
    Ok(points.collect())
}
