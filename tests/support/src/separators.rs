//! Separator packages whose graphs do something that a test can foresee.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use sha2::{Digest, Sha256};

use crate::onnx::Graph;

/// The rate of the packages.
pub const RATE_HZ: u32 = 8_000;

/// A separator package to be written.
pub struct Separator {
    /// What it separates.
    pub task: &'static str,
    /// The names of the stems, in the graph's order.
    pub stems: Vec<&'static str>,
    /// Its family.
    pub family: &'static str,
    /// More lines of `[separator]` and `[stems]`.
    pub facts: &'static str,
    /// The name of what the stems leave of the mix.
    pub residual: &'static str,
    /// The sections `[stft]` and `[chunk]`.
    pub sections: String,
    /// Direction, name, role, dimensions and layout of every tensor.
    pub tensors: Vec<(
        &'static str,
        &'static str,
        &'static str,
        String,
        &'static str,
    )>,
    /// The graph.
    pub graph: Graph,
}

impl Separator {
    /// A separator of waves in pieces of 4,000 samples that gives each stem a constant share of the mix.
    pub fn of_shares(
        task: &'static str,
        stems: &[(&'static str, f32)],
        residual: &'static str,
    ) -> Self {
        let graph = shares(Graph::default(), "mix", stems);
        Self {
            task,
            stems: stems.iter().map(|(name, _)| *name).collect(),
            family: "wave-to-stems",
            facts: "",
            residual,
            sections: "[chunk]\nsamples = 4000\noverlap = 0.25\n".to_owned(),
            tensors: vec![
                ("in", "mix", "mix_wave", "1, 2, 4000".to_owned(), "b c n"),
                (
                    "out",
                    "out",
                    "stems_wave",
                    format!("1, {}, 2, 4000", stems.len()),
                    "b s c n",
                ),
            ],
            graph,
        }
    }

    /// The same, but of what both sides have in common: where one is the other turned, there is nothing.
    pub fn of_shares_of_the_middle(
        task: &'static str,
        stems: &[(&'static str, f32)],
        residual: &'static str,
    ) -> Self {
        let middle = Graph::default()
            .constant("both", &[1, 2, 2], &[0.5; 4])
            .node("MatMul", &["both", "mix"], "middle", &[]);
        let graph = shares(middle, "middle", stems);
        Self {
            graph,
            ..Self::of_shares(task, stems, residual)
        }
    }

    /// Writes the package, named after its task, into a new folder of its own below `models`.
    pub fn write(self, models: &Path) {
        let id = format!("test.{}-1", self.task);
        self.write_as(models, &id);
    }

    /// Writes the package into a new folder of its own below `models`, both of that name.
    pub fn write_as(self, models: &Path, id: &str) {
        let folder = models.join(id);
        fs::create_dir_all(&folder).expect("a folder");
        let graph = self.graph.model();
        let names: Vec<String> = self.stems.iter().map(|name| format!("{name:?}")).collect();
        let mut text = format!(
            "schema = 1\nid = \"{id}\"\nname = \"Test\"\nversion = \"1.0.0\"\nkind = \"separator\"\nfamily = \"{}\"\n\
             license = \"MIT\"\nattribution = \"nobody\"\ntrained_on = \"nothing\"\nconsent = \"not needed\"\n\
             created = \"2026-11-21\"\n\n[audio]\nsample_rate_hz = {RATE_HZ}\nchannels = 2\n\n[separator]\ntask = \"{}\"\n{}\n\
             [stems]\nnames = [{}]\nresidual = \"{}\"\n\n{}\n",
            self.family,
            self.task,
            self.facts,
            names.join(", "),
            self.residual,
            self.sections,
        );
        for (io, name, role, shape, layout) in &self.tensors {
            write!(
                text,
                "[[tensor]]\nio = \"{io}\"\nname = \"{name}\"\nrole = \"{role}\"\ndtype = \"f32\"\nshape = [{shape}]\n\
                 layout = \"{layout}\"\n\n"
            )
            .expect("written");
        }
        let digest = base16ct::lower::encode_string(&Sha256::digest(&graph));
        write!(
            text,
            "[files.\"graph.onnx\"]\nrole = \"graph\"\nsha256 = \"{digest}\"\nbytes = {}\n",
            graph.len()
        )
        .expect("written");
        fs::write(folder.join("graph.onnx"), graph).expect("written");
        fs::write(folder.join("package.toml"), text).expect("written");
    }
}

/// Separators of constant shares of every task, in a folder of models.
pub fn write_all(models: &Path) {
    Separator::of_shares("vocals", &[("vocals", 0.6)], "backing").write(models);
    let sung = [("lead", 0.7), ("harmony", 0.2)];
    Separator::of_shares("lead", &sung, "reverb").write(models);
    let parts = [("bass", 0.3), ("vocals", 0.4), ("drums", 0.1)];
    Separator::of_shares("stems", &parts, "other").write(models);
}

/// The graph with its ports, and with each stem's share of `value`, which begins as its input `mix`.
fn shares(graph: Graph, value: &str, stems: &[(&str, f32)]) -> Graph {
    let shares: Vec<f32> = stems.iter().map(|(_, share)| *share).collect();
    let count = stems.len() as i64;
    graph
        .input(("mix", &[Some(1), Some(2), Some(4_000)]))
        .constant("shares", &[1, count, 1, 1], &shares)
        .node("Mul", &[value, "shares"], "out", &[])
        .output(("out", &[Some(1), Some(count), Some(2), Some(4_000)]))
}

/// Writes the ensemble `test.ensemble` of vocal separators, newer than they are; `facts` are the lines of `[ensemble]`.
pub fn write_ensemble(models: &Path, facts: &str) {
    let folder = models.join("ensemble");
    fs::create_dir_all(&folder).expect("a folder");
    let text = format!(
        "schema = 1\nid = \"test.ensemble\"\nname = \"Test\"\nversion = \"1.0.0\"\nkind = \"separator\"\n\
         family = \"ensemble\"\nlicense = \"MIT\"\nattribution = \"nobody\"\ntrained_on = \"nothing\"\n\
         consent = \"not needed\"\ncreated = \"2026-11-22\"\n\n[audio]\nsample_rate_hz = {RATE_HZ}\nchannels = 2\n\n\
         [separator]\ntask = \"vocals\"\n\n[stems]\nnames = [\"vocals\"]\n\n[ensemble]\n{facts}\n"
    );
    fs::write(folder.join("package.toml"), text).expect("written");
}
