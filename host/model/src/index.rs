mod cells;
mod reach;

use std::ops::Range;
use std::sync::Arc;

use half::f16;

use self::cells::Cells;
use self::reach::share_taken;
use super::manifest::FileRole;
use super::nearest::Nearest;
use super::sections::{IndexElement, IndexFormat, IndexPart};
use super::{ModelError, Package, Runtime};

/// The least squared distance, so that a query that hits a stored vector exactly has a finite weight.
const SMALLEST_DISTANCE: f64 = 1e-12;

/// Queries that are searched together, so that each row is fetched from memory once for all of them.
const GROUP: usize = 16;
/// Rows that are compared with a whole group while they are in the cache: at 768 channels some 200 kB.
const BLOCK_ROWS: usize = 64;

/// The vectors of a voice that content is drawn towards.
///
/// The search covers all rows, or those of the nearest cells when the rows are divided into cells. With 800 rows of 64 channels that is 2.6
/// million multiplications per second of sound.
pub(super) struct Index {
    dim: usize,
    shelves: Vec<Shelf>,
}

impl Index {
    /// The index of a voice, if it has one: newly read, or shared with a package that has the very same index and is still loaded.
    pub(super) fn load(
        runtime: &Runtime,
        package: &Package,
    ) -> Result<Option<Arc<Self>>, ModelError> {
        let Some(format) = &package.manifest().index else {
            return Ok(None);
        };
        let entry = package.manifest().file(FileRole::Index);
        let digest = entry.map_or("", |(_, entry)| entry.sha256.as_str());
        let index = runtime
            .cache()
            .part(&format!("index {digest} {format:?}"), || {
                let index = Self::read(package, format)?;
                let row_bytes = format.rows * u64::from(format.dim) * 4;
                Ok((index, row_bytes + format.cell_bytes()))
            });
        index.map(Some)
    }

    fn read(package: &Package, format: &IndexFormat) -> Result<Self, ModelError> {
        let (path, bytes) = package.read(FileRole::Index)?;
        let refused = |reason: &str| ModelError::File {
            path: path.clone(),
            reason: reason.to_owned(),
        };
        let row_bytes = format.rows as usize * format.dim as usize * format.dtype.bytes();
        let (rows, mut behind) = bytes
            .split_at_checked(row_bytes)
            .ok_or_else(|| refused("is shorter than its rows"))?;
        let rows = match format.dtype {
            IndexElement::F16 => halves(rows),
            IndexElement::F32 => floats(rows),
        };
        if rows.iter().any(|value| !value.is_finite()) {
            return Err(refused("holds a value that is not a number"));
        }
        let mut index = Self::new(rows, format);
        for (shelf, part) in index.shelves.iter_mut().zip(format.shelves()) {
            let Some(cells) = part.cells else { continue };
            let own = behind.split_off(..cells.bytes(format.dim) as usize);
            let read = own.and_then(|own| Cells::read(own, cells, part.rows, index.dim));
            let read = read.ok_or_else(|| refused("its cells do not add up to its rows"))?;
            shelf.cells = (!read.are_all_near()).then_some(read);
        }
        Ok(index)
    }

    /// An index of consecutive rows, as `format` describes them.
    fn new(mut rows: Vec<f32>, format: &IndexFormat) -> Self {
        let dim = format.dim as usize;
        // Split from the end, freeing memory each time: a vector keeps its capacity when it is split.
        let parts = format.shelves().into_iter().rev();
        let mut shelves: Vec<Shelf> = parts
            .map(|part| {
                let own = rows.split_off(rows.len().saturating_sub(part.rows as usize * dim));
                rows.shrink_to_fit();
                Shelf::new(own, dim, &part)
            })
            .collect();
        shelves.reverse();
        Self { dim, shelves }
    }

    /// Replaces the share `rate` of the leading channels of each vector of `width` channels by what is retrieved for it. The channels after
    /// them, the loudness, stay.
    pub(super) fn blend(&self, vectors: &mut [f32], width: usize, rate: f64) {
        self.blend_each(vectors, width, &|_| rate);
    }

    /// The same with a share for each vector, by its place.
    pub(super) fn blend_each(
        &self,
        vectors: &mut [f32],
        width: usize,
        rate: &dyn Fn(usize) -> f64,
    ) {
        for (number, group) in vectors.chunks_mut(width * GROUP).enumerate() {
            let first = number * GROUP;
            // The last group may be shorter; only existing vectors have a rate.
            let count = group.len() / width;
            if (first..first + count).all(|place| rate(place) <= 0.0) {
                continue;
            }
            let queries: Vec<&[f32]> = group
                .chunks_exact(width)
                .map(|vector| &vector[..self.dim])
                .collect();
            let means = self.retrieve(&queries);
            let pairs = group.chunks_exact_mut(width).zip(means);
            for (offset, (vector, mean)) in pairs.enumerate() {
                let rate = rate(first + offset);
                for (value, mean) in vector.iter_mut().zip(mean) {
                    *value = (rate * mean + (1.0 - rate) * f64::from(*value)) as f32;
                }
            }
        }
    }

