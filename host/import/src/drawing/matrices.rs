//! Weights of fully connected layers, transposed when they are drawn: a runtime that transposes them while it loads holds
//! them twice.

use std::ops::Range;

use super::Edge;
use super::fault::DrawFault;
use super::layers::Layers;
use crate::torch::Values;

/// Rows that are transposed at once, so that what is read and what is written stay in the cache.
const STRIP: usize = 16;

impl<A> Layers<'_, A> {
    /// The factor that a fully connected layer without a bias multiplies by, `[inputs, outputs]`.
    pub(crate) fn factor(
        &mut self,
        key: &str,
        (inputs, outputs): (u64, u64),
    ) -> Result<Edge, DrawFault> {
        let values = self.values(key, &[outputs, inputs])?;
        Ok(self.turned(key, &values, inputs, 0..outputs))
    }

    /// Rows of a weight of the shape `[…, inputs]` as such a factor, under a name.
    pub(crate) fn turned(
        &mut self,
        name: &str,
        values: &Values,
        inputs: u64,
        rows: Range<u64>,
    ) -> Edge {
        let dims = [inputs, rows.end - rows.start];
        let rows = rows.start as usize..rows.end as usize;
        let turned = match values {
            Values::F16(bytes) => Values::F16(turn::<2>(bytes, inputs as usize, rows)),
            Values::F32(bytes) => Values::F32(turn::<4>(bytes, inputs as usize, rows)),
        };
        self.stored(name, (turned, &dims))
    }

    /// A fully connected layer over the last axis, whose weight is transposed.
    pub(crate) fn connected(
        &mut self,
        prefix: &str,
        x: &Edge,
        (inputs, outputs): (u64, u64),
    ) -> Result<Edge, DrawFault> {
        let factor = self.factor(&format!("{prefix}.weight"), (inputs, outputs))?;
        let bias = self.weight(&format!("{prefix}.bias"), &[outputs])?;
        let product = self.network.apply("MatMul", &[x, &factor]);
        Ok(self.network.apply("Add", &[&product, &bias]))
    }
}

/// Rows of a matrix as the columns of another; a number has `N` bytes.
fn turn<const N: usize>(bytes: &[u8], width: usize, rows: Range<usize>) -> Vec<u8> {
    let numbers = &bytes.as_chunks::<N>().0[rows.start * width..rows.end * width];
    let height = rows.len();
    let mut turned = vec![[0; N]; numbers.len()];
    for (strip, first) in numbers.chunks(STRIP * width).zip((0..).step_by(STRIP)) {
        for column in 0..width {
            let places = turned[column * height + first..].iter_mut();
            let column = strip.iter().skip(column).step_by(width);
            for (place, number) in places.zip(column) {
                *place = *number;
            }
        }
    }
    turned.into_flattened()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_become_columns() {
        let (rows, width) = (37, 3);
        let numbers: Vec<u8> = (0..rows * width)
            .flat_map(|number: u16| number.to_le_bytes())
            .collect();
        let turned = turn::<2>(&numbers, width as usize, 1..36);
        let turned: Vec<u16> = turned
            .as_chunks::<2>()
            .0
            .iter()
            .map(|number| u16::from_le_bytes(*number))
            .collect();
        let wanted = (0..width).flat_map(|column| (1..36).map(move |row| row * width + column));
        assert_eq!(turned, wanted.collect::<Vec<_>>());
    }
}
