//! How much of what is near a search through cells finds.

use super::index::Index;

/// Multiplications that are spent on finding out: a second or two.
const MOST_PRODUCTS: usize = 1 << 31;
/// The most vectors that are asked for.
const MOST_QUERIES: usize = 64;

/// Says which share of the nearest vectors lies in the cells that a search looks into, where it does not look into all: vectors of the
/// index itself, one in so many, are asked for those that are nearest to them.
pub(super) fn of(index: &Index, nearest: usize) -> Option<String> {
    let cells = index.cells.as_ref()?;
    let (count, probe) = (cells.counts.len(), cells.probe as usize);
    if probe >= count {
        return None;
    }
    let (rows, centres) = (singles(&index.rows), singles(&cells.centres));
    let number = rows.len() / index.dim;
    let queries = (MOST_PRODUCTS / rows.len().max(1)).clamp(1, MOST_QUERIES);
    let nearest = nearest.min(number.checked_sub(1).filter(|others| *others > 0)?);
    let cell_of: Vec<usize> = cells
        .counts
        .iter()
        .enumerate()
        .flat_map(|(cell, count)| std::iter::repeat_n(cell, *count as usize))
        .collect();
    let (mut found, mut wanted) = (0, 0);
    for query in (0..number).step_by(number.div_ceil(queries)) {
        let place = &rows[query * index.dim..][..index.dim];
        let looked_into = nearest_cells(&centres, place, probe);
        let mut distances: Vec<(f32, usize)> = rows
            .chunks_exact(index.dim)
            .enumerate()
            .filter(|(row, _)| *row != query)
            .map(|(row, other)| (distance(place, other), row))
            .collect();
        distances.select_nth_unstable_by(nearest - 1, |a, b| a.0.total_cmp(&b.0));
        let near = &distances[..nearest];
        wanted += near.len();
        found += near
            .iter()
            .filter(|(_, row)| looked_into.contains(&cell_of[*row]))
            .count();
    }
    let percent = (found * 100 + wanted / 2) / wanted.max(1);
    Some(format!(
        "A search looks into {probe} of the cells, where {percent} % of the {nearest} nearest vectors are, as some of its own tell."
    ))
}

fn nearest_cells(centres: &[f32], place: &[f32], probe: usize) -> Vec<usize> {
    let centres = centres.chunks_exact(place.len());
    let mut ranks: Vec<(f32, usize)> = centres
        .enumerate()
        .map(|(cell, centre)| (distance(place, centre), cell))
        .collect();
    ranks.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    ranks.truncate(probe);
    ranks.into_iter().map(|(_, cell)| cell).collect()
}

fn distance(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

fn singles(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.as_chunks::<4>().0.iter();
    numbers.map(|number| f32::from_le_bytes(*number)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::faiss::index::Cells;

    fn bytes(values: &[f32]) -> Vec<u8> {
        values
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect()
    }

    #[test]
    fn neighbours_in_other_cells_are_missed() {
        let index = |probe| Index {
            dim: 1,
            // The third vector is nearer to the second than the first is, and lies in the other cell.
            rows: bytes(&[0.0, 4.0, 5.0, 12.0]),
            cells: Some(Cells {
                centres: bytes(&[2.0, 7.5]),
                counts: vec![2, 2],
                probe,
            }),
            was: Vec::new(),
        };
        // Of 0 and 12 the nearest is in their own cell, of 4 and 5 it is not.
        let said = of(&index(1), 1).expect("it misses some");
        assert!(said.contains("where 50 % of the 1 nearest"), "{said}");
        assert_eq!(of(&index(2), 1), None);
        let said = of(&index(1), 8).expect("it misses some");
        assert!(said.contains("33 % of the 3 nearest"), "{said}");
    }
}
