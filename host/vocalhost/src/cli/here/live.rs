//! `vocalhost live`: a voice between two programs that play and record, such as sox, ffmpeg or `PipeWire`.

use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::json;

use super::ear::{Ear, Patience};
use super::voice::{self, HERE};
use super::wishes::{given, refused};
use crate::cli::{Chosen, CliError, scratch};
use vocalhost_api::v1::here;
use vocalhost_catalogues::shelf::Listing;
use vocalhost_job::SampleFormat;
use vocalhost_model::{
    Catalog, ConversionParameters, LiveTimes, Package, Runtime, VoiceConverter, VoiceKnobs,
};
use vocalhost_pipeline::LiveLine;

/// How much more than a block may wait with `--real-time`, in milliseconds: as much as on a server.
const MAX_WAIT_MS: u32 = 200;

/// How much is read at a time at most, in bytes: what is there is taken at once.
const READ_BYTES: usize = 1 << 11;

/// `vocalhost live`.
#[derive(Debug, Args)]
pub struct LiveArguments {
    /// The voice: its number, title or package id, or the folder of a package.
    #[arg(long, value_name = "VOICE")]
    voice: String,
    /// Samples a second of what is read and written, 16,000 to 48,000.
    #[arg(long, value_name = "HZ", default_value_t = 48_000, value_parser = clap::value_parser!(u32).range(16_000..=48_000))]
    rate: u32,
    /// How samples are written, in mono.
    #[arg(long, default_value = "s16le", value_parser = sample_format())]
    format: SampleFormat,
    /// How much is converted at a time, in milliseconds: less answers sooner and costs more.
    #[arg(long, value_name = "MS", default_value_t = 80, value_parser = ms(LiveTimes::BLOCK_MS))]
    block_ms: u32,
    /// How much more is heard before it is converted, in milliseconds: more keeps more of the words.
    #[arg(long, value_name = "MS", default_value_t = 80, value_parser = ms(LiveTimes::LOOK_AHEAD_MS))]
    look_ahead_ms: u32,
    /// Sound comes as fast as it sounds, as from a microphone: what came before the voice was loaded, and what waits longer than
    /// a fifth of a second beyond a block, is dropped.
    #[arg(long)]
    real_time: bool,
    /// The level of the speaker, as an earlier run has told it: without it, it is found in the first second.
    #[arg(long, value_name = "RMS", value_parser = level)]
    input_rms: Option<f64>,
    /// Semitones that the pitch is raised by, fractions allowed.
    #[arg(long, value_name = "SEMITONES", allow_hyphen_values = true)]
    pitch: Option<String>,
    /// How much of the model's accent is taken, 0 to 1.
    #[arg(long, value_name = "SHARE")]
    strength: Option<String>,
    /// 0 keeps the speaker's dynamics, 1 takes the model's loudness.
    #[arg(long, value_name = "SHARE")]
    volume_mix: Option<String>,
    /// Another seed, other breath.
    #[arg(long)]
    seed: Option<String>,
    /// Say what it took as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// The words of [`SampleFormat`].
fn sample_format() -> impl TypedValueParser<Value = SampleFormat> {
    let words = SampleFormat::ALL.map(SampleFormat::as_str);
    PossibleValuesParser::new(words).map(|word| {
        let mut all = SampleFormat::ALL.into_iter();
        let found = all.find(|format| format.as_str() == word);
        found.unwrap_or_default()
    })
}

/// Nobody is louder than full scale.
fn level(text: &str) -> Result<f64, String> {
    let level = text.parse().ok();
    let level = level.filter(|level| (0.0..=1.0).contains(level));
    level.ok_or_else(|| "must be a number from 0 to 1".to_owned())
}

fn ms(bounds: std::ops::RangeInclusive<u32>) -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(i64::from(*bounds.start())..=i64::from(*bounds.end()))
}

