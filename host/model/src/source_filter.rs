use std::ops::Range;
use std::sync::Arc;

use vocalhost_audio::{Block, Spool};

use super::articulation::{Articulation, Said};
use super::content::{CONTENT_HOP, ContentEncoder};
use super::content_pieces::ContentPieces;
use super::decoder::{Decoder, Speech};
use super::f0::F0Estimator;
use super::gate::Gate;
use super::index::Index;
use super::lanes::in_order;
use super::level::Levels;
use super::live::LiveListeners;
use super::output::{PITCH_SHARE, output_frames, pass_on};
use super::parts::VoiceParts;
use super::pitch::{PhaseClock, shift_factor, suggested_shift};
use super::sections::SegmentLengths;
use super::segment::{Joiner, Segment, cut};
use super::source::Source;
use super::volume::VolumeMix;
use super::{ConversionParameters, Converted, ModelError, Package, Runtime, VoiceKnobs};
use vocalhost_system::work::Part;

/// A voice of our own family with its content encoder, F0 estimator and index, loaded and ready.
///
/// The steps and the knobs have the same meaning as in RVC's pipeline: content vectors are drawn towards the voice's own by retrieval, the
/// pitch is shifted, both are decoded, and the loudness is mixed. The voice works in segments and reads sound from a spool, so its memory
/// depends on the segment's length and on the seconds that its articulation holds back, plus some 30 bytes per frame of 10 ms for levels
/// and pitch.
pub(super) struct SourceFilterVoice {
    pub(super) content: ContentEncoder,
    /// The listeners for live conversions, if they were requested.
    pub(super) live: LiveListeners,
    pub(super) level_rms: f64,
    pub(super) f0: F0Estimator,
    pub(super) index: Option<Arc<Index>>,
    pub(super) decoder: Decoder,
    segment: SegmentLengths,
    mean_f0_hz: f64,
    output_rate_hz: u32,
    threads: usize,
    /// Whether the voice is muted where the recording is silent.
    pub(super) is_gated: bool,
    /// The level that the voice speaks at, if it is to articulate as the recording does; none for instruments.
    pub(super) articulates_at_rms: Option<f64>,
}

/// Work items of a conversion's threads.
enum Task<'t> {
    /// Encode a piece of content.
    Listen(usize),
    /// Decode a segment, with the phase of its first frame.
    Speak { segment: &'t Segment, phase: f64 },
}

impl SourceFilterVoice {
    /// Loads a voice and its parts. `convert` works on `threads` segments side by side, and memory grows with their number; the
    /// samples do not depend on it.
    pub(super) fn load(
        runtime: &Runtime,
        voice: &Package,
        parts: VoiceParts<'_>,
        threads: usize,
    ) -> Result<Self, ModelError> {
        let manifest = voice.manifest();
        let decoder = Decoder::load(runtime, voice, threads)?;
        let content = ContentEncoder::load(runtime, parts.content, manifest, threads)?;
        let lacks = |key, reason: &str| ModelError::Dependency {
            path: voice.folder().join(Package::MANIFEST_NAME),
            key,
            reason: reason.to_owned(),
        };
        let segment = manifest.segment;
        let segment = segment.ok_or_else(|| lacks("segment", "is missing"))?;
        let level_rms = content.level_rms();
        let level_rms =
            level_rms.ok_or_else(|| lacks("voice.content", "the encoder names no level"))?;
        let facts = manifest.voice.as_ref();
        Ok(Self {
            content,
            live: LiveListeners::default(),
            level_rms,
            f0: F0Estimator::load(runtime, parts.f0, threads)?,
            index: Index::load(runtime, voice)?,
            decoder,
            segment,
            mean_f0_hz: facts.map_or(0.0, |voice| voice.mean_f0_hz),
            articulates_at_rms: facts
                .filter(|voice| !voice.instrument && voice.level_rms > 0.0)
                .map(|voice| voice.level_rms),
            output_rate_hz: manifest.audio.sample_rate_hz,
            threads: threads.max(1),
            is_gated: true,
        })
    }

