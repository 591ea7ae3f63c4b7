use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use super::host::host;
use super::{Chosen, CliError, key, registry};
use crate::cli::output::print_json;
use crate::cli::runtime::runtime;
use vocalhost_effects::{Descriptor, EffectLimits};
use vocalhost_registry::{Access, Contents, KeyError, Reference, SigningKey};

/// Annotations of the image specification.
const VERSION: &str = "org.opencontainers.image.version";
const TITLE: &str = "org.opencontainers.image.title";
const DESCRIPTION: &str = "org.opencontainers.image.description";
const VENDOR: &str = "org.opencontainers.image.vendor";
/// The effect's id, for whoever lists a registry.
const ID: &str = "vocalhost.effect.id";

/// `vocalhost effect publish`.
#[derive(Debug, Args)]
pub struct PublishArguments {
    /// The component: a `.wasm` file.
    #[arg(value_name = "FILE")]
    component: PathBuf,
    /// What it is to be called, such as `oci://registry.example/effects/robot`; without a version it gets its own.
    #[arg(value_name = "NAME")]
    name: Reference,
    /// The file with your key [default: the one that `effect key new` made]
    #[arg(long, value_name = "FILE", conflicts_with = "unsigned")]
    key: Option<PathBuf>,
    /// Publish it without a signature: whoever installs it has to trust it as it is.
    #[arg(long)]
    unsigned: bool,
    /// Ask the registry without encryption, also when it is another machine.
    #[arg(long)]
    plain_http: bool,
    /// Say what was published in JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    chosen: Chosen,
}

/// Publishes an effect and prints its name with the digest, by which exactly this one can be installed.
pub fn run(arguments: &PublishArguments) -> Result<(), CliError> {
    let settings = arguments.chosen.load()?.settings;
    let component = read(arguments)?;
    let effect = host(&settings)?.load(&component)?;
    let about = effect.descriptor();
    let key = key_of(arguments)?;
    let reference = with_version(&arguments.name, &about.version)?;
    let contents = contents(component, about)?;
    let mut registry = registry::open(reference.clone(), Access::Write, arguments.plain_http)?;
    let published = runtime()?.block_on(registry.publish(&contents, key.as_ref()))?;
    let name = format!("{reference}@{}", published.digest);
    if arguments.json {
        print_json(&json!({
            "effect": format!("{}@{}", about.id, about.version),
            "name": reference.to_string(),
            "digest": published.digest,
            "isNew": published.is_new,
            "key": key.map(|key| key.public().to_string()),
        }));
    } else if published.is_new {
        say_line!("published {name}");
    } else {
        say_line!("{name} was there already");
    }
    Ok(())
}

fn read(arguments: &PublishArguments) -> Result<Vec<u8>, CliError> {
    use std::io::Read as _;

    let unreadable = CliError::of_file("cannot read", &arguments.component);
    let file = std::fs::File::open(&arguments.component).map_err(unreadable)?;
    let mut component = Vec::new();
    // One that is larger is refused when it is loaded.
    let most = EffectLimits::default().component_bytes as u64 + 1;
    let read = file.take(most).read_to_end(&mut component);
    read.map_err(unreadable)?;
    Ok(component)
}

fn key_of(arguments: &PublishArguments) -> Result<Option<SigningKey>, CliError> {
    if arguments.unsigned {
        return Ok(None);
    }
    match SigningKey::read(&key::place(arguments.key.as_ref())?) {
        Ok(key) => Ok(Some(key)),
        Err(KeyError::File { file, source }) if source.kind() == std::io::ErrorKind::NotFound => {
            let file = file.display();
            Err(CliError::Usage(format!(
                "there is no key at {file}: make one with `vocalhost effect key new`, or publish with --unsigned"
            )))
        }
        Err(error) => Err(error.into()),
    }
}

/// The name with the effect's own version. A tag that reads like a version and is another one would mislead.
fn with_version(name: &Reference, version: &str) -> Result<Reference, CliError> {
    let refuse = |why: String| Err(CliError::Usage(why));
    if name.digest.is_some() {
        return refuse("a digest is what publishing gives, not what it takes".to_owned());
    }
    // What is behind a plus sign has no place in tags.
    let own = version.replace('+', "_");
    match &name.tag {
        None => Ok(Reference {
            tag: Some(own),
            ..name.clone()
        }),
        Some(tag) if *tag == own || !is_version(tag) => Ok(name.clone()),
        Some(tag) => refuse(format!(
            "the effect says that it is version {version}, and the name says {tag}"
        )),
    }
}

/// Whether a tag reads like a version: three numbers, and what may follow them.
fn is_version(tag: &str) -> bool {
    let core = tag.split(['-', '_']).next().unwrap_or_default();
    let numbers: Vec<&str> = core.split('.').collect();
    numbers.len() == 3 && numbers.iter().all(|number| number.parse::<u64>().is_ok())
}

fn contents(component: Vec<u8>, about: &Descriptor) -> Result<Contents, CliError> {
    let interfaces = vocalhost_kit::interfaces(&component);
    let interfaces = interfaces.ok_or_else(|| {
        CliError::Usage("the interfaces of the component cannot be read".to_owned())
    })?;
    let annotations = [
        (TITLE, &about.name),
        (DESCRIPTION, &about.summary),
        (VENDOR, &about.vendor),
        (VERSION, &about.version),
        (ID, &about.id),
    ];
    let annotations = annotations.map(|(name, value)| (name.to_owned(), value.clone()));
    Ok(Contents {
        component,
        file_name: format!("{}-{}.wasm", about.id, about.version),
        author: Some(about.vendor.clone()),
        exports: interfaces.exports,
        imports: interfaces.imports,
        annotations: BTreeMap::from(annotations),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(name: &str, version: &str) -> Result<String, String> {
        let name: Reference = name.parse().expect("it is a name");
        let tagged = with_version(&name, version);
        tagged
            .map(|name| name.to_string())
            .map_err(|error| error.to_string())
    }

    #[test]
    fn a_name_has_the_version_of_the_effect() {
        let own = |version: &str| tagged("oci://a.example/robot", version);
        assert_eq!(own("1.0.0"), Ok("oci://a.example/robot:1.0.0".to_owned()));
        assert_eq!(
            own("1.0.0-rc.1+7"),
            Ok("oci://a.example/robot:1.0.0-rc.1_7".to_owned())
        );
        for tag in ["1.0.0", "latest", "v1"] {
            let name = format!("oci://a.example/robot:{tag}");
            assert_eq!(tagged(&name, "1.0.0"), Ok(name));
        }
        assert!(tagged("oci://a.example/robot:1.0.1", "1.0.0").is_err());
        assert!(tagged("oci://a.example/robot:1.0.0", "1.0.0-rc.1").is_err());
    }
}
