use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use serde_json::{Value, json};

use super::host::host;
use super::{Chosen, CliError};
use vocalhost_effects::{Descriptor, EffectHost, Kind, Parameter};

/// What the page begins with. It runs nothing and asks for nothing else.
const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
     <title>Effects</title>\n<style>body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em}\
     table{border-collapse:collapse}td,th{text-align:left;padding:.1em 1em .1em 0}code{overflow-wrap:anywhere}</style>\n<h1>Effects</h1>\n";

/// `vocalhost effect index`.
#[derive(Debug, Args)]
pub struct IndexArguments {
    /// The folder with the components (`.wasm`). `index.html` and `index.json` are written into it.
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
    #[command(flatten)]
    chosen: Chosen,
}

/// An effect in the folder.
struct Entry {
    file: String,
    bytes: usize,
    digest: String,
    about: Descriptor,
}

/// Writes the page and the JSON, and prints what is in them. A file that is no effect is named and left out.
pub fn run(arguments: &IndexArguments) -> Result<(), CliError> {
    let host = host(&arguments.chosen.load()?.settings)?;
    let mut entries = Vec::new();
    for file in components(&arguments.folder)? {
        match entry(&host, &file) {
            Ok(entry) => entries.push(entry),
            Err(error) => eprintln!("vocalhost: {} is left out: {error}", file.display()),
        }
    }
    entries.sort_by(|one, other| {
        let by = |entry: &Entry| (entry.about.id.clone(), entry.file.clone());
        by(one).cmp(&by(other))
    });
    let list: Vec<Value> = entries.iter().map(record).collect();
    let list = format!("{:#}\n", json!({ "effects": list }));
    write(&arguments.folder.join("index.json"), &list)?;
    write(&arguments.folder.join("index.html"), &page(&entries))?;
    for entry in &entries {
        say_line!("{} {} {}", entry.about.id, entry.about.version, entry.file);
    }
    Ok(())
}

/// The components in a folder, by name.
fn components(folder: &Path) -> Result<Vec<PathBuf>, CliError> {
    let unreadable = CliError::of_file("cannot list", folder);
    let mut files = Vec::new();
    for file in std::fs::read_dir(folder).map_err(unreadable)? {
        let file = file.map_err(unreadable)?.path();
        if file.extension().is_some_and(|ending| ending == "wasm") && file.is_file() {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn entry(host: &EffectHost, file: &Path) -> Result<Entry, CliError> {
    let component = std::fs::read(file).map_err(CliError::of_file("cannot read", file))?;
    let name = file.file_name().unwrap_or_default();
    Ok(Entry {
        file: name.to_string_lossy().into_owned(),
        bytes: component.len(),
        digest: EffectHost::digest(&component),
        about: host.load(&component)?.descriptor().clone(),
    })
}

fn record(entry: &Entry) -> Value {
    let about = &entry.about;
    json!({
        "id": about.id,
        "version": about.version,
        "name": about.name,
        "vendor": about.vendor,
        "summary": about.summary,
        "parameters": about.parameters,
        "file": entry.file,
        "digest": format!("sha256:{}", entry.digest),
        "bytes": entry.bytes,
    })
}

fn page(entries: &[Entry]) -> String {
    let mut page = HEAD.to_owned();
    for entry in entries {
        let about = &entry.about;
        // Writing to a string cannot fail.
        let _ = write!(
            page,
            "<h2>{}</h2>\n<p>{}</p>\n<p><a href=\"{}\">{} {}</a> by {}, {} bytes<br><code>sha256:{}</code></p>\n<table>\n",
            escaped(&about.name),
            escaped(&about.summary),
            escaped(&address(&entry.file)),
            escaped(&about.id),
            escaped(&about.version),
            escaped(&about.vendor),
            entry.bytes,
            entry.digest,
        );
        for parameter in &about.parameters {
            let _ = writeln!(
                page,
                "<tr><th>{}<td>{}",
                escaped(&parameter.id),
                escaped(&values(parameter))
            );
        }
        page.push_str("</table>\n");
    }
    page
}

/// What a parameter may be, and what it is when nobody says.
pub(super) fn values(parameter: &Parameter) -> String {
    match &parameter.kind {
        Kind::Number {
            min,
            max,
            default,
            unit,
            ..
        } => format!("{min} to {max} {unit} ({default})"),
        Kind::Toggle { default } => format!("true or false ({default})"),
        Kind::Choice { options, default } => {
            let ids: Vec<&str> = options.iter().map(|option| option.id.as_str()).collect();
            format!("{} ({default})", ids.join(", "))
        }
    }
}

/// A file's name as a relative address: every byte but plain letters as `%` and hex, so that none leads elsewhere.
fn address(file: &str) -> String {
    let mut address = "./".to_owned();
    for byte in file.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._".contains(&byte) {
            address.push(char::from(byte));
        } else {
            let _ = write!(address, "%{byte:02X}");
        }
    }
    address
}

/// A stranger's text in HTML.
fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            letter => escaped.push(letter),
        }
    }
    escaped
}

fn write(file: &Path, text: &str) -> Result<(), CliError> {
    std::fs::write(file, text).map_err(CliError::of_file("cannot write", file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_stranger_writes_stays_text() {
        assert_eq!(
            escaped("<b a=\"1\" c='2'>&"),
            "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;"
        );
        assert_eq!(address("a b\"é?.wasm"), "./a%20b%22%C3%A9%3F.wasm");
        assert_eq!(address("javascript:x"), "./javascript%3Ax");
    }
}
