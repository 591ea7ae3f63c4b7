//! What the packages of all separators have in common.

use toml::{Table, Value};

use super::order::Order;
use super::purpose;
use crate::ImportError;
use crate::asked::{Asked, names_of};
use crate::draft::Draft;
use crate::loaded::{Axis, Loaded, declare};
use crate::onnx::{fuse_attentions, loosen_shapes, refuse_random_nodes, split_gates, widen_means};
use vocalhost_model::Task;
use vocalhost_onnx::{Edit, Port};

pub(super) const ONE: Axis = Axis::Is(1);
/// Overlapping pieces in the tools for `MDX23C` and `RoFormer` models (`mdxc_separator.py` of python-audio-separator).
const PIECES: u64 = 8;

/// The stems of a separator, as a manifest names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stems {
    /// In the order of the graph.
    names: Vec<String>,
    task: Task,
    residual: Option<&'static str>,
}

impl Stems {
    /// What the names make up. A single one of `vocals` and `backing` leaves the other, and so does one of the two stems of a task of one
    /// purpose.
    pub(crate) fn of(names: &[&str]) -> Self {
        if let Some((task, stems)) = purpose::of_names(names) {
            let residual = match &stems[..] {
                [stem] if *stem == task.usual_residual() => {
                    task.stems().iter().copied().find(|other| other != stem)
                }
                _ => None,
            };
            return Self {
                names: stems.into_iter().map(str::to_owned).collect(),
                task,
                residual,
            };
        }
        let has = |name: &str| names.contains(&name);
        let (task, residual) = if has("lead") || has("harmony") {
            (Task::Lead, None)
        } else if has("drums") || has("bass") || has("other") {
            (Task::Stems, None)
        } else if names == ["backing"] {
            (Task::Vocals, Some("vocals"))
        } else {
            (Task::Vocals, None)
        };
        Self {
            names: names.iter().map(|&name| name.to_owned()).collect(),
            task,
            residual,
        }
    }

    /// Demucs's four or six, in its order (`htdemucs`, `htdemucs_6s`).
    pub(super) fn of_demucs(count: u64) -> Option<Self> {
        const NAMES: [&str; 6] = ["drums", "bass", "other", "vocals", "guitar", "piano"];
        matches!(count, 4 | 6).then(|| Self::of(&NAMES[..count as usize]))
    }

    /// What settings call the stems, when these are names of a task here; of a network with a `target` there is one.
    pub(crate) fn named(instruments: &[&str], target: Option<&str>) -> Option<Self> {
        let names: Vec<String> = instruments.iter().map(|name| usual_name(name)).collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        the_other_of_two(&mut names);
        if let Some(target) = target {
            let place = instruments.iter().position(|name| *name == target);
            let alone = usual_name(target);
            let name = place.map_or(&*alone, |place| names[place]);
            return Some(Self::of(&[name])).filter(Self::is_whole);
        }
        Some(Self::of(&names)).filter(Self::is_whole)
    }

    /// Of a single stem that its task would leave to the others, the other one.
    pub(crate) fn instead_of_the_rest(&self) -> Option<Self> {
        let other = self.residual.filter(|_| self.count() == 1)?;
        Some(Self {
            names: vec![other.to_owned()],
            task: self.task,
            residual: None,
        })
    }

    /// Whether it is the voice, or the lead, alone.
    pub(crate) fn is_of_voice(&self) -> bool {
        matches!(&self.names[..], [name] if name == "vocals" || name == "lead")
    }

    /// Whether all stems of its task are there but the one that the others leave.
    fn is_whole(&self) -> bool {
        let residual = self.residual.unwrap_or(self.task.usual_residual());
        let mut wanted = self.task.stems().iter().filter(|stem| **stem != residual);
        wanted.all(|stem| self.names.iter().any(|name| name == stem))
    }

    /// What a person says the `count` stems of a graph are.
    pub(crate) fn ask(
        asked: &mut Asked<'_>,
        count: Option<u64>,
        known: Option<Self>,
    ) -> Option<Self> {
        let text = "Its stems in their order, of several graphs in that of the files as they were given, with commas between them: \
                    vocals, backing (all but the vocals), drums, bass, other, lead, harmony, reverb, or any other name for what \
                    nobody asks for. Of a model of one purpose: lead or no-lead (karaoke), reverb or no-reverb, echo or no-echo, \
                    noise or no-noise, crowd or no-crowd.";
        let known = known.map(|stems| {
            let words = purpose::words(stems.task, &stems.names);
            words.unwrap_or_else(|| stems.names.join(","))
        });
        let said: String = asked.fact("stems", text, &[], known)?;
        let names: Vec<String> = names_of(&said).map(usual_name).collect();
        let mut names: Vec<&str> = names.iter().map(String::as_str).collect();
        the_other_of_two(&mut names);
        if count.is_none_or(|count| count == names.len() as u64) {
            return Some(Self::of(&names));
        }
        let count = count.unwrap_or_default();
        let reason = format!("it names {}, and the graph gives {count}", names.len());
        asked.wrong("stems", &reason);
        None
    }

