use std::path::{Path, PathBuf};

use clap::Args;

use super::CliError;
use vocalhost_kit::new::{self, EffectId, Language, Project, ProjectName, Vendor};

/// `vocalhost effect new`.
#[derive(Debug, Args)]
pub struct NewArguments {
    /// The folder and crate to make: a to z, 0 to 9 and `-`.
    name: ProjectName,
    /// What it is written in.
    #[arg(long, value_enum, default_value = "rust")]
    lang: Language,
    /// The effect's id, globally unique and for good [default: com.example.NAME].
    #[arg(long)]
    id: Option<EffectId>,
    /// Who makes it [default: Example].
    #[arg(long)]
    vendor: Option<Vendor>,
    /// The folder to make it in.
    #[arg(long, value_name = "FOLDER", default_value = ".")]
    into: PathBuf,
}

/// Makes the project and says what to do with it.
pub fn run(arguments: NewArguments) -> Result<(), CliError> {
    let NewArguments {
        name,
        lang,
        id,
        vendor,
        into,
    } = arguments;
    let project = Project {
        id: id.unwrap_or_else(|| name.example_id()),
        name,
        language: lang,
        vendor: vendor.unwrap_or_default(),
    };
    let place = new::create(&project, &into)?;
    let place = place.strip_prefix(".").unwrap_or(&place);
    say_line!("made {} with the effect {}", place.display(), project.id);
    say_line!("next:");
    for step in steps(&project, place) {
        say_line!("  {step}");
    }
    Ok(())
}

/// What to type to test, build and check the effect.
fn steps(project: &Project, place: &Path) -> Vec<String> {
    let name = &project.name;
    let mut steps = vec![format!("cd {}", place.display())];
    let (build, component): (&[&str], _) = match project.language {
        Language::Rust => (
            &["cargo test", "cargo build --release --target wasm32-wasip2"],
            format!("target/wasm32-wasip2/release/{}.wasm", name.library()),
        ),
        Language::C => (
            &["python3 -m pip install ziglang", "make test", "make"],
            format!("{name}.wasm"),
        ),
        Language::Js => (
            &["npm install", "npm test", "npm run build"],
            format!("{name}.wasm"),
        ),
    };
    steps.extend(build.iter().map(|&step| step.to_owned()));
    steps.push(format!("vocalhost effect check {component}"));
    steps
}
