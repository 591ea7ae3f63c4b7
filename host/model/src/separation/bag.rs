//! Several graphs in one package, and several packages together.

use serde::Deserialize;

use super::super::fault::{Fault, require};
use super::super::manifest::{FileRole, Manifest};

/// The most graphs of a package; known ones have six at most.
const MOST_GRAPHS: usize = 16;
/// The most members of an ensemble.
const MOST_MEMBERS: usize = 8;

/// Several graphs with the same inputs and outputs in one package.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bag {
    /// The files of the role `graph`.
    pub graphs: Vec<String>,
    /// What each of them gives.
    #[serde(default)]
    pub of: BagOf,
    /// For each graph, the weight of its estimate of every stem, in the order of `stems.names`; equal when left out.
    #[serde(default)]
    pub weights: Option<Vec<Vec<f64>>>,
}

/// What each graph of a bag gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BagOf {
    /// Every stem; the weighted mean counts, as in Demucs's bags.
    #[default]
    Estimates,
    /// One stem, in the order of `stems.names`, as Spleeter's exports do.
    Stems,
}

/// Several separators of one task, and how their estimates are combined.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnsembleFacts {
    /// Ids of packages.
    pub members: Vec<String>,
    /// How their estimates are combined into one.
    #[serde(default)]
    pub method: Method,
    /// What is combined.
    #[serde(default)]
    pub domain: Domain,
    /// The weight of each member, for the method `average`; equal when left out.
    #[serde(default)]
    pub weights: Option<Vec<f64>>,
}

/// How the members' values are combined into one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// The weighted mean.
    #[default]
    Average,
    /// The median, or the mean of the two middle values; for spectra, separately for real and imaginary part.
    Median,
    /// The one nearest to zero.
    Min,
    /// The one farthest from zero.
    Max,
}

/// What an ensemble's values are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Domain {
    /// Samples.
    #[default]
    Wave,
    /// Bins of spectra of 2,048 samples.
    Spectrum,
}

/// The sets of graphs whose estimates are averaged, in order: the files of a set (one for each stem, or a single one for all), and the
/// set's weight for every stem.
pub(super) fn graphs(manifest: &Manifest) -> Vec<(Vec<String>, Vec<f64>)> {
    let stems = manifest.stems.as_ref().map_or(0, |stems| stems.names.len());
    let even = vec![1.0; stems];
    match &manifest.bag {
        None => {
            let name = manifest.file(FileRole::Graph).map(|(name, _)| name);
            vec![(name.into_iter().map(str::to_owned).collect(), even)]
        }
        Some(bag) if bag.of == BagOf::Stems => vec![(bag.graphs.clone(), even)],
        Some(bag) => {
            let graphs = bag.graphs.iter().enumerate();
            let weights = |graph: usize| {
                let rows = bag.weights.as_ref();
                rows.and_then(|rows| rows.get(graph)).unwrap_or(&even)
            };
            graphs
                .map(|(graph, name)| (vec![name.clone()], weights(graph).clone()))
                .collect()
        }
    }
}

/// The graphs that a package must have: those of the bag, none in an ensemble, one otherwise.
pub(crate) fn check_graphs(manifest: &Manifest) -> Result<(), Fault> {
    let is_graph = |name: &String| {
        let entry = manifest.files.get(name);
        entry.is_some_and(|entry| entry.role == FileRole::Graph)
    };
    let files = manifest.files.values();
    let count = files.filter(|entry| entry.role == FileRole::Graph).count();
    if manifest.ensemble.is_some() {
        return require(
            count == 0,
            "files",
            "an ensemble has no file of the role graph",
        );
    }
    let Some(bag) = &manifest.bag else {
        return require(
            count == 1,
            "files",
            "exactly one file must have the role graph",
        );
    };
    require(
        (1..=MOST_GRAPHS).contains(&bag.graphs.len()),
        "bag.graphs",
        format!("must be 1 to {MOST_GRAPHS} files"),
    )?;
    for (place, name) in bag.graphs.iter().enumerate() {
        require(
            is_graph(name) && !bag.graphs[..place].contains(name),
            "bag.graphs",
            format!("{name:?} must be a file of the role graph, and there once"),
        )?;
    }
    require(
        count == bag.graphs.len(),
        "bag.graphs",
        "must name every file of the role graph",
    )
}

/// Checks that a bag's graphs match its stems.
pub(super) fn check_bag(bag: &Bag, stems: usize) -> Result<(), Fault> {
    if bag.of == BagOf::Stems {
        require(
            bag.graphs.len() == stems,
            "bag.graphs",
            format!("must be one for each of the {stems} stems"),
        )?;
        return require(
            bag.weights.is_none(),
            "bag.weights",
            "are for graphs that give every stem",
        );
    }
    let Some(rows) = &bag.weights else {
        return Ok(());
    };
    let fits = rows.len() == bag.graphs.len() && rows.iter().all(|row| row.len() == stems);
    require(
        fits,
        "bag.weights",
        format!("must be a row for each graph, of {stems} numbers each"),
    )?;
    require(
        rows.iter().flatten().all(|weight| is_weight(*weight)),
        "bag.weights",
        "must be 0 to 1000",
    )?;
    let counts = |stem: usize| rows.iter().any(|row| row[stem] > 0.0);
    require(
        (0..stems).all(counts),
        "bag.weights",
        "must have a weight above 0 for every stem",
    )
}

/// Checks what an ensemble says of its members.
pub(super) fn check_ensemble(facts: &EnsembleFacts) -> Result<(), Fault> {
    require(
        (1..=MOST_MEMBERS).contains(&facts.members.len()),
        "ensemble.members",
        format!("must be 1 to {MOST_MEMBERS} ids"),
    )?;
    for (place, id) in facts.members.iter().enumerate() {
        require(
            !facts.members[..place].contains(id),
            "ensemble.members",
            format!("{id:?} is there twice"),
        )?;
    }
    let Some(weights) = &facts.weights else {
        return Ok(());
    };
    require(
        facts.method == Method::Average,
        "ensemble.weights",
        "are for the method average",
    )?;
    let fits = weights.len() == facts.members.len()
        && weights
            .iter()
            .all(|weight| is_weight(*weight) && *weight > 0.0);
    require(
        fits,
        "ensemble.weights",
        "must be a number above 0 and up to 1000 for each member",
    )
}

fn is_weight(weight: f64) -> bool {
    (0.0..=1_000.0).contains(&weight)
}
