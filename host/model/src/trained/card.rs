use std::fmt::Write as _;

use crate::manifest::Manifest;

/// The card of a voice that was trained here.
pub(super) fn card(manifest: &Manifest, base: &Manifest, figures: &[(String, String)]) -> String {
    let mut card = format!("# {}\n\n", manifest.name);
    let mut say = |text: String| {
        card.push_str(&text);
        card.push_str("\n\n");
    };
    say(format!(
        "A voice that was trained on this server. Package `{}`, version {}.",
        manifest.id, manifest.version
    ));
    say(format!(
        "**How it was made.** The weights of the decoder of {} (`{}`) went on learning from the recordings below: the curves that it \
         draws for what is said in them were compared with those of the recordings themselves. The index is what the recordings \
         typically say. The picture is drawn by a formula. The demo recording is that of {}, moved to this voice's pitch and converted.",
        base.name, base.id, base.name
    ));
    say(format!("**Trained on.** {}", manifest.trained_on));
    say(format!("**Consent.** {}", manifest.consent));
    say(format!("**Licence.** {}", manifest.license));
    say(format!("**Attribution.** {}", manifest.attribution));
    let mut table = "| figure | value |\n| --- | --- |".to_owned();
    for (name, value) in figures {
        let _ = write!(table, "\n| {name} | {value} |");
    }
    say(table);
    card.truncate(card.trim_end().len());
    card.push('\n');
    card
}
