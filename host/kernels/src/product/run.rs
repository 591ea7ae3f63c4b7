use super::super::task::{Task, run};
use super::super::tile::tile;
use super::super::vector::{Instructions, VECTORS, Vector};

/// Rows that are packed at a time, a whole number of blocks for any instructions: they stay in the first or second level of cache while all
/// columns pass by.
const ROWS: usize = 24;
const _: () = assert!(
    ROWS.is_multiple_of(Instructions::Avx512.outputs())
        && ROWS.is_multiple_of(Instructions::Avx2.outputs()),
    "blocks are whole"
);

/// The most bytes of a matrix that are packed at a time, so that they stay in the last level of cache. Rows are packed once for each part.
const PART_BYTES: usize = 8 << 20;

/// A constant matrix, and the bias that is added to each row of a product with it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Matrix<'a> {
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    /// Whether its values are output by input rather than input by output.
    pub(super) is_transposed: bool,
    pub(super) values: &'a [f32],
    /// One for each output.
    pub(super) bias: Option<&'a [f32]>,
}

/// Multiplies consecutive rows with a matrix.
///
/// # Panics
/// When the lengths do not match.
pub(super) fn multiply(
    instructions: Instructions,
    rows: &[f32],
    matrix: &Matrix<'_>,
    result: &mut [f32],
) {
    let (inputs, outputs) = (matrix.inputs, matrix.outputs);
    assert_eq!(matrix.values.len(), inputs * outputs, "the matrix is whole");
    if result.is_empty() {
        return;
    }
    let count = result.len() / outputs;
    assert_eq!(result.len(), count * outputs, "the results are whole");
    assert_eq!(rows.len(), count * inputs, "the rows are whole");
    let panel = VECTORS * instructions.floats();
    let fitting = PART_BYTES / (size_of::<f32>() * panel * matrix.lines());
    let panels = fitting.clamp(1, outputs.div_ceil(panel));
    let task = Times {
        rows,
        matrix: *matrix,
        panels,
        result,
    };
    let floats = (panels * panel + ROWS) * matrix.lines() + instructions.outputs() * panel;
    run(instructions, floats, task);
}

/// Rows times a matrix.
struct Times<'a> {
    rows: &'a [f32],
    matrix: Matrix<'a>,
    /// Panels of columns that are packed at a time.
    panels: usize,
    result: &'a mut [f32],
}

impl Task for Times<'_> {
    #[inline(always)]
    fn run<V: Vector, const BLOCK: usize>(self, working: &mut [f32]) {
        let (inputs, outputs) = (self.matrix.inputs, self.matrix.outputs);
        let (lines, panel) = (self.matrix.lines(), VECTORS * V::FLOATS);
        let (columns, rest) = working.split_at_mut(self.panels * panel * lines);
        let (factors, edge) = rest.split_at_mut(ROWS * lines);
        for first in (0..outputs).step_by(self.panels * panel) {
            let wanted = (outputs - first).div_ceil(panel).min(self.panels);
            let columns = &mut columns[..wanted * panel * lines];
            for (at, packed) in columns.chunks_exact_mut(panel * lines).enumerate() {
                self.matrix.pack(first + at * panel, panel, packed);
            }
            let groups = self.rows.chunks(ROWS * inputs);
            for (rows, result) in groups.zip(self.result.chunks_mut(ROWS * outputs)) {
                let blocks = (rows.len() / inputs).div_ceil(BLOCK);
                let factors = &mut factors[..blocks * BLOCK * lines];
                pack_rows::<BLOCK>(rows, inputs, lines, factors);
                for (at, columns) in columns.chunks_exact(panel * lines).enumerate() {
                    let column = first + at * panel;
                    let width = (outputs - column).min(panel);
                    let factors = factors.chunks_exact(BLOCK * lines);
                    for (factors, result) in factors.zip(result.chunks_mut(BLOCK * outputs)) {
                        let height = result.len() / outputs;
                        if height == BLOCK && width == panel {
                            tile::<V, BLOCK>(factors, columns, &mut result[column..], outputs);
                            continue;
                        }
                        tile::<V, BLOCK>(factors, columns, edge, panel);
                        let sums = edge.chunks_exact(panel);
                        for (sums, result) in sums.zip(result.chunks_exact_mut(outputs)) {
                            result[column..][..width].copy_from_slice(&sums[..width]);
                        }
                    }
                }
            }
        }
    }
}

impl Matrix<'_> {
    /// Lines of a packed panel: one for each input, and the bias.
    fn lines(&self) -> usize {
        self.inputs + usize::from(self.bias.is_some())
    }

    /// Lays a panel of columns out line by column; nothing reads beyond the last column.
    #[inline(always)]
    fn pack(&self, first: usize, panel: usize, packed: &mut [f32]) {
        let width = (self.outputs - first).min(panel);
        if self.is_transposed {
            let columns = self.values.chunks_exact(self.inputs);
            for (column, values) in columns.skip(first).take(width).enumerate() {
                let places = packed[column..].iter_mut().step_by(panel);
                places
                    .zip(values)
                    .for_each(|(place, value)| *place = *value);
            }
        } else {
            let lines = self.values.chunks_exact(self.outputs);
            for (line, packed) in lines.zip(packed.chunks_exact_mut(panel)) {
                packed[..width].copy_from_slice(&line[first..][..width]);
            }
        }
        if let Some(bias) = self.bias {
            packed[self.inputs * panel..][..width].copy_from_slice(&bias[first..][..width]);
        }
    }
}

/// Lays rows out block by line by row of the block, with 1 for the bias. The sums of rows missing in the last block are not used.
#[inline(always)]
fn pack_rows<const BLOCK: usize>(rows: &[f32], inputs: usize, lines: usize, packed: &mut [f32]) {
    let blocks = rows.chunks(BLOCK * inputs);
    for (block, packed) in blocks.zip(packed.chunks_exact_mut(BLOCK * lines)) {
        let (packed, bias) = packed.split_at_mut(BLOCK * inputs);
        bias.fill(1.0);
        for (row, values) in block.chunks_exact(inputs).enumerate() {
            let (places, _) = packed.as_chunks_mut::<BLOCK>();
            for (place, value) in places.iter_mut().zip(values) {
                place[row] = *value;
            }
        }
    }
}