    /// The same with a job's choices.
    pub(super) fn with(self, knobs: &VoiceKnobs) -> Self {
        Self {
            is_gated: knobs.silence_gate.unwrap_or(self.is_gated),
            ..self
        }
    }

    /// The rate of the sound that comes out.
    pub(super) fn output_rate_hz(&self) -> u32 {
        self.output_rate_hz
    }

    /// Converts a mono recording at 16 kHz. The blocks that `sink` gets make up [`output_frames`].
    pub(super) fn convert<E: From<ModelError>>(
        &self,
        source: &Spool,
        parameters: &ConversionParameters,
        sink: &mut dyn FnMut(Block) -> Result<(), E>,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Converted, E> {
        let levels = Levels::measure(source)?;
        let track = self.track(source, &levels, parameters, progress)?;
        let mut phase = PhaseClock::new(&track.f0_hz);
        let total = output_frames(source, self.output_rate_hz);
        let mut finish = self.finish(source, &track, &levels, (total, parameters));
        let segments = cut(track.f0_hz.len(), &self.segment);
        let content = ContentPieces::new(&self.content, &track.source);
        let mut ready = 0;
        // The content of a segment is encoded before it, piece by piece, so that no thread waits for another's piece.
        let tasks = segments.iter().flat_map(|segment| {
            let needed = content.pieces_of(&vectors_of(&segment.heard));
            let missing = needed.start.max(ready)..needed.end;
            ready = missing.end;
            let phase = phase.at(segment.heard.start);
            let speech = Task::Speak { segment, phase };
            missing.map(Task::Listen).chain(std::iter::once(speech))
        });
        let work = |task: &Task<'_>| match task {
            Task::Listen(piece) => content.piece(*piece).map(|_| Vec::new()),
            Task::Speak { segment, phase } => {
                self.speak(&track, &content, segment, *phase, parameters)
            }
        };
        let mut passed = 0_usize;
        in_order(self.threads, tasks, work, |task, sound| -> Result<(), E> {
            let Task::Speak { segment, .. } = task else {
                return Ok(());
            };
            content.forget_before(content.pieces_of(&vectors_of(&segment.heard)).start);
            let joined = Part::Join.count(|| finish.process(segment, &sound))?;
            pass_on(&joined, sink)?;
            passed += 1;
            let done = passed as f64 / segments.len() as f64;
            progress(PITCH_SHARE + (1.0 - PITCH_SHARE) * done);
            Ok(())
        })?;
        Ok(track.converted)
    }

    fn speak(
        &self,
        track: &Track<'_>,
        content: &ContentPieces<'_>,
        segment: &Segment,
        phase: f64,
        parameters: &ConversionParameters,
    ) -> Result<Vec<f32>, ModelError> {
        let speech = Speech {
            content: self.content_of(track, content, segment, parameters.conversion_strength)?,
            f0_hz: &track.f0_hz[segment.heard.clone()],
            frames: segment.heard.len(),
            first_frame: segment.heard.start,
            phase,
            seed: parameters.seed,
        };
        self.decoder.speak(speech)
    }

