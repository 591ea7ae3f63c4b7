use clap::Args;
use serde_json::{Value, json};

use super::host::limits;
use super::subject::component;
use super::tuning::Tuning;
use super::{Chosen, CliError};
use crate::cli::output::print_json;
use vocalhost_effects::Effect;
use vocalhost_kit::{BLOCK_LENGTHS, BenchReport, Rate, Spread, bench, settings_in_words};

/// `vocalhost effect bench`.
#[derive(Debug, Args)]
pub struct BenchArguments {
    /// The component's file, or the id of an effect that is built in or installed, such as `vocalhost.gain`.
    #[arg(value_name = "FILE_OR_ID")]
    effect: String,
    #[command(flatten)]
    tuning: Tuning,
    /// How often everything is measured; medians are shown.
    #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u16).range(1..=1_000))]
    rounds: u16,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Measures how fast an effect is.
pub fn run(arguments: &BenchArguments) -> Result<(), CliError> {
    let server = arguments.chosen.load()?.settings;
    let bytes = component(&server, &arguments.effect)?;
    let mut words = String::new();
    let (effect, report) = bench(
        &bytes,
        limits(&server),
        |effect| {
            let settings = arguments.tuning.settings(effect.descriptor())?;
            words = settings_in_words(effect.descriptor(), &settings);
            Ok(settings)
        },
        arguments.rounds.into(),
    )?;
    if arguments.json {
        print_json(&record(&effect, &report));
    } else {
        print_table(&effect, &words, &report);
    }
    Ok(())
}

fn print_table(effect: &Effect, settings: &str, report: &BenchReport) {
    let descriptor = effect.descriptor();
    let settings = if settings.is_empty() {
        "all settings at their defaults"
    } else {
        settings
    };
    say_line!(
        "{} {} ({}), {settings}",
        descriptor.name,
        descriptor.version,
        descriptor.id
    );
    say_line!("");
    let loading = &report.loading;
    say_line!("component        {:>10} bytes", loading.component_bytes);
    say_line!(
        "memory           {:>10} bytes in stereo at 48 kHz",
        report.memory_bytes
    );
    say_line!("load cold        {}", milliseconds(loading.cold_s));
    say_line!("load from cache  {}", milliseconds(loading.warm_s));
    say_line!("start a stream   {}", milliseconds(loading.start_s));
    let silence = report.silence.ratio;
    say_line!(
        "silence          {:>10.2} times the cost of sound (quartiles {:.2} to {:.2})",
        silence.median,
        silence.low,
        silence.high
    );
    say_line!("");
    say_line!("Million frames per second, times real time, quartiles apart:");
    say!("{:<20}", "frames of a block");
    for length in BLOCK_LENGTHS {
        say!("{length:>22}");
    }
    say_line!("");
    for row in report.rates.chunks(BLOCK_LENGTHS.len()) {
        let channels = if row[0].channels == 1 {
            "mono"
        } else {
            "stereo"
        };
        say!(
            "{:<20}",
            format!("{} Hz, {channels}", row[0].sample_rate_hz)
        );
        for rate in row {
            say!("{:>22}", cell(rate));
        }
        say_line!("");
    }
}

fn cell(rate: &Rate) -> String {
    format!(
        "{:.2} {:>6.0}x ±{:>2.0} %",
        rate.frames_per_s.median / 1e6,
        rate.times_real_time(),
        50.0 * rate.frames_per_s.relative()
    )
}

fn milliseconds(seconds: Spread) -> String {
    let spread = seconds.map(|value| 1_000.0 * value);
    format!(
        "{:>10.3} ms (quartiles {:.3} to {:.3})",
        spread.median, spread.low, spread.high
    )
}

fn record(effect: &Effect, report: &BenchReport) -> Value {
    let descriptor = effect.descriptor();
    let rates: Vec<Value> = report
        .rates
        .iter()
        .map(|rate| {
            json!({
                "sampleRateHz": rate.sample_rate_hz,
                "channels": rate.channels,
                "blockFrames": rate.block_frames,
                "framesPerSecond": spread(rate.frames_per_s),
                "timesRealTime": rate.times_real_time(),
            })
        })
        .collect();
    json!({
        "id": descriptor.id,
        "version": descriptor.version,
        "digest": effect.digest(),
        "componentBytes": report.loading.component_bytes,
        "memoryBytes": report.memory_bytes,
        "loadColdSeconds": spread(report.loading.cold_s),
        "loadCachedSeconds": spread(report.loading.warm_s),
        "startSeconds": spread(report.loading.start_s),
        "silenceOverSound": spread(report.silence.ratio),
        "rates": rates,
    })
}

fn spread(spread: Spread) -> Value {
    json!({ "median": spread.median, "lowerQuartile": spread.low, "upperQuartile": spread.high })
}
