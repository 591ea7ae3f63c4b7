//! The table of speakers in the graph of a voice of RVC: a row for each speaker that the voice was trained with. When tables differ in
//! length, the blend keeps as many rows as all of them have, as RVC's own merging does (`merge` in `process_ckpt.py`).

use super::graph::Graph;
use super::tensor::Tensor;
use crate::manifest::Manifest;
use crate::rvc::{Rvc, Speaker};

/// Its name in checkpoints, and so in the graphs that were made from them.
const TABLE: &str = "emb_g.weight";

/// The longest name of a speaker in a manifest.
const MAX_NAME_BYTES: usize = 256;

/// Whether a tensor is the table of speakers.
pub(super) fn is_table(tensor: &Tensor<'_>) -> bool {
    tensor.name == TABLE && tensor.dims.len() == 2
}

/// Whether two tensors are tables of speakers that differ only in their number of rows.
pub(super) fn differ_in_rows(a: &Tensor<'_>, b: &Tensor<'_>) -> bool {
    let columns = |tensor: &Tensor<'_>| match tensor.dims[..] {
        [_, columns] => Some(columns),
        _ => None,
    };
    a.name == TABLE && b.name == TABLE && columns(a).is_some() && columns(a) == columns(b)
}

/// The number of speakers that all graphs know; `None` when one of them has no table.
pub(super) fn fewest(graphs: &[(Graph<'_>, f64)]) -> Option<u64> {
    let rows = graphs.iter().map(|(graph, _)| {
        let table = graph.tensors.iter().find(|tensor| tensor.name == TABLE);
        table.and_then(|table| table.dims.first().copied())
    });
    rows.collect::<Option<Vec<u64>>>()?.into_iter().min()
}

/// The RVC facts of a blend: what all its parts have in common, and otherwise the cautious choice. A speaker whom the parts name
/// differently gets all the names. `None` when they are of another family.
pub(super) fn blended_rvc(voices: &[(&Manifest, f64)]) -> Option<Rvc> {
    let facts: Option<Vec<(&Rvc, f64)>> = voices
        .iter()
        .map(|(manifest, share)| Some((manifest.rvc.as_ref()?, *share)))
        .collect();
    let facts = facts?;
    let (first, _) = *facts.first()?;
    let widest = facts
        .iter()
        .max_by(|(a, _), (b, _)| a.cuts.pad_s.total_cmp(&b.cuts.pad_s));
    Some(Rvc {
        speakers: speakers(&facts),
        speaker_count: counted(&facts),
        protect: facts.iter().map(|(rvc, share)| share * rvc.protect).sum(),
        exact_length: facts.iter().all(|(rvc, _)| rvc.exact_length),
        cross_fade: facts.iter().all(|(rvc, _)| rvc.cross_fade),
        cuts: widest.map_or(first.cuts, |(rvc, _)| rvc.cuts),
        ..first.clone()
    })
}

/// The number of speakers that all parts know, if all of them state theirs.
fn counted(facts: &[(&Rvc, f64)]) -> Option<u32> {
    let counts: Option<Vec<u32>> = facts.iter().map(|(rvc, _)| rvc.speaker_count).collect();
    counts?.into_iter().min()
}

fn speakers(facts: &[(&Rvc, f64)]) -> Vec<Speaker> {
    let mut found: Vec<Speaker> = Vec::new();
    for speaker in facts.iter().flat_map(|(rvc, _)| &rvc.speakers) {
        match found.iter_mut().find(|known| known.id == speaker.id) {
            Some(known) => {
                let is_new = !known.name.split(" / ").any(|name| name == speaker.name);
                let longer = known.name.len() + " / ".len() + speaker.name.len();
                if is_new && longer <= MAX_NAME_BYTES {
                    known.name = format!("{} / {}", known.name, speaker.name);
                }
            }
            None => found.push(speaker.clone()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rvc::{Cuts, Profile, RvcVersion};

    fn rvc(names: &[(i64, &str)], protect: f64) -> Rvc {
        let speakers = names.iter().map(|(id, name)| Speaker {
            id: *id,
            name: (*name).to_owned(),
        });
        Rvc {
            version: RvcVersion::V2,
            f0: true,
            speakers: speakers.collect(),
            speaker_count: None,
            structure: None,
            content_layer: 12,
            content_dim: 768,
            encoder: None,
            profile: Profile::Rvc22,
            exact_length: protect < 0.5,
            cross_fade: true,
            protect,
            cuts: Cuts::default(),
        }
    }

    #[test]
    fn speakers_of_one_number_share_a_row_and_have_all_the_names() {
        let (a, b) = (rvc(&[(0, "Ada"), (1, "Eva")], 0.2), rvc(&[(0, "Bea")], 0.5));
        let found = speakers(&[(&a, 0.5), (&b, 0.25), (&a, 0.25)]);
        let found: Vec<_> = found.iter().map(|s| (s.id, s.name.as_str())).collect();
        assert_eq!(found, [(0, "Ada / Bea"), (1, "Eva")]);
    }
}
