//! What each layer refuses, as `docs/sandbox.md` shows it.

use super::deed::Deed;
use super::{on_files, on_kernel, on_network, on_processes};
use vocalhost_sandbox::Layer;

/// Every deed.
pub fn deeds() -> impl Iterator<Item = &'static Deed> {
    let all = [
        on_files::DEEDS,
        on_network::DEEDS,
        on_processes::DEEDS,
        on_kernel::DEEDS,
    ];
    all.into_iter().flatten()
}

/// What can be done where one of the layers `here` is missing.
pub fn remains_without(layer: Layer, here: &[Layer]) -> impl Iterator<Item = &'static Deed> {
    deeds().filter(move |deed| {
        let refuse = |one: &&Layer| here.contains(one);
        deed.refused_by.iter().filter(refuse).eq(&[layer])
    })
}

/// Both tables.
pub fn whole() -> String {
    let mut text = String::from("| without | what can be done then |\n|---|---|\n");
    for layer in Layer::ALL {
        let names: Vec<&str> = remains_without(layer, &Layer::ALL)
            .map(|deed| deed.name)
            .collect();
        let names = if names.is_empty() {
            "nothing of this".to_owned()
        } else {
            names.join("; ")
        };
        text += &["| `", layer.as_str(), "` | ", &names, " |\n"].concat();
    }
    let names = Layer::ALL.map(Layer::as_str);
    text += &[
        "\n| | ",
        &names.join(" | "),
        " |\n|---",
        &names.map(|_| "|---").concat(),
        "|\n",
    ]
    .concat();
    for deed in deeds() {
        let is_refused = |layer: &Layer| deed.refused_by.contains(layer);
        let mark = |layer: &Layer| if is_refused(layer) { "refused" } else { "" };
        let marks: Vec<&str> = Layer::ALL.iter().map(mark).collect();
        text += &["| ", deed.name, " | ", &marks.join(" | "), " |\n"].concat();
    }
    text
}
