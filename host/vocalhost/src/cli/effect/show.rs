use clap::Args;
use serde_json::json;

use super::index::values;
use super::shelf::look_at_shelf;
use super::{Chosen, CliError};
use crate::cli::output::print_json;
use vocalhost_api::v1::admin_effects::admin_record;
use vocalhost_catalogues::shelf::{ListedEffect, Shelf};
use vocalhost_effects::{Parameter, Preset};
use vocalhost_store::EffectKey;

/// `vocalhost effect show`.
#[derive(Debug, Args)]
pub struct ShowArguments {
    /// Its id, or `id@version`; without a version the newest one.
    #[arg(value_name = "ID[@VERSION]")]
    effect: String,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Prints all there is to know about an effect.
pub fn run(arguments: &ShowArguments) -> Result<(), CliError> {
    look_at_shelf(&arguments.chosen, async |shelf| {
        let listing = shelf.current().await?;
        let effect = listing.look_up(&arguments.effect)?;
        let keys = shelf.keys().await?;
        if arguments.json {
            print_json(&admin_record((shelf, &keys), effect));
        } else {
            let owner = keys
                .iter()
                .find(|key| key.effect_id == effect.descriptor.id);
            print_effect(shelf, effect, owner);
        }
        Ok(())
    })
}

fn print_effect(shelf: &Shelf, effect: &ListedEffect, owner: Option<&EffectKey>) {
    let (about, record) = (&effect.descriptor, &effect.record);
    let state = if record.enabled {
        "enabled"
    } else {
        "disabled"
    };
    say_line!("{} {}: {}", about.id, about.version, about.name);
    say_line!("{}", about.summary);
    say_line!("vendor    {}", about.vendor);
    if let Some(owner) = owner {
        say_line!("key       {}", owner.public_key);
    }
    say_line!("state     {state}, {}", record.origin.as_str());
    say_line!("component sha256:{}", record.effect.digest);
    let (memory_bytes, work_per_audio) = shelf.limits(&record.effect.overrides);
    say_line!(
        "limits    {memory_bytes} bytes of memory, {work_per_audio} s of work per second of audio"
    );
    for parameter in &about.parameters {
        print_parameter(parameter);
    }
    for preset in &about.presets {
        print_preset(preset);
    }
}

fn print_parameter(parameter: &Parameter) {
    let values = values(parameter);
    say_line!("  {:<20} {values}", parameter.id);
}

fn print_preset(preset: &Preset) {
    let settings: Vec<String> = preset
        .settings
        .iter()
        .map(|(id, value)| format!("{id}={}", json!(value)))
        .collect();
    say_line!("  preset {:<13} {}", preset.id, settings.join(" "));
}