    /// How many.
    pub(crate) fn count(&self) -> u64 {
        self.names.len() as u64
    }

    fn write(&self, draft: &mut Draft<'_>) {
        let names = self.names.iter().map(|name| Value::from(name.as_str()));
        draft.section("stems", [("names", Value::Array(names.collect()))]);
        if let Some(residual) = self.residual {
            draft.entry("stems", "residual", residual);
        }
    }

    /// For people, of stems that its task has no file for.
    pub(super) fn without_a_file(&self) -> Option<String> {
        let others = self.names.iter().map(String::as_str);
        let others = others.filter(|name| !self.task.stems().contains(name));
        let others: Vec<&str> = others.collect();
        let residual = self.residual.unwrap_or(self.task.usual_residual());
        (!others.is_empty()).then(|| {
            let names = others.join(", ");
            format!("There is no file for {names}: what is there of it is heard in {residual}.")
        })
    }

    /// For people.
    pub(super) fn text(&self) -> String {
        let names = self.names.join(", ");
        if Task::NEEDED.contains(&self.task) {
            return names;
        }
        format!("{names} (for {})", self.task.as_str())
    }
}

/// How many pieces a person wants to lie over each other.
pub(super) fn pieces(asked: &mut Asked<'_>) -> Option<u64> {
    pieces_of(asked, None)
}

/// The same where its settings may say it.
pub(crate) fn pieces_of(asked: &mut Asked<'_>, known: Option<u64>) -> Option<u64> {
    let text = "Number of pieces that lie over each other, 1 to 64.";
    let pieces = asked.option("pieces", text, &[], known.unwrap_or(PIECES));
    let fits = |pieces: &u64| (1..=64).contains(pieces);
    asked.fitting("pieces", pieces, fits, "it is out of this range")
}

/// Beside vocals alone, `other` is all but the vocals: so MSST calls the two.
fn the_other_of_two(names: &mut [&str]) {
    if let ["vocals", other @ "other"] | [other @ "other", "vocals"] = names {
        *other = "backing";
    }
}

/// Tools have other words for what is not the vocals.
fn usual_name(name: &str) -> String {
    let name = name.to_lowercase();
    match name.as_str() {
        "instrumental" | "accompaniment" | "instruments" | "no_vocals" => "backing".to_owned(),
        "vocal" => "vocals".to_owned(),
        _ => name,
    }
}

/// Begins a package of a separator that works on stereo, at 44.1 kHz unless a caller enters another rate.
pub(super) fn begin<'o>(order: &Order<'o, '_>, family: &str, stems: &Stems) -> Draft<'o> {
    let mut draft = Draft::new(order.request, order.graph.path, "separator", family);
    draft.section(
        "audio",
        [
            ("sample_rate_hz", Value::from(44_100)),
            ("channels", Value::from(2)),
        ],
    );
    if let Some(source) = order.source {
        draft.known_by(source);
    }
    draft.section("separator", [("task", Value::from(stems.task.as_str()))]);
    stems.write(&mut draft);
    draft
}

/// No graph of a separator draws random numbers.
pub(super) fn no_random_nodes(order: &Order<'_, '_>) -> Result<(), ImportError> {
    for graph in std::iter::once(order.graph).chain(order.more) {
        let checked = refuse_random_nodes(&graph.file);
        checked.map_err(|fault| graph.refused(fault.to_string()))?;
    }
    Ok(())
}

/// The entry of a manifest for a tensor with a layout. A first axis of length 1 is left open in the graph's own description of
/// an input: see [`loosen_shapes`].
pub(super) fn laid_out(
    edit: &mut Edit<'_, '_>,
    port: &Port<'_>,
    (io, role): (&str, &str),
    axes: &[Axis],
    layout: &str,
) -> Table {
    let mut entry = declare(edit, port, io, role, axes);
    if io == "in"
        && let Some((&ONE, rest)) = axes.split_first()
    {
        let open = [&[Axis::Any("")], rest].concat();
        declare(edit, port, io, role, &open);
    }
    entry.insert("layout".to_owned(), Value::from(layout));
    entry
}

/// What [`lighten`] found to do.
#[derive(Default)]
pub(super) struct Lightened {
    attentions: usize,
    gates: usize,
}

