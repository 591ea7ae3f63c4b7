use clap::Args;

use super::shelf::look_at_shelf;
use super::{Chosen, CliError};
use crate::cli::output::print_json;
use vocalhost_api::v1::admin_effects::admin_record;

/// `vocalhost effect list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// As JSON, with every parameter.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Prints the effects that there are, disabled ones too.
pub fn run(arguments: &ListArguments) -> Result<(), CliError> {
    look_at_shelf(&arguments.chosen, async |shelf| {
        let listing = shelf.current().await?;
        let keys = shelf.keys().await?;
        if arguments.json {
            let records = listing.all().iter();
            let records = records.map(|effect| admin_record((shelf, &keys), effect));
            print_json(&records.collect());
            return Ok(());
        }
        for one in listing.all() {
            let effect = &one.descriptor;
            let alias = one.alias.unwrap_or_default();
            let state = if one.record.enabled {
                ""
            } else {
                "(disabled) "
            };
            let owner = keys.iter().find(|key| key.effect_id == effect.id);
            let owner = owner.map(|key| format!("({}) ", key.public_key));
            let owner = owner.unwrap_or_default();
            say_line!(
                "{:<28} {:<8} {:<9} {alias:<16} {state}{owner}{}",
                effect.id,
                effect.version,
                one.record.origin.as_str(),
                effect.summary
            );
        }
        Ok(())
    })
}
