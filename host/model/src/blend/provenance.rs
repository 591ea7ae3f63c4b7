//! The texts that a blend inherits: who made its voices, from what, under which terms.

use std::fmt::Write as _;

use crate::limits::MAX_TEXT_BYTES;
use crate::manifest::Manifest;
use crate::sections::BlendSource;

/// The end of a text that was cut to fit.
const CUT_TEXT: &str = " ... (the rest is under [[blend]])";
/// Decimal places of a share on the card.
const SHARE_PLACES: usize = 4;

/// The original voices that a blend comes from, with their shares. Blends among its voices are resolved into their
/// sources, and a voice that comes along several ways is listed once.
pub(super) fn sources(voices: &[(&Manifest, f64)]) -> Vec<BlendSource> {
    let mut found: Vec<BlendSource> = Vec::new();
    for (manifest, share) in voices {
        let own = [itself(manifest)];
        let sources = if manifest.blended.is_empty() {
            &own[..]
        } else {
            &manifest.blended
        };
        for source in sources {
            let share = share * source.share;
            // The product of two small ones may be 0.
            if share == 0.0 {
                continue;
            }
            let same =
                |known: &&mut BlendSource| known.id == source.id && known.version == source.version;
            match found.iter_mut().find(same) {
                Some(known) => known.share += share,
                None => found.push(BlendSource {
                    share,
                    ..source.clone()
                }),
            }
        }
    }
    found
}

fn itself(manifest: &Manifest) -> BlendSource {
    BlendSource {
        id: manifest.id.clone(),
        name: manifest.name.clone(),
        version: manifest.version.clone(),
        share: 1.0,
        license: manifest.license.clone(),
        attribution: manifest.attribution.clone(),
        trained_on: manifest.trained_on.clone(),
        consent: manifest.consent.clone(),
        source_url: manifest.source_url.clone(),
    }
}

/// The licences of all sources, as one SPDX expression: every one of them has to be kept.
pub(super) fn license(sources: &[BlendSource]) -> String {
    let mut found = distinct(sources, |source| &source.license);
    if let [_, _, ..] = found[..] {
        for license in &mut found {
            if license.contains(" OR ") && !license.starts_with('(') {
                *license = format!("({license})");
            }
        }
    }
    fitting(&found.join(" AND "))
}

/// A text of all sources, joined, each wording once.
pub(super) fn joined(sources: &[BlendSource], text: fn(&BlendSource) -> &String) -> String {
    fitting(&distinct(sources, text).join(" "))
}

fn distinct(sources: &[BlendSource], text: fn(&BlendSource) -> &String) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for source in sources {
        let text = text(source).trim();
        if !found.iter().any(|known| known == text) {
            found.push(text.to_owned());
        }
    }
    found
}

fn fitting(text: &str) -> String {
    if text.len() <= MAX_TEXT_BYTES {
        return text.to_owned();
    }
    let most = MAX_TEXT_BYTES - CUT_TEXT.len();
    let end = (0..=most).rfind(|end| text.is_char_boundary(*end));
    format!("{}{CUT_TEXT}", &text[..end.unwrap_or(0)])
}

/// What the card says besides the manifest.
pub(super) struct CardFacts {
    /// Title of the voice that the demo recording was made from.
    pub(super) demo_of: Option<String>,
    /// Names of the notices' files.
    pub(super) notices: Vec<String>,
}

/// The card of a blend.
pub(super) fn card(manifest: &Manifest, facts: &CardFacts) -> String {
    let mut card = format!("# {}\n\n", manifest.name);
    let mut say = |text: &str| {
        card.push_str(text);
        card.push_str("\n\n");
    };
    say(&format!(
        "A blend of voices. Package `{}`, version {}.",
        manifest.id, manifest.version
    ));
    let rate = manifest.audio.sample_rate_hz;
    say(&format!(
        "**What it is.** A voice of the family of those it was made from. It speaks at {rate} Hz. Nobody has this voice, \
         but it may resemble those it was made from."
    ));
    let mut making = "**How it was made.** The weights of the decoders were interpolated one by one, in these shares; \
                      blends among them are resolved into their own sources. Content is drawn towards each voice's \
                      index by its share, and the mean pitch lies between theirs on the scale of semitones."
        .to_owned();
    if let Some(demo_of) = &facts.demo_of {
        let _ = write!(
            making,
            " The demo recording is that of {demo_of}, moved to the blend's pitch and converted by the blend."
        );
    }
    say(&making);
    let mut table =
        "| share | voice | package | version | licence |\n| --- | --- | --- | --- | --- |"
            .to_owned();
    for source in &manifest.blended {
        let cells =
            [&source.name, &source.id, &source.version, &source.license].map(|text| cell(text));
        let _ = write!(
            table,
            "\n| {:.SHARE_PLACES$} | {} |",
            source.share,
            cells.join(" | ")
        );
    }
    say(&table);
    say(&format!(
        "**Licence.** All of: {}. Who passes the blend on keeps to each of them, names everybody below and keeps the \
         notices with it{}.",
        manifest.license,
        listed(&facts.notices)
    ));
    for source in &manifest.blended {
        say(&format!("## {}", source.name.replace(['\n', '\r'], " ")));
        say(&format!("**Attribution.** {}", source.attribution));
        say(&format!("**Trained on.** {}", source.trained_on));
        say(&format!("**Consent.** {}", source.consent));
        if let Some(url) = &source.source_url {
            say(&format!("**From.** {url}"));
        }
    }
    card.truncate(card.trim_end().len());
    card.push('\n');
    card
}

fn listed(notices: &[String]) -> String {
    if notices.is_empty() {
        return String::new();
    }
    format!(" ({})", notices.join(", "))
}

/// A text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace(['\n', '\r'], " ")
}
