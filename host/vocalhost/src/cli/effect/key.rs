use std::path::PathBuf;

use clap::{Args, Subcommand};
use serde_json::{Value, json};

use super::shelf::look_at_shelf;
use super::{Chosen, CliError};
use crate::cli::output::print_json;
use vocalhost_registry::SigningKey;

/// `vocalhost effect key`.
#[derive(Debug, Subcommand)]
pub enum KeyCommand {
    /// Make the key that signs what you publish. Keep a copy of it: effects that were signed with it belong to it.
    New(FileArguments),
    /// Print your public key, by which others know you.
    Show(FileArguments),
    /// List the ids of effects that belong to keys, and to which.
    List(Box<KeysArguments>),
}

/// Where the key is.
#[derive(Debug, Args)]
pub struct FileArguments {
    /// The file with the private key [default: vocalhost/effect-key.pem in the folder of your settings]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
}

/// What to list of which installation.
#[derive(Debug, Args)]
pub struct KeysArguments {
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Runs `vocalhost effect key`.
pub fn run(command: &KeyCommand) -> Result<(), CliError> {
    match command {
        KeyCommand::New(arguments) => {
            let file = place(arguments.file.as_ref())?;
            let key = SigningKey::make(&file)?;
            say_line!("{}", key.public());
            eprintln!("vocalhost: the private key is in {}", file.display());
            Ok(())
        }
        KeyCommand::Show(arguments) => {
            let key = SigningKey::read(&place(arguments.file.as_ref())?)?;
            say_line!("{}", key.public());
            Ok(())
        }
        KeyCommand::List(arguments) => list(arguments),
    }
}

fn list(arguments: &KeysArguments) -> Result<(), CliError> {
    look_at_shelf(&arguments.chosen, async |shelf| {
        let keys = shelf.keys().await?;
        if arguments.json {
            let records = keys
                .iter()
                .map(|key| json!({ "effect": key.effect_id, "key": key.public_key }));
            print_json(&records.collect::<Value>());
            return Ok(());
        }
        for key in &keys {
            say_line!("{:<28} {}", key.effect_id, key.public_key);
        }
        Ok(())
    })
}

/// The file of the key: the one that was named, or the user's own.
pub fn place(named: Option<&PathBuf>) -> Result<PathBuf, CliError> {
    if let Some(file) = named {
        return Ok(file.clone());
    }
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    folder("XDG_CONFIG_HOME")
        .or_else(|| folder("HOME").map(|home| home.join(".config")))
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join("vocalhost").join("effect-key.pem"))
        .ok_or_else(|| CliError::Usage("no home folder is known: name the key's file".to_owned()))
}