    /// What the shelves give for each query, weighted by their shares. The rest of the whole is the query itself: a voice without an index
    /// returns its input.
    fn retrieve(&self, queries: &[&[f32]]) -> Vec<Vec<f64>> {
        let given: f64 = self.shelves.iter().map(|shelf| shelf.share).sum();
        let left = (1.0 - given).max(0.0);
        let scaled = |query: &&[f32]| query.iter().map(|value| left * f64::from(*value)).collect();
        let mut mixed: Vec<Vec<f64>> = queries.iter().map(scaled).collect();
        for shelf in &self.shelves {
            for (mixed, mean) in mixed.iter_mut().zip(shelf.retrieve(queries)) {
                for (mixed, mean) in mixed.iter_mut().zip(mean) {
                    *mixed += shelf.share * mean;
                }
            }
        }
        mixed
    }
}

fn halves(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.chunks_exact(2);
    numbers
        .map(|half| f16::from_le_bytes([half[0], half[1]]).to_f32())
        .collect()
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    let numbers = bytes.chunks_exact(4);
    numbers
        .map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]))
        .collect()
}

/// The rows of one voice. A blend searches the rows of each of its voices separately: searched together, the nearest voice would win,
/// whatever its share.
struct Shelf {
    dim: usize,
    nearest: usize,
    share: f64,
    reach: Option<f64>,
    rows: Vec<f32>,
    /// Half of each row's squared length; minus the dot product, it ranks rows by distance.
    half_norms: Vec<f32>,
    cells: Option<Cells>,
}

impl Shelf {
    fn new(rows: Vec<f32>, dim: usize, part: &IndexPart) -> Self {
        Self {
            dim,
            nearest: part.k as usize,
            share: part.share,
            reach: part.reach,
            half_norms: half_norms(&rows, dim),
            rows,
            cells: None,
        }
    }

    /// The mean of the rows nearest to each query, as far as they are within reach, each weighted by the inverse of its squared squared
    /// distance, as RVC's pipeline weights the scores of its search. The query itself where there is no row.
    fn retrieve(&self, queries: &[&[f32]]) -> Vec<Vec<f64>> {
        let found = queries.iter().zip(self.search(queries));
        found
            .map(|(query, nearest)| self.mean(query, &nearest))
            .collect()
    }

    fn mean(&self, query: &[f32], nearest: &Nearest) -> Vec<f64> {
        let mut mean = vec![0.0; self.dim];
        let (mut total, mut closest) = (0.0, f64::INFINITY);
        for (_, row) in &nearest.found {
            let row = &self.rows[row * self.dim..][..self.dim];
            // The ranking's distances lose digits near an exact hit, so the few that matter are computed directly.
            let distance: f64 = row
                .iter()
                .zip(query)
                .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
                .sum();
            closest = closest.min(distance);
            let weight = distance.max(SMALLEST_DISTANCE).powi(-2);
            total += weight;
            for (mean, value) in mean.iter_mut().zip(row) {
                *mean += weight * f64::from(*value);
            }
        }
        if nearest.found.is_empty() {
            return query.iter().map(|value| f64::from(*value)).collect();
        }
        let taken = share_taken(closest, self.reach);
        for (value, own) in mean.iter_mut().zip(query) {
            *value = taken * *value / total + (1.0 - taken) * f64::from(*own);
        }
        mean
    }

    /// The rows nearest to each query, nearest first.
    fn search(&self, queries: &[&[f32]]) -> Vec<Nearest> {
        let mut best = vec![Nearest::new(self.nearest); queries.len()];
        let count = self.half_norms.len();
        let Some(cells) = &self.cells else {
            for first in (0..count).step_by(BLOCK_ROWS) {
                let block = first..(first + BLOCK_ROWS).min(count);
                for (query, best) in queries.iter().zip(&mut best) {
                    self.compare(block.clone(), query, best);
                }
            }
            return best;
        };
        for (query, best) in queries.iter().zip(&mut best) {
            for rows in cells.near(query) {
                self.compare(rows, query, best);
            }
        }
        best
    }

    fn compare(&self, rows: Range<usize>, query: &[f32], best: &mut Nearest) {
        for number in rows {
            let row = &self.rows[number * self.dim..][..self.dim];
            best.offer(self.half_norms[number] - dot(row, query), number);
        }
    }
}

/// Half of the squared length of each row.
fn half_norms(rows: &[f32], dim: usize) -> Vec<f32> {
    let rows = rows.chunks_exact(dim);
    rows.map(|row| dot(row, row) / 2.0).collect()
}

