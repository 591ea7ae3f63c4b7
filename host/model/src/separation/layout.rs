use super::super::manifest::{Dimension, TensorSpec};

/// Lengths of the axes of a tensor of a separator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sizes {
    pub(super) stems: usize,
    pub(super) channels: usize,
    pub(super) bins: usize,
    pub(super) frames: usize,
    pub(super) samples: usize,
}

impl Sizes {
    fn of(&self, axis: char) -> Option<usize> {
        match axis {
            'b' => Some(1),
            's' => Some(self.stems),
            'c' => Some(self.channels),
            'k' => Some(2),
            'f' => Some(self.bins),
            't' => Some(self.frames),
            'n' => Some(self.samples),
            _ => None,
        }
    }
}

/// The order of a tensor's axes, written as letters: `b` batch, `s` stem, `c` channel, `k` real and imaginary part, `f` bin, `t` frame, `n`
/// sample. Letters in brackets share one dimension, where the last varies fastest: `b (c k) f t`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    dimensions: Vec<Vec<char>>,
}

impl Layout {
    /// Reads the text of a layout.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let mut dimensions: Vec<Vec<char>> = Vec::new();
        let mut open = false;
        let mut seen = Vec::new();
        for letter in text.chars() {
            match letter {
                ' ' => {}
                '(' if !open => {
                    open = true;
                    dimensions.push(Vec::new());
                }
                ')' if open && dimensions.last().is_some_and(|axes| !axes.is_empty()) => {
                    open = false;
                }
                'b' | 's' | 'c' | 'k' | 'f' | 't' | 'n' if !seen.contains(&letter) => {
                    seen.push(letter);
                    match dimensions.last_mut() {
                        Some(axes) if open => axes.push(letter),
                        _ => dimensions.push(vec![letter]),
                    }
                }
                _ => return Err(format!("{letter:?} does not belong here")),
            }
        }
        if open {
            return Err("a bracket is not closed".to_owned());
        }
        Ok(Self { dimensions })
    }

    /// Whether an axis is there.
    pub(super) fn has(&self, axis: char) -> bool {
        self.dimensions.iter().any(|axes| axes.contains(&axis))
    }

    /// Whether its axes are `needed` and any of `allowed`, and no others.
    pub(super) fn is_of(&self, needed: &str, allowed: &str) -> bool {
        let mut axes = self.dimensions.iter().flatten();
        needed.chars().all(|axis| self.has(axis))
            && axes.all(|axis| needed.contains(*axis) || allowed.contains(*axis))
    }

    /// The tensor's dimensions.
    pub(super) fn shape(&self, sizes: &Sizes) -> Vec<usize> {
        let length = |axes: &Vec<char>| {
            let lengths = axes.iter().filter_map(|axis| sizes.of(*axis));
            lengths.product()
        };
        self.dimensions.iter().map(length).collect()
    }

    /// Distance between neighbouring values along an axis; 0 for an axis that does not exist.
    pub(super) fn stride(&self, axis: char, sizes: &Sizes) -> usize {
        let mut stride = 1;
        for other in self.dimensions.iter().flatten().rev() {
            if *other == axis {
                return stride;
            }
            stride *= sizes.of(*other).unwrap_or(1);
        }
        0
    }

    /// Whether a manifest's dimensions match this layout. A letter stands for any length of the batch, the frames or the samples, and for
    /// nothing else.
    pub(super) fn fits(&self, tensor: &TensorSpec, sizes: &Sizes) -> bool {
        let shape = self.shape(sizes);
        let agrees = |((declared, length), axes): ((&Dimension, usize), &Vec<char>)| match declared
        {
            Dimension::Fixed(declared) => *declared as usize == length,
            Dimension::Symbol(_) => matches!(axes[..], ['b' | 't' | 'n']),
        };
        shape.len() == tensor.shape.len()
            && tensor
                .shape
                .iter()
                .zip(shape)
                .zip(&self.dimensions)
                .all(agrees)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes {
        stems: 3,
        channels: 2,
        bins: 5,
        frames: 7,
        samples: 11,
    };

    #[test]
    fn brackets_share_a_dimension_and_the_last_axis_is_the_fastest() {
        let layout = Layout::parse("b s (c k) f t").expect("a layout");
        assert_eq!(layout.shape(&SIZES), [1, 3, 4, 5, 7]);
        let strides = ['s', 'c', 'k', 'f', 't'].map(|axis| layout.stride(axis, &SIZES));
        assert_eq!(strides, [140, 70, 35, 7, 1]);
        let layout = Layout::parse("b (f c) t k").expect("a layout");
        assert_eq!(layout.shape(&SIZES), [1, 10, 7, 2]);
        let strides = ['f', 'c', 't', 'k', 's'].map(|axis| layout.stride(axis, &SIZES));
        assert_eq!(strides, [28, 14, 2, 1, 0]);
    }

    #[test]
    fn what_is_no_layout_is_refused() {
        for text in [
            "b x t",
            "b (c k f t",
            "b c) t",
            "b ((c) k)",
            "b t t",
            "b () t",
        ] {
            assert!(Layout::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_axes_that_are_needed_and_allowed_are_counted() {
        let layout = Layout::parse("b (c k) f t").expect("a layout");
        assert!(layout.is_of("cft", "bk"));
        assert!(!layout.is_of("cfts", "bk"));
        assert!(!layout.is_of("cft", "b"));
    }
}
