use std::ops::Range;

use super::Layout;
use super::validate::MAX_CHANNELS;

/// The channels of the stream that one processor handles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Route {
    /// The layout that the processor is made with.
    pub(super) layout: Layout,
    /// Channels of the stream. A single channel at a layout of two goes into both inputs and comes back as the mean of
    /// both outputs.
    pub(super) channels: Range<usize>,
}

/// How a stream of `channels` channels is routed through an effect with these layouts: as many channels out as in.
///
/// An effect that can take all channels at once does. Otherwise one that runs in mono has a processor per channel, and
/// one that runs in stereo only has a processor per pair of channels, with a last single channel in both inputs. Any
/// other layouts would change the number of channels: none.
pub(super) fn routes(layouts: &[Layout], channels: usize) -> Option<Vec<Route>> {
    let runs = |count: u32| {
        layouts.is_empty()
            || layouts.contains(&Layout {
                inputs: count,
                outputs: count,
            })
    };
    let all = u32::try_from(channels)
        .ok()
        .filter(|count| (1..=MAX_CHANNELS).contains(count))?;
    let width = [all, 1, 2].into_iter().find(|count| runs(*count))?;
    let layout = Layout {
        inputs: width,
        outputs: width,
    };
    let width = width as usize;
    let firsts = (0..channels).step_by(width);
    Some(
        firsts
            .map(|first| Route {
                layout,
                channels: first..channels.min(first + width),
            })
            .collect(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const MONO: Layout = Layout {
        inputs: 1,
        outputs: 1,
    };
    const STEREO: Layout = Layout {
        inputs: 2,
        outputs: 2,
    };

    fn widths(layouts: &[Layout], channels: usize) -> Option<Vec<(u32, Range<usize>)>> {
        let routes = routes(layouts, channels)?;
        Some(
            routes
                .into_iter()
                .map(|route| (route.layout.inputs, route.channels))
                .collect(),
        )
    }

    #[test]
    fn an_effect_for_any_channels_gets_all_of_them_at_once() {
        assert_eq!(widths(&[], 6), Some(vec![(6, 0..6)]));
    }

    #[test]
    fn a_stereo_effect_keeps_stereo_together() {
        assert_eq!(widths(&[MONO, STEREO], 2), Some(vec![(2, 0..2)]));
    }

    #[test]
    fn a_mono_effect_runs_once_per_channel() {
        assert_eq!(widths(&[MONO], 2), Some(vec![(1, 0..1), (1, 1..2)]));
        assert_eq!(
            widths(&[STEREO, MONO], 3).map(|routes| routes.len()),
            Some(3)
        );
    }

    #[test]
    fn a_stereo_only_effect_takes_pairs_and_a_single_channel_in_both_inputs() {
        assert_eq!(widths(&[STEREO], 1), Some(vec![(2, 0..1)]));
        assert_eq!(
            widths(&[STEREO], 5),
            Some(vec![(2, 0..2), (2, 2..4), (2, 4..5)])
        );
    }

    #[test]
    fn layouts_that_change_the_number_of_channels_do_not_run() {
        let widening = Layout {
            inputs: 1,
            outputs: 2,
        };
        assert_eq!(widths(&[widening], 1), None);
        assert_eq!(widths(&[MONO], 0), None);
    }
}
