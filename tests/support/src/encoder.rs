//! A content encoder that any voice of RVC's first generation can listen to.

use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::onnx::{Attribute, Graph};

/// The package of an encoder that gives 256 multiples of the mean of each frame, as a folder.
pub fn encoder(folder: &Path) {
    write(folder, means("content", 0));
}

/// The same, but for more than 20,000 samples, more than a graph is tried with alone, it gives values that are no numbers.
pub fn encoder_of_short_sounds(folder: &Path) {
    let graph = means("multiples", 0)
        .constant("most", &[1], &[20_000.0])
        .constant("nothing", &[1], &[0.0])
        .node("Size", &["source"], "count", &[])
        .node("Cast", &["count"], "samples", &[("to", Attribute::Int(1))])
        .node("Sub", &["most", "samples"], "room", &[])
        .node("Sqrt", &["room"], "root", &[])
        .node("Mul", &["root", "nothing"], "none", &[])
        .node("Add", &["multiples", "none"], "content", &[]);
    write(folder, graph);
}

/// An encoder like the first that hears half a frame of silence before and behind the sound, and gives a frame more.
pub fn encoder_with_edges(folder: &Path) {
    write(folder, means("content", 160));
}

/// The graph of an encoder as a program exports it: for each channel it gives the mean of each frame times `factor` times `scale`;
/// the file has the factors.
pub fn exported_encoder(factor: impl Fn(u16) -> f32, scale: f32) -> Vec<u8> {
    multiples("scaled", 0, factor)
        .constant("scale", &[1], &[scale])
        .node("Mul", &["scaled", "scale"], "units9", &[])
        .output(("units9", &[Some(1), None, Some(256)]))
        .model()
}

fn means(output: &str, pads: i64) -> Graph {
    multiples(output, pads, |channel| f32::from(channel) - 128.0)
}

fn multiples(output: &str, pads: i64, factor: impl Fn(u16) -> f32) -> Graph {
    let factors: Vec<f32> = (0..256).map(factor).collect();
    Graph::default()
        .input(("source", &[Some(1), Some(1), None]))
        .constant("factors", &[1, 1, 256], &factors)
        .node(
            "AveragePool",
            &["source"],
            "means",
            &[
                ("kernel_shape", Attribute::Ints(vec![320])),
                ("strides", Attribute::Ints(vec![320])),
                ("pads", Attribute::Ints(vec![pads; 2])),
            ],
        )
        .node(
            "Transpose",
            &["means"],
            "frames",
            &[("perm", Attribute::Ints(vec![0, 2, 1]))],
        )
        .node("Mul", &["frames", "factors"], output, &[])
}

fn write(folder: &Path, graph: Graph) {
    let graph = graph
        .output(("content", &[Some(1), None, Some(256)]))
        .model();
    let digest = base16ct::lower::encode_string(&Sha256::digest(&graph));
    let manifest = format!(
        "schema = 1\nid = \"test.encoder\"\nname = \"Means\"\nversion = \"1.0.0\"\nkind = \"content\"\n\
         family = \"wave-content\"\nlicense = \"MIT\"\nattribution = \"nobody\"\ntrained_on = \"nothing\"\n\
         consent = \"not a voice\"\ncreated = \"2026-11-21\"\n\n[audio]\nsample_rate_hz = 16000\nchannels = 1\n\n\
         [content]\ndim = 256\nrate_hz = 50\ncontext_s = 0.0\nlayer = 9\n\n\
         [[tensor]]\nio = \"in\"\nname = \"source\"\nrole = \"source_wave\"\ndtype = \"f32\"\nshape = [1, 1, \"N\"]\n\n\
         [[tensor]]\nio = \"out\"\nname = \"content\"\nrole = \"content\"\ndtype = \"f32\"\nshape = [1, \"T\", 256]\n\n\
         [files.\"graph.onnx\"]\nrole = \"graph\"\nsha256 = \"{digest}\"\nbytes = {}\n",
        graph.len()
    );
    fs::write(folder.join("graph.onnx"), graph).expect("written");
    fs::write(folder.join("package.toml"), manifest).expect("written");
}
