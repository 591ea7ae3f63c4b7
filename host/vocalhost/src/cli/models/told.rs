//! What is told of a model that is looked at: of its files, of what was found in them, and of what they do not say.

use std::path::Path;

use serde_json::{Value, json};

use vocalhost_letters::words::plain;
use vocalhost_work::worker::import::{Findings, Question, Why};

/// The most characters of a file's name that are printed; no system has longer ones.
const MAX_SHOWN: usize = 4_096;

/// The name of a file that somebody may have got from elsewhere, without what a terminal would obey.
pub fn shown(file: &Path) -> String {
    plain(&file.to_string_lossy(), MAX_SHOWN)
}

/// What is still to be said, and what cannot be said so.
pub fn to_say(questions: &[Question]) -> String {
    let list = |title: &str, is_asked: fn(&Question) -> bool| {
        let asked = questions.iter().filter(|question| is_asked(question));
        let lines: Vec<String> = asked.map(ask).collect();
        (!lines.is_empty()).then(|| format!("{title}:\n{}", lines.join("\n")))
    };
    let lists = [
        list(
            "what was said about the model cannot be taken",
            |question| question.why != Why::Unsaid,
        ),
        list("the files do not say everything; add", |question| {
            question.why == Why::Unsaid
        }),
    ];
    let lists: Vec<String> = lists.into_iter().flatten().collect();
    lists.join("\n")
}

/// A question as a flag that answers it.
fn ask(question: &Question) -> String {
    let flag = match question.name.as_str() {
        "title" => "--name".to_owned(),
        "tags" => "--tag".to_owned(),
        name @ ("id" | "license" | "attribution" | "consent" | "trained_on" | "source_url") => {
            format!("--{}", name.replace('_', "-"))
        }
        name => format!("--set {name}="),
    };
    format!("  {flag}  {}", question.in_words())
}

/// What was found, in JSON.
pub fn in_json(findings: &Findings) -> Value {
    json!({
        "packageId": findings.id,
        "kind": findings.kind.as_str(),
        "family": findings.family,
        "found": findings.found,
    })
}

/// What was found, a line each.
pub fn print_found(findings: &Findings) {
    for line in &findings.found {
        say_line!("{line}");
    }
}