/// Converts what comes in on standard input, and writes it to standard output, until the input ends.
pub fn run(arguments: &LiveArguments) -> Result<(), CliError> {
    let parameters = parameters(arguments)?;
    let ear = arguments
        .real_time
        .then(|| Ear::listen(io::stdin(), arguments.patience()));
    let settings = arguments.chosen.load()?.settings;
    let scratch = scratch::folder()?;
    let found = voice::find(
        &arguments.chosen,
        &settings,
        &arguments.voice,
        scratch.path(),
    )?;
    let package = Package::open(&found.folder)?;
    let catalog = Catalog::open(&settings.model_folders());
    let runtime = Runtime::load(settings.onnxruntime.as_deref())?.on(settings.provider_choice());
    let knobs = VoiceKnobs {
        live: true,
        ..VoiceKnobs::default()
    };
    let voice = VoiceConverter::load_with(&runtime, &package, &catalog, 1, &knobs)?;
    let times = LiveTimes::new(arguments.block_ms, arguments.look_ahead_ms)
        .ok_or_else(|| CliError::Usage("the times are out of bounds".to_owned()))?;
    let begin = |input_rms| {
        voice.live(times, parameters, input_rms).ok_or_else(|| {
            let name = &package.manifest().name;
            CliError::Usage(format!(
                "{name} is a voice of RVC's: its encoder hears seconds at a time, so it cannot speak live"
            ))
        })
    };
    // Graphs that have never run take longer: nobody is to wait for that.
    let warm = vec![0.0; voice.source_rate_hz() as usize];
    let warming = times.latency_ms() as usize / 1_000 + 1;
    begin(None)?.push(&warm.repeat(warming))?;
    let rates = (voice.source_rate_hz(), voice.output_rate_hz());
    let live = begin(arguments.input_rms)?;
    let mut line = LivePipe {
        line: LiveLine::new(live, rates, arguments.rate)?,
        format: arguments.format,
        read: 0,
        written: 0,
        behind: 0,
        took: Vec::new(),
    };
    let mut output = io::stdout().lock();
    let ending = scratch::ends_by_itself()?;
    let Some(mut ear) = ear else {
        line.pass(&mut io::stdin().lock(), &mut output, &ending)?;
        line.finish(&mut output)?.tell(arguments, None);
        return Ok(());
    };
    ear.forget();
    if !arguments.json {
        eprintln!("{} hears you", package.manifest().name);
    }
    line.pass(&mut ear, &mut output, &ending)?;
    line.finish(&mut output)?
        .tell(arguments, Some(ear.dropped()));
    Ok(())
}

impl LiveArguments {
    /// Bytes of so many milliseconds.
    fn bytes(&self, ms: u32) -> usize {
        (u64::from(self.rate) * u64::from(ms) / 1_000) as usize * self.format.bytes()
    }

    fn patience(&self) -> Patience {
        Patience {
            most: self.bytes(self.block_ms + MAX_WAIT_MS),
            kept: self.bytes(self.block_ms),
            sample: self.format.bytes(),
        }
    }
}

fn parameters(arguments: &LiveArguments) -> Result<ConversionParameters, CliError> {
    let fields = given([
        ("voiceModelId", Some(HERE.to_string())),
        ("pitchShift", arguments.pitch.clone()),
        ("conversionStrength", arguments.strength.clone()),
        ("modelVolumeMix", arguments.volume_mix.clone()),
        ("seed", arguments.seed.clone()),
    ]);
    // It has no effects: those of the data folder would be compiled for nothing.
    let spec =
        here::conversion(fields, &Listing::default()).map_err(|mistakes| refused(&mistakes))?;
    Ok(ConversionParameters {
        conversion_strength: spec.conversion_strength,
        model_volume_mix: spec.model_volume_mix,
        pitch_shift: spec.pitch_shift,
        auto_pitch: false,
        seed: spec.seed,
    })
}

/// A voice between the two ends.
struct LivePipe<'v> {
    line: LiveLine<'v>,
    format: SampleFormat,
    /// What was read and written, in samples.
    read: u64,
    written: u64,
    /// The most that the output was behind the input, in samples.
    behind: u64,
    /// How long each block took.
    took: Vec<Duration>,
}

