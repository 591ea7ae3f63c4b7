use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::host::host;
use super::subject::component;
use super::tuning::Tuning;
use super::{Chosen, CliError};
use crate::cli::output::print_json;
use vocalhost_effects::{Catalog, Effect};
use vocalhost_kit::{
    Response, Tuned, check_extension, defaults_and_presets, plot, responses, write_whole,
};

/// `vocalhost effect plot`.
#[derive(Debug, Args)]
pub struct PlotArguments {
    /// The component's file, or the id of an effect that is built in or installed, such as `vocalhost.gain`.
    #[arg(value_name = "FILE_OR_ID", required_unless_present = "all")]
    effect: Option<String>,
    /// Where the plots go.
    #[arg(value_name = "OUT.svg", required_unless_present_any = ["all", "json"])]
    output: Option<PathBuf>,
    /// Plot every built-in effect into this folder, each under the end of its id.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["effect", "output", "json", "assignments", "preset"])]
    all: Option<PathBuf>,
    #[command(flatten)]
    tuning: Tuning,
    /// Print the measured points as JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Measures how an effect answers and draws it: its defaults and presets, or its defaults and the settings given.
pub fn run(arguments: &PlotArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    if let Some(path) = &arguments.output {
        check_extension(path, "svg")?;
    }
    let host = host(&settings)?;
    if let Some(folder) = &arguments.all {
        return plot_all(&Catalog::builtin(&host)?, folder);
    }
    let name = arguments.effect.as_deref().unwrap_or_default();
    let effect = host.load(&component(&settings, name)?)?;
    let measured = responses(&effect, arguments.tunings(&effect)?)?;
    if let Some(path) = &arguments.output {
        write_whole(path, plot(effect.descriptor(), &measured).as_bytes())?;
    }
    if arguments.json {
        print_json(&record(&effect, &measured));
    } else if let Some(path) = &arguments.output {
        say_line!("{}", path.display());
    }
    Ok(())
}

impl PlotArguments {
    fn tunings(&self, effect: &Effect) -> Result<Vec<Tuned>, CliError> {
        let all = defaults_and_presets(effect);
        if self.tuning.is_empty() {
            return Ok(all);
        }
        let settings = self.tuning.settings(effect.descriptor())?;
        let name = self.tuning.preset.clone();
        let as_set = Tuned {
            name: name
                .filter(|_| self.tuning.assignments.is_empty())
                .unwrap_or_else(|| "as set".to_owned()),
            settings,
        };
        Ok(all.into_iter().take(1).chain([as_set]).collect())
    }
}

fn plot_all(catalog: &Catalog, folder: &Path) -> Result<(), CliError> {
    let no_folder = CliError::of_file("cannot make the folder", folder);
    std::fs::create_dir_all(folder).map_err(no_folder)?;
    for entry in catalog.entries() {
        let effect = &entry.effect;
        let measured = responses(effect, defaults_and_presets(effect))?;
        let id = &effect.descriptor().id;
        let name = id.rsplit('.').next().unwrap_or(id);
        let path = folder.join(name).with_extension("svg");
        write_whole(&path, plot(effect.descriptor(), &measured).as_bytes())?;
        say_line!("{}", path.display());
    }
    Ok(())
}

fn record(effect: &Effect, measured: &[Response]) -> Value {
    let descriptor = effect.descriptor();
    let curves: Vec<Value> = measured
        .iter()
        .map(|response| {
            json!({
                "name": response.tuned.name,
                "settings": response.tuned.settings,
                "magnitude": points(&response.magnitude),
                "crosstalk": points(&response.crosstalk),
                "level": points(&response.level),
                "harmonics": response.harmonics.iter().copied().map(rounded).collect::<Vec<_>>(),
                "burst": points(&response.burst),
            })
        })
        .collect();
    json!({
        "id": descriptor.id,
        "version": descriptor.version,
        "digest": effect.digest(),
        "sampleRateHz": vocalhost_kit::RESPONSE_RATE_HZ,
        "curves": curves,
    })
}

fn points(points: &[(f64, f64)]) -> Vec<[f64; 2]> {
    let point = |point: &(f64, f64)| [rounded(point.0), rounded(point.1)];
    points.iter().map(point).collect()
}

/// Thousandths are beyond what anybody hears, and the same on every machine.
fn rounded(value: f64) -> f64 {
    (value * 1_000.0).round() / 1_000.0
}