/// A dot product in eight lanes, so that the compiler can use vector instructions; the order of the sum is fixed.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; 8];
    let (a_chunks, b_chunks) = (a.chunks_exact(8), b.chunks_exact(8));
    let rest = a_chunks.remainder().iter().zip(b_chunks.remainder());
    let rest: f32 = rest.map(|(a, b)| a * b).sum();
    for (a, b) in a_chunks.zip(b_chunks) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    lanes.iter().sum::<f32>() + rest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden;
    use crate::sections::{IndexCells, IndexWeighting};

    fn format(rows: u64, dim: u32, k: u32, parts: Vec<IndexPart>) -> IndexFormat {
        IndexFormat {
            rows,
            dim,
            dtype: IndexElement::F16,
            k,
            weighting: IndexWeighting::InverseSquare,
            parts,
            cells: None,
            reach: None,
        }
    }

    fn index(rows: Vec<f32>, dim: u32, k: u32) -> Index {
        let count = rows.len() as u64 / u64::from(dim);
        Index::new(rows, &format(count, dim, k, Vec::new()))
    }

    #[test]
    fn a_last_group_that_is_not_full_asks_for_no_rate_beyond_it() {
        let index = index(vec![1.0, 0.0], 2, 1);
        let mut vectors = vec![0.5; 2 * (GROUP + 1)];
        let rate = |place| {
            assert!(place <= GROUP, "there is no vector {place}");
            0.0
        };
        index.blend_each(&mut vectors, 2, &rate);
        assert_eq!(vectors, vec![0.5; 2 * (GROUP + 1)]);
    }

    #[test]
    fn parts_hold_their_own_rows_and_no_more_memory() {
        let part = |rows| IndexPart {
            rows,
            share: 0.3,
            k: 1,
            cells: None,
            reach: None,
        };
        let rows: Vec<f32> = (0..60_000_u16).map(f32::from).collect();
        let parts = vec![part(10_000), part(5_000), part(15_000)];
        let index = Index::new(rows, &format(30_000, 2, 1, parts));
        let firsts: Vec<f32> = index.shelves.iter().map(|shelf| shelf.rows[0]).collect();
        assert_eq!(firsts, [0.0, 20_000.0, 30_000.0]);
        for shelf in &index.shelves {
            let (held, needed) = (shelf.rows.capacity(), shelf.rows.len());
            assert!(held <= needed + needed / 8, "{held} for {needed}");
        }
    }

    #[test]
    fn an_exact_hit_returns_the_stored_vector() {
        let index = index(vec![1.0, 0.0, 0.0, 1.0, -1.0, 0.0], 2, 2);
        let mut vector = [0.0, 1.0, 9.0];
        index.blend(&mut vector, 3, 1.0);
        assert!((vector[0]).abs() < 1e-9 && (vector[1] - 1.0).abs() < 1e-9);
    }

    #[test]
    fn the_loudness_channel_is_left_alone() {
        let index = index(vec![1.0, 0.0, 0.0, 1.0, -1.0, 0.0], 2, 2);
        let mut vector = [0.3, 0.4, 9.0];
        index.blend(&mut vector, 3, 1.0);
        assert_eq!(vector[2].to_bits(), 9.0_f32.to_bits());
        assert!((vector[0] - 0.3).abs() > 0.01);
    }

    #[test]
    fn half_the_strength_is_half_the_way() {
        let index = index(vec![1.0, 0.0, 0.0, 1.0, -1.0, 0.0], 2, 3);
        let at = |rate| {
            let mut vector = [0.3, 0.4];
            index.blend(&mut vector, 2, rate);
            vector
        };
        assert!(at(0.0).map(f32::to_bits) == [0.3, 0.4].map(f32::to_bits));
        let (none, half, full) = (at(0.0), at(0.5), at(1.0));
        for channel in 0..2 {
            let middle = f32::midpoint(none[channel], full[channel]);
            assert!((half[channel] - middle).abs() < 1e-6);
        }
    }

    #[test]
    fn retrieval_equals_the_reference_numbers() {
        let value =
            |row: usize, column: usize| (((row * 7 + column * 3) as f64) * 0.37).sin() as f32;
        let rows = (0..120).map(|place| value(place / 6, place % 6)).collect();
        let query: Vec<f32> = (0..6)
            .map(|column| f64::from(column).cos() as f32)
            .collect();
        let found = index(rows, 6, 8).retrieve(&[&query]).remove(0);
        let expected = golden::numbers("/retrieve");
        assert_eq!(found.len(), expected.len());
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-6, "{found} {expected}");
        }
    }

    #[test]
    fn each_part_gives_its_share_and_what_is_left_is_the_query() {
        let wave = |seed: f64, place: usize| (place as f64 * seed).sin() as f32;
        let near: Vec<f32> = (0..40).map(|place| 0.1 * wave(0.7, place)).collect();
        // Far from every query: searched together with the others, these rows would never be found.
        let far: Vec<f32> = (0..24).map(|place| 30.0 + wave(1.3, place)).collect();
        let part = |rows, share, k| IndexPart {
            rows,
            share,
            k,
            cells: None,
            reach: None,
        };
        let rows = near.iter().chain(&far).copied().collect();
        let parts = vec![part(10, 0.2, 8), part(6, 0.5, 2)];
        let mixed = Index::new(rows, &format(16, 4, 8, parts));
        let query = [0.05, -0.02, 0.08, 0.01];
        let (a, b) = (index(near, 4, 8), index(far, 4, 2));
        let (a, b) = (
            a.retrieve(&[&query]).remove(0),
            b.retrieve(&[&query]).remove(0),
        );
        for (channel, found) in mixed.retrieve(&[&query]).remove(0).iter().enumerate() {
            let expected = 0.2 * a[channel] + 0.5 * b[channel] + 0.3 * f64::from(query[channel]);
            assert!((found - expected).abs() < 1e-12, "{found} {expected}");
        }
    }

    #[test]
    fn flat_and_divided_indexes_find_what_faiss_finds() {
        let value = |row: usize, column: usize, a: f64, b: f64| {
            ((row as f64 * a + column as f64 * b) * 0.37).sin() as f32
        };
        let row = |row: usize| {
            (0..12).map(move |column| value(row, column, 7.0, 3.0) + value(row, column, 2.3, 11.0))
        };
        let rows: Vec<f32> = (0..300).flat_map(row).collect();
        let queries: Vec<f32> = (0..20)
            .flat_map(|query| (0..12).map(move |column| value(query, column, 5.1, 4.7)))
            .collect();
        let queries: Vec<&[f32]> = queries.chunks_exact(12).collect();
        let mut index = index(rows.clone(), 12, 8);
        let compare = |index: &Index, name: &str| {
            let document = golden::of_libraries();
            let expected = document["retrieval"][name].as_array().expect("rows");
            let expected: Vec<f64> = expected.iter().flat_map(golden::listed).collect();
            let found = index.retrieve(&queries).concat();
            assert_eq!(found.len(), expected.len());
            for (found, expected) in found.iter().zip(expected) {
                assert!(
                    (found - expected).abs() < 1e-5,
                    "{name}: {found} {expected}"
                );
            }
        };
        compare(&index, "flat");
        // The same rows divided into cells around every forty-third of them.
        let centres: Vec<f32> = (0..300).step_by(43).flat_map(row).collect();
        let distance = |row: &[f32], centre: usize| {
            let pairs = row.iter().zip(&centres[centre * 12..]);
            pairs.map(|(a, b)| (a - b).powi(2)).sum::<f32>()
        };
        let nearest = |row: &[f32]| {
            let nearest = (0..7).min_by(|a, b| distance(row, *a).total_cmp(&distance(row, *b)));
            nearest.unwrap_or(0)
        };
        let mut cells = vec![Vec::new(); 7];
        for row in rows.chunks_exact(12) {
            cells[nearest(row)].push(row);
        }
        let sizes: Vec<u32> = cells.iter().map(|cell| cell.len() as u32).collect();
        let ordered = cells.concat().concat();
        let divided = IndexCells { count: 7, probe: 1 };
        let bytes: Vec<u8> = centres
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .chain(sizes.iter().flat_map(|size| size.to_le_bytes()))
            .collect();
        index = Index::new(ordered, &format(300, 12, 8, Vec::new()));
        index.shelves[0].cells = Cells::read(&bytes, divided, 300, 12);
        assert!(index.shelves[0].cells.is_some());
        compare(&index, "cells");
        for probe in 1..=7 {
            let cells = Cells::read(&bytes, IndexCells { count: 7, probe }, 300, 12);
            let cells = cells.expect("adds up");
            assert_eq!(cells.are_all_near(), probe == 7);
            for query in &queries {
                let mut places: Vec<usize> = (0..7).collect();
                places.sort_by(|a, b| distance(query, *a).total_cmp(&distance(query, *b)));
                places.truncate(probe as usize);
                places.sort_unstable();
                let ends = places
                    .iter()
                    .map(|place| sizes[..=*place].iter().sum::<u32>());
                let found = cells.near(query).map(|rows| rows.end as u32);
                assert!(found.eq(ends), "{probe} of 7");
            }
        }
        assert!(Cells::read(&bytes[1..], divided, 300, 12).is_none());
        assert!(Cells::read(&bytes, divided, 299, 12).is_none());
    }
}