impl LivePipe<'_> {
    /// Converts until the input ends, nobody takes the output any more, or the command is told to end, as by Ctrl-C, which ends what
    /// plays and records, too.
    fn pass(
        &mut self,
        input: &mut impl Read,
        output: &mut impl Write,
        ending: &AtomicBool,
    ) -> Result<(), CliError> {
        let mut bytes = vec![0; READ_BYTES];
        let mut rest = 0;
        while !ending.load(Ordering::SeqCst) {
            let count = match input.read(&mut bytes[rest..]) {
                Ok(count) => count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(source) => {
                    let what = "cannot read standard input";
                    return Err(CliError::System { what, source });
                }
            };
            if count == 0 {
                return Ok(());
            }
            let there = rest + count;
            let whole = there - there % self.format.bytes();
            let samples = self.format.read(&bytes[..whole]);
            bytes.copy_within(whole..there, 0);
            rest = there - whole;
            self.read += samples.len() as u64;
            let began = Instant::now();
            let ready = self.line.push(samples)?;
            if ready.is_empty() {
                continue;
            }
            self.took.push(began.elapsed());
            self.behind = self.behind.max(self.read - self.written);
            self.written += ready.len() as u64;
            if !written(&ready, self.format, output)? {
                break;
            }
        }
        Ok(())
    }

    /// Converts the rest, and says the level of the speaker.
    fn finish(mut self, output: &mut impl Write) -> Result<Passed, CliError> {
        let input_rms = self.line.input_rms();
        written(&self.line.finish()?, self.format, output)?;
        self.took.sort_unstable();
        Ok(Passed {
            read: self.read,
            behind: self.behind,
            took: self.took,
            input_rms,
        })
    }
}

/// Writes samples. Says whether somebody still reads them.
fn written(
    samples: &[f32],
    format: SampleFormat,
    output: &mut impl Write,
) -> Result<bool, CliError> {
    let all = output.write_all(&format.written(samples));
    match all.and_then(|()| output.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(source) => Err(CliError::System {
            what: "cannot write to standard output",
            source,
        }),
    }
}

/// What came of it.
struct Passed {
    read: u64,
    behind: u64,
    /// In rising order.
    took: Vec<Duration>,
    input_rms: Option<f64>,
}

impl Passed {
    /// The time that this share of the blocks did not exceed, in milliseconds.
    fn percentile(&self, share: f64) -> f64 {
        let place = (self.took.len() as f64 * share).ceil() as usize;
        let found = self.took.get(place.max(1) - 1).copied();
        found.unwrap_or_default().as_secs_f64() * 1e3
    }

    /// Tells it on standard error: standard output is sound. `dropped` is in bytes, where sound could be dropped.
    fn tell(&self, arguments: &LiveArguments, dropped: Option<u64>) {
        let seconds = self.read as f64 / f64::from(arguments.rate);
        let behind_ms = self.behind as f64 * 1e3 / f64::from(arguments.rate);
        let share = self.took.iter().sum::<Duration>().as_secs_f64() / seconds.max(1e-9);
        let dropped_ms = dropped.map(|bytes| {
            let samples = bytes / arguments.format.bytes() as u64;
            samples as f64 * 1e3 / f64::from(arguments.rate)
        });
        let (half, most) = (self.percentile(0.5), self.percentile(0.99));
        if arguments.json {
            let record = json!({
                "seconds": seconds,
                "latencyMs": behind_ms,
                "blockMs": { "median": half, "p99": most },
                "shareOfTime": share,
                "droppedMs": dropped_ms,
                "inputRms": self.input_rms,
            });
            eprintln!("{record}");
            return;
        }
        eprintln!(
            "{seconds:.1} s, {behind_ms:.0} ms behind and the time of a block ({half:.0} ms, at most {most:.0}); {:.0} % of the time",
            100.0 * share
        );
        if let Some(dropped_ms) = dropped_ms {
            eprintln!("{dropped_ms:.0} ms were dropped, those before it was ready among them");
        }
        match self.input_rms {
            Some(rms) if rms > 1.0 => eprintln!(
                "what came in is far louder than sound can be: do --format and --rate say what it is?"
            ),
            Some(rms) => eprintln!("next time: --input-rms {rms:.4}"),
            None => {}
        }
    }
}
