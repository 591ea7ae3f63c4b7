//! Help that is short: settings are flags of every command, and listed where people look for them.

use clap::Command;

use vocalhost_config::Settings;

/// Commands that are about settings.
const WITH_SETTINGS: [&str; 2] = ["serve", "config"];

const WHERE: &str =
    "Every setting of the server can be given as a flag, too: see `vocalhost serve --help`.";

/// The command, and those under it, without settings in their help but where they belong.
pub fn with_settings_in_their_place(command: Command) -> Command {
    if WITH_SETTINGS.contains(&command.get_name()) {
        return command;
    }
    let is_setting = |arg: &clap::Arg| Settings::NAMES.contains(&arg.get_id().as_str());
    let command = if command.get_arguments().any(is_setting) {
        command.after_help(WHERE)
    } else {
        command
    };
    let hidden = command.mut_args(|arg| {
        if is_setting(&arg) {
            return arg.hide(true);
        }
        // What a command declares after its settings stands under their heading otherwise.
        arg.help_heading(None)
    });
    hidden.mut_subcommands(with_settings_in_their_place)
}