/// Makes a graph need less memory and time, and has its long means made with care, which changes nothing of what it computes but
/// the last bits.
pub(super) fn lighten<'a>(graph: &Loaded<'a>, edit: &mut Edit<'_, 'a>) -> Lightened {
    if !graph.file.keeps_weights_apart() {
        return Lightened::default();
    }
    loosen_shapes(&graph.file, edit);
    widen_means(&graph.file, edit);
    Lightened {
        attentions: fuse_attentions(&graph.file, edit),
        gates: split_gates(&graph.file, edit),
    }
}

impl Lightened {
    /// What was done, for people.
    pub(super) fn text(&self) -> Vec<String> {
        let attention =
            "Its attention is computed block by block, which takes less memory and time";
        let gate = "The halves of its gated layers are made apart, which takes less time";
        [(attention, self.attentions), (gate, self.gates)]
            .into_iter()
            .filter(|(_, layers)| *layers > 0)
            .map(|(text, layers)| format!("{text} (layers: {layers})."))
            .collect()
    }
}

/// The lengths of a port's axes, when they are declared; `None` for one that changes.
pub(super) fn lengths(port: &Port<'_>) -> Option<Vec<Option<u64>>> {
    let dims = port.dims.as_ref()?;
    Some(dims.iter().map(|dim| dim.fixed()).collect())
}

/// Writes every graph of a package, each with the changes that `edit` makes, and the section that lists them when there are
/// several. All of them must take and give the same.
pub(super) fn write_graphs<'a>(
    order: &Order<'_, 'a>,
    draft: &mut Draft<'_>,
    first: &Edit<'_, 'a>,
    change: impl Fn(&Loaded<'a>, &mut Edit<'_, 'a>),
) -> Result<Vec<Value>, ImportError> {
    if order.more.is_empty() {
        order.graph.write(draft, "separator.onnx", first)?;
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    let ports = |graph: &Loaded<'a>| {
        let inputs = graph.file.inputs().into_iter().cloned();
        (inputs.collect::<Vec<_>>(), graph.file.graph.outputs.clone())
    };
    let wanted = ports(order.graph);
    for (place, graph) in std::iter::once(order.graph).chain(order.more).enumerate() {
        if ports(graph) != wanted {
            return Err(graph.refused("takes or gives something else than the first of its graphs"));
        }
        let name = format!("separator-{}.onnx", place + 1);
        let mut edit = graph.edit();
        change(graph, &mut edit);
        graph.write(draft, &name, &edit)?;
        names.push(Value::from(name));
    }
    draft.section("bag", [("graphs", Value::Array(names.clone()))]);
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_decide_the_task() {
        let stems = |names: &[&str]| Stems::of(names);
        assert_eq!(stems(&["vocals"]).task, Task::Vocals);
        assert_eq!(stems(&["backing"]).residual, Some("vocals"));
        assert_eq!(Stems::of_demucs(4).expect("stems").task, Task::Stems);
        assert_eq!(stems(&["lead", "harmony"]).task, Task::Lead);
        let reverb = stems(&["reverb"]);
        assert_eq!(
            (reverb.task, reverb.residual),
            (Task::Dereverb, Some("dry"))
        );
        let karaoke = stems(&["no-lead"]);
        assert_eq!(
            (karaoke.task, karaoke.residual),
            (Task::Karaoke, Some("lead"))
        );
        assert_eq!(karaoke.text(), "backing (for karaoke)");
        assert_eq!(stems(&["karaoke", "other"]).residual, None);
        assert_eq!(Stems::of_demucs(6).expect("stems").count(), 6);
        assert_eq!(Stems::of_demucs(2), None);
        let renamed = |mut names: Vec<&'static str>| {
            the_other_of_two(&mut names);
            names
        };
        assert_eq!(renamed(vec!["other", "vocals"]), ["backing", "vocals"]);
        let drums = vec!["drums", "bass", "other", "vocals"];
        assert_eq!(renamed(drums.clone()), drums);
        assert_eq!(usual_name("Instrumental"), "backing");
    }

    #[test]
    fn settings_name_stems_when_these_are_all_of_a_task() {
        let named = |names: &[&str], target| Stems::named(names, target).map(|stems| stems.text());
        let two = ["vocals", "other"];
        assert_eq!(named(&two, Some("vocals")).as_deref(), Some("vocals"));
        assert_eq!(named(&two, Some("other")).as_deref(), Some("backing"));
        assert_eq!(named(&two, None).as_deref(), Some("vocals, backing"));
        let four = ["drums", "bass", "other", "vocals"];
        assert_eq!(named(&four, None).map(|names| names.len()), Some(26));
        assert_eq!(named(&four, Some("drums")), None);
        let karaoke = named(&["karaoke", "other"], Some("karaoke"));
        assert_eq!(karaoke.as_deref(), Some("lead (for karaoke)"));
        assert_eq!(named(&[], None), None);
    }
}
