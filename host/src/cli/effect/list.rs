use clap::Args;

use super::{Chosen, CliError, host};
use crate::cli::print_json;
use crate::plugin::Catalog;

/// `vocalhost effect list`.
#[derive(Debug, Args)]
pub struct ListArguments {
    /// As JSON, with every parameter.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Prints the installed effects.
pub fn run(arguments: &ListArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    let catalog = Catalog::builtin(&host(&settings)?)?;
    if arguments.json {
        let records = catalog
            .entries()
            .iter()
            .map(crate::api::v1::effects::record);
        print_json(&records.collect());
        return Ok(());
    }
    for entry in catalog.entries() {
        let effect = &entry.descriptor;
        let alias = entry.alias.unwrap_or_default();
        println!(
            "{:<24} {:<8} {alias:<16} {}",
            effect.id, effect.version, effect.summary
        );
    }
    Ok(())
}
