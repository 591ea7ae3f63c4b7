//! Packages and graphs that are not what they look like.

use std::fs;

use super::{archive_of, imported, text};
use crate::support::onnx::Graph;
use crate::support::server::vocalhost;

#[test]
fn a_package_whose_files_have_names_that_no_folder_holds_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let long = "n".repeat(300);
    for (name, reason) in [
        ("graphs//model.onnx", "names nothing"),
        (long.as_str(), "longer than file names"),
        ("package.toml/model.onnx", "is a file, too"),
    ] {
        let said = imported(&archive_of(folder.path(), name)).expect_err("it is refused");
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn a_graph_that_hides_a_part_of_itself_is_refused_with_the_reason() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let wave = ("mix", &[Some(1), Some(2), Some(8_192)][..]);
    let graph = Graph::default()
        .input(wave)
        .constant("share", &[1, 2, 1, 1], &[0.5, 0.5])
        .node("Mul", &["mix", "share"], "stems", &[])
        .output(("stems", &[Some(1), Some(2), Some(2), Some(8_192)]));
    let honest = graph.model();
    // A second graph, which readers of Protocol Buffers put together with the first. Its tag has a bit more than the 32 that
    // ONNX Runtime's keeps.
    let hiding = [&honest[..], b"\xba\x80\x80\x80\x10\x02\x0a\x00"].concat();
    let doubled = [&honest[..], b"\x3a\x02\x0a\x00"].concat();
    let data = folder.path().join("data");
    for (content, expected) in [
        (&honest, "mdx23c"),
        (
            &hiding,
            "the tag or the length of a field in more than 32 bits",
        ),
        (&doubled, "the field 7 in the model twice"),
    ] {
        let path = folder.path().join("model.onnx");
        fs::write(&path, content).expect("written");
        let arguments = [
            "models",
            "check",
            text(&path),
            "--set",
            "stems=vocals,backing",
        ];
        let output = vocalhost(&data, &arguments);
        let said = [output.stdout, output.stderr].concat();
        let said = String::from_utf8_lossy(&said).to_lowercase();
        assert_eq!(output.status.success(), content == &honest, "{said}");
        assert!(said.contains(expected), "{said}");
    }
}
