//! The manifest of the SDK outside this workspace.

use toml::{Table, Value};

const SDK: &str = include_str!("../../../../plugins/sdk/Cargo.toml");
const WORKSPACE: &str = include_str!("../../../../Cargo.toml");

/// The SDK's manifest with everything that it inherits written out.
pub(super) fn standalone() -> String {
    let parse = |text: &str| -> Table { text.parse().expect("cargo has read it") };
    let workspace = parse(WORKSPACE);
    let workspace = workspace["workspace"].as_table().expect("it is one");
    let mut sdk = parse(SDK);
    inherit(table_of(&mut sdk, "package"), &workspace["package"]);
    inherit(
        table_of(&mut sdk, "dependencies"),
        &workspace["dependencies"],
    );
    sdk.insert("lints".to_owned(), workspace["lints"].clone());
    sdk.to_string()
}

fn table_of<'a>(manifest: &'a mut Table, key: &str) -> &'a mut Table {
    manifest[key]
        .as_table_mut()
        .expect("the SDK has this table")
}

/// Replaces every `key.workspace = true` by the workspace's value.
fn inherit(own: &mut Table, workspace: &Value) {
    for (key, value) in own.iter_mut() {
        if value.get("workspace").is_some() {
            *value = workspace[key.as_str()].clone();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_inherited_any_more() {
        let text = standalone();
        assert!(!text.contains("workspace"), "{text}");
        let manifest: Table = text.parse().expect("it is a manifest");
        assert_eq!(
            manifest["package"]["name"].as_str(),
            Some("vocalhost-effect")
        );
        assert!(
            manifest["dependencies"]["wit-bindgen"]
                .get("version")
                .is_some()
        );
    }
}