    /// Brings the source to the models' level and finds its pitch.
    fn track<'s>(
        &self,
        source: &'s Spool,
        levels: &Levels,
        parameters: &ConversionParameters,
        progress: &mut dyn FnMut(f64),
    ) -> Result<Track<'s>, ModelError> {
        let level_rms = self.level_rms;
        // Nothing sounds: any gain is right, since the gate keeps the output silent.
        let source_rms = levels.sounding_rms().unwrap_or(level_rms);
        // Content frames are two pitch frames long, so the number of pitch frames is even.
        let frames = 2 * source.frames().div_ceil(CONTENT_HOP) as usize;
        let pitch_level_rms = self.f0.level_rms().unwrap_or(level_rms);
        let mut f0_hz = self.f0.track(
            &Source::new(source, pitch_level_rms / source_rms),
            frames,
            pitch_level_rms,
            &mut |share| progress(PITCH_SHARE * share),
        )?;
        let converted = Converted {
            suggested_pitch_shift: suggested_shift(&f0_hz, self.mean_f0_hz),
        };
        let factor = shift_factor(parameters.shift_by(converted));
        for f0 in &mut f0_hz {
            *f0 *= factor;
        }
        Ok(Track {
            converted,
            factor,
            source: Source::new(source, level_rms / source_rms),
            f0_hz,
        })
    }

    /// The content of a segment at the pitch's rate: each vector twice, as in RVC's pipeline.
    fn content_of(
        &self,
        track: &Track<'_>,
        content: &ContentPieces<'_>,
        segment: &Segment,
        strength: f64,
    ) -> Result<Vec<f32>, ModelError> {
        let mut content = content.vectors(vectors_of(&segment.heard))?;
        let width = self.content.width();
        if let Some(index) = &self.index {
            // A voice's character is in its vowels; unvoiced consonants, breath and pauses keep the source's content.
            let voiced = |vector: usize| {
                let frame = segment.heard.start + 2 * vector;
                track.f0_hz[frame..frame + 2].iter().all(|f0| *f0 > 0.0)
            };
            let rate = |vector| if voiced(vector) { strength } else { 0.0 };
            index.blend_each(&mut content, width, &rate);
        }
        let twice = content.chunks_exact(width);
        let twice = twice.flat_map(|vector| [vector, vector]).flatten();
        Ok(twice.copied().collect())
    }

    fn finish<'t>(
        &self,
        source: &'t Spool,
        track: &'t Track<'_>,
        levels: &Levels,
        (total_samples, parameters): (u64, &ConversionParameters),
    ) -> Finish<'t> {
        let hop_samples = self.decoder.hop_samples();
        let frames = track.f0_hz.len();
        let articulation = levels.sounding_rms().zip(self.articulates_at_rms);
        let articulation = articulation.map(|(source_rms, level_rms)| {
            Articulation::new(Said {
                source,
                source_rms,
                level_rms,
                f0_hz: &track.f0_hz,
                factor: track.factor,
                total_samples,
                hop_samples,
            })
        });
        Finish {
            articulation,
            joiner: Joiner::new(hop_samples, &self.segment),
            gate: self
                .is_gated
                .then(|| Gate::new(levels, levels.sounding_rms(), frames, hop_samples)),
            volume: VolumeMix::new(
                levels.envelope(),
                parameters.model_volume_mix,
                total_samples,
                hop_samples,
            ),
            remaining: total_samples,
            gated: 0,
        }
    }
}

/// The content vectors of some pitch frames, two frames to each.
fn vectors_of(frames: &Range<usize>) -> Range<usize> {
    frames.start / 2..frames.end / 2
}

/// What is known of the whole recording before the voice is decoded.
struct Track<'s> {
    converted: Converted,
    /// The factor from the recording's pitch to the voice's.
    factor: f32,
    source: Source<'s>,
    f0_hz: Vec<f32>,
}

/// Finishes the decoder's sound: joins it, cuts it to length, articulates and gates it, and mixes its loudness. The gate comes before the
/// mix, so that the noise of silent parts does not count as the voice's loudness.
struct Finish<'t> {
    joiner: Joiner,
    gate: Option<Gate>,
    articulation: Option<Articulation<'t>>,
    volume: VolumeMix,
    remaining: u64,
    gated: u64,
}

impl Finish<'_> {
    fn process(&mut self, segment: &Segment, sound: &[f32]) -> Result<Vec<f32>, ModelError> {
        let mut ready = self.joiner.join(segment, sound);
        ready.truncate(self.remaining.min(ready.len() as u64) as usize);
        self.remaining -= ready.len() as u64;
        if let Some(articulation) = &mut self.articulation {
            ready = articulation.process(&ready)?;
        }
        if let Some(gate) = &self.gate {
            gate.apply(&mut ready, self.gated);
        }
        self.gated += ready.len() as u64;
        Ok(self.volume.process(ready))
    }
}
