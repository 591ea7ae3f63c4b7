//! Help that is short: settings are flags of every command, and listed where people look for them.

use clap::Command;

use crate::config::SettingFlags;

/// Commands that are about settings.
const WITH_SETTINGS: [&str; 2] = ["serve", "config"];

const WHERE: &str =
    "Every setting of the server can be given as a flag, too: see `vocalhost serve --help`.";

/// The command, and those under it, without settings in their help but where they belong.
pub fn with_settings_in_their_place(command: Command) -> Command {
    if WITH_SETTINGS.contains(&command.get_name()) {
        return command;
    }
    let is_setting = |arg: &clap::Arg| arg.get_help_heading() == Some(SettingFlags::HEADING);
    let command = if command.get_arguments().any(is_setting) {
        command.after_help(WHERE)
    } else {
        command
    };
    let hidden = command.mut_args(|arg| {
        let hides = is_setting(&arg);
        if hides { arg.hide(true) } else { arg }
    });
    hidden.mut_subcommands(with_settings_in_their_place)
}
