use clap::Args;
use serde_json::json;

use super::shelf::with_existing_shelf;
use super::{Chosen, CliError};
use crate::cli::actor::note;
use crate::cli::output::print_json;
use vocalhost_api::v1::admin_effects::admin_record;
use vocalhost_store::EffectChange;
use vocalhost_system::clock;

/// What an operator says to change an effect.
#[derive(Debug, Args)]
pub struct ChangeArguments {
    /// Its id, or `id@version` where there are several versions.
    #[arg(value_name = "ID[@VERSION]")]
    effect: String,
    /// Say what it is like now in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// `vocalhost effect limit`.
#[derive(Debug, Args)]
pub struct LimitArguments {
    /// Memory that the effect may use, in bytes; `default` for the setting.
    #[arg(long, value_name = "BYTES", value_parser = number_or_default::<u64>)]
    memory_bytes: Option<Given<u64>>,
    /// Seconds of work that the effect may take per second of audio; `default` for the setting.
    #[arg(long, value_name = "SECONDS", value_parser = number_or_default::<f64>)]
    work_per_audio: Option<Given<f64>>,
    #[command(flatten)]
    change: ChangeArguments,
}

/// A limit, or the word that takes one back.
#[derive(Debug, Clone, Copy)]
struct Given<T>(Option<T>);

fn number_or_default<T: std::str::FromStr>(text: &str) -> Result<Given<T>, String> {
    if text == "default" {
        return Ok(Given(None));
    }
    let number = text.parse();
    number
        .map(|number| Given(Some(number)))
        .map_err(|_| "must be a number or `default`".to_owned())
}

/// Has new jobs find the effect, or find it no more.
pub fn enable(arguments: &ChangeArguments, enabled: bool) -> Result<(), CliError> {
    let change = EffectChange {
        enabled: Some(enabled),
        ..EffectChange::default()
    };
    apply(arguments, &change)
}

/// Gives the effect limits of its own; without any it says which hold.
pub fn limit(arguments: &LimitArguments) -> Result<(), CliError> {
    let change = EffectChange {
        enabled: None,
        memory_bytes: arguments.memory_bytes.map(|given| given.0),
        work_per_audio: arguments.work_per_audio.map(|given| given.0),
    };
    apply(&arguments.change, &change)
}

fn apply(arguments: &ChangeArguments, change: &EffectChange) -> Result<(), CliError> {
    with_existing_shelf(&arguments.chosen, async |shelf, _| {
        let effect = shelf.change(&arguments.effect, change).await?;
        if arguments.json {
            let keys = shelf.keys().await?;
            print_json(&admin_record((shelf, &keys), &effect));
            return Ok(());
        }
        let state = if effect.record.enabled {
            "enabled"
        } else {
            "disabled"
        };
        let (memory_bytes, work_per_audio) = shelf.limits(&effect.record.effect.overrides);
        say_line!(
            "{} {state}, {memory_bytes} bytes of memory, {work_per_audio} s of work per second of audio",
            effect.full_name()
        );
        Ok(())
    })?;
    note(
        &arguments.chosen,
        "changeInstalledEffect",
        &arguments.effect,
    )
}

/// Removes an installed effect.
pub fn remove(arguments: &ChangeArguments) -> Result<(), CliError> {
    with_existing_shelf(&arguments.chosen, async |shelf, _| {
        let removed = shelf.remove(&arguments.effect, clock::now_us()).await?;
        let name = removed.full_name();
        if arguments.json {
            print_json(&json!({ "effect": name, "removed": true }));
        } else {
            say_line!("removed {name}");
        }
        Ok(())
    })?;
    note(
        &arguments.chosen,
        "removeInstalledEffect",
        &arguments.effect,
    )
}
