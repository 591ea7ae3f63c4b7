use std::path::{Path, PathBuf};

use clap::Args;

use super::host::host;
use super::subject::component;
use super::tuning::Tuning;
use super::{Chosen, CliError};
use crate::cli::progress::Progress;
use vocalhost_audio::AudioLimits;
use vocalhost_effects::Descriptor;
use vocalhost_kit::{
    Caption, KitError, Levels, Listening, Portrait, RunReport, check_extension, listen, picture,
    settings_in_words,
};

/// `vocalhost effect run`.
#[derive(Debug, Args)]
pub struct RunArguments {
    /// The component's file, or the id of an effect that is built in or installed, such as `vocalhost.gain`.
    #[arg(value_name = "FILE_OR_ID")]
    effect: String,
    /// Recording: wav, webm, mp3 or flac.
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// Result: a WAV file of 24 bits, as long as the recording.
    #[arg(value_name = "OUT.wav")]
    output: PathBuf,
    #[command(flatten)]
    tuning: Tuning,
    /// Let the result go on until the effect has faded to -120 dBFS, a minute at most.
    #[arg(long)]
    tail: bool,
    /// Where the picture of before and after goes; beside the result by default.
    #[arg(long, value_name = "FILE.png", conflicts_with = "no_picture")]
    picture: Option<PathBuf>,
    /// Draw no picture.
    #[arg(long)]
    no_picture: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Sends a recording through an effect, and says what became of it.
pub fn run(arguments: &RunArguments) -> Result<(), CliError> {
    let server = arguments.chosen.load()?.settings;
    let picture_path = arguments.picture_path();
    if let Some(path) = &picture_path {
        check_extension(path, "png")?;
    }
    let effect = host(&server)?.load(&component(&server, &arguments.effect)?)?;
    let descriptor = effect.descriptor();
    let settings = arguments.tuning.settings(descriptor)?;
    let limits = AudioLimits {
        max_duration_s: server.max_duration_s,
    };
    let listening = Listening {
        input: &arguments.input,
        output: &arguments.output,
        with_tail: arguments.tail,
        limits,
    };
    let listened = {
        let mut progress = Progress::new();
        listen(&effect, &settings, &listening, &mut |share| {
            progress.tell(share);
        })?
    };

    let words = settings_in_words(descriptor, &settings);
    let words = if words.is_empty() {
        "all settings at their defaults"
    } else {
        &words
    };
    let drawn = match &picture_path {
        Some(_) => Some(draw(arguments, &listened, descriptor, words, limits)?),
        None => None,
    };
    let report = listened.keep()?;
    eprintln!(
        "{} {} ({}), {words}",
        descriptor.name, descriptor.version, descriptor.id
    );
    tell(&report, &arguments.output);
    if let (Some(canvas), Some(path)) = (drawn, picture_path) {
        canvas.save(&path)?;
        eprintln!("picture: {}", path.display());
    }
    Ok(())
}

impl RunArguments {
    fn picture_path(&self) -> Option<PathBuf> {
        if self.no_picture {
            return None;
        }
        let beside = || self.output.with_extension("png");
        Some(self.picture.clone().unwrap_or_else(beside))
    }
}

fn draw(
    arguments: &RunArguments,
    listened: &vocalhost_kit::Listened,
    descriptor: &Descriptor,
    settings: &str,
    limits: AudioLimits,
) -> Result<vocalhost_kit::Canvas, KitError> {
    let report = listened.report();
    let axis_frames = report.frames + report.tail_frames;
    // The result may be longer than a recording is allowed to be, by its tail.
    let unlimited = AudioLimits {
        max_duration_s: f64::INFINITY,
    };
    let before = Portrait::of(&arguments.input, axis_frames, &limits)?;
    let after = Portrait::of(listened.written(), axis_frames, &unlimited)?;
    let title = format!(
        "{} {} ({})",
        descriptor.name, descriptor.version, descriptor.id
    );
    let caption = Caption {
        title: &title,
        settings,
        sample_rate_hz: report.sample_rate_hz,
        axis_s: report.seconds(axis_frames),
    };
    Ok(picture(&before, &after, &caption))
}

fn tell(report: &RunReport, output: &Path) {
    eprintln!(
        "length:  {:.3} s, {} frames at {} Hz, {}",
        report.seconds(report.frames),
        report.frames,
        report.sample_rate_hz,
        channels(report.channels),
    );
    if report.tail_frames > 0 {
        eprintln!("tail:    {:.3} s more", report.seconds(report.tail_frames));
    }
    eprintln!("before:  {}", levels(&report.before));
    eprintln!("after:   {}", levels(&report.after));
    eprintln!("latency: {} frames, taken out", report.latency_frames);
    eprintln!(
        "speed:   {:.0} times real time ({:.3} s of work)",
        report.times_real_time(),
        report.work.as_secs_f64()
    );
    if report.after.over_full_scale() > 0 {
        eprintln!(
            "warning: {} samples were over full scale and are cut off",
            report.after.over_full_scale()
        );
    }
    eprintln!("result:  {}", output.display());
}

fn levels(levels: &Levels) -> String {
    format!(
        "peak {:.1} dBFS, RMS {:.1} dBFS",
        levels.peak_db(),
        levels.rms_db()
    )
}

fn channels(count: usize) -> String {
    match count {
        1 => "mono".to_owned(),
        2 => "stereo".to_owned(),
        count => format!("{count} channels"),
    }
}
