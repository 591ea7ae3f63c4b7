use super::Portrait;
use super::canvas::{Anchor, Canvas, Colour, FAINT, INK, Letters};
use super::waveform::Waveform;
use crate::axis::{hertz_label, plain, round_ticks, time_label};
use crate::spectrogram::{Spectrogram, mel};

/// Moments that a picture tells apart.
pub(super) const COLUMNS: usize = 1_080;
/// Frequencies that it tells apart.
pub(super) const SPECTROGRAM_ROWS: usize = 260;

const LEFT: usize = 90;
const WAVEFORM_ROWS: usize = 100;
const GAP: usize = 8;
const CAPTION_ROWS: usize = 26;
const FIRST_TOP: usize = 74;
const PORTRAIT_ROWS: usize = CAPTION_ROWS + WAVEFORM_ROWS + GAP + SPECTROGRAM_ROWS;
const SECOND_TOP: usize = FIRST_TOP + PORTRAIT_ROWS + 16;
const WIDTH: usize = LEFT + COLUMNS + 100;
const HEIGHT: usize = SECOND_TOP + PORTRAIT_ROWS + 56;

/// The colour scale covers so many dB below the loudest point: anything quieter is not heard beside it.
const COLOUR_RANGE_DB: f64 = 90.0;
const SCALE_WIDTH: usize = 16;
const WAVE: Colour = [44, 91, 150];
/// Frequencies that are labelled where there is room.
const LABELLED_HZ: [f64; 9] = [
    100.0, 300.0, 600.0, 1_000.0, 2_000.0, 4_000.0, 8_000.0, 16_000.0, 32_000.0,
];

/// What is written into a picture.
pub struct Caption<'a> {
    /// Name and version of the effect.
    pub title: &'a str,
    /// Its settings in words.
    pub settings: &'a str,
    /// Frames per second.
    pub sample_rate_hz: u32,
    /// Seconds from one end of the time axis to the other.
    pub axis_s: f64,
}

/// What both halves of a picture share, so that they can be compared.
struct Scales {
    peak: f64,
    loudest_db: f64,
}

/// Draws both recordings over one another, on the same axes.
#[must_use]
pub fn picture(before: &Portrait, after: &Portrait, caption: &Caption<'_>) -> Canvas {
    let mut canvas = Canvas::white(WIDTH, HEIGHT);
    let room = (WIDTH - 2 * 20) / Letters::Plain.advance();
    canvas.text((20, 14), caption.title, Letters::Title, Anchor::Start);
    canvas.text(
        (20, 42),
        &shortened(caption.settings, room),
        Letters::Plain,
        Anchor::Start,
    );
    let peak = f64::from(before.waveform.peak().max(after.waveform.peak()));
    let loudest = before
        .spectrogram
        .loudest_db()
        .max(after.spectrogram.loudest_db());
    let scales = Scales {
        peak: peak.max(1e-4),
        loudest_db: (loudest / 10.0).ceil() * 10.0,
    };
    for (name, portrait, top) in [("before", before, FIRST_TOP), ("after", after, SECOND_TOP)] {
        let words = format!(
            "{name}: peak {:.1} dBFS, RMS {:.1} dBFS",
            portrait.levels.peak_db(),
            portrait.levels.rms_db()
        );
        canvas.text((LEFT, top), &words, Letters::Plain, Anchor::Start);
        let top = top + CAPTION_ROWS;
        draw_waveform(&mut canvas, top, &portrait.waveform, scales.peak);
        let top = top + WAVEFORM_ROWS + GAP;
        draw_spectrogram(&mut canvas, top, &portrait.spectrogram, scales.loudest_db);
        draw_frequency_axis(&mut canvas, top, caption.sample_rate_hz);
        draw_colour_scale(&mut canvas, top, scales.loudest_db);
    }
    draw_time_axis(&mut canvas, SECOND_TOP + PORTRAIT_ROWS, caption.axis_s);
    canvas
}

/// A text that fits into `room` letters.
fn shortened(text: &str, room: usize) -> String {
    if text.chars().count() <= room {
        return text.to_owned();
    }
    text.chars()
        .take(room.saturating_sub(3))
        .chain("...".chars())
        .collect()
}

fn draw_waveform(canvas: &mut Canvas, top: usize, waveform: &Waveform, peak: f64) {
    let lanes = waveform.lanes();
    let rows = WAVEFORM_ROWS / lanes.len();
    for (lane, reaches) in lanes.iter().enumerate() {
        let top = top + lane * rows;
        let half = (rows - 1) as f64 / 2.0;
        let row = |sample: f32| (half - half * f64::from(sample) / peak).round() as usize;
        canvas.rectangle((LEFT, top + row(0.0)), (COLUMNS, 1), FAINT);
        for (column, reach) in reaches.iter().enumerate() {
            if let Some((low, high)) = reach {
                let (first, last) = (row(*high), row(*low));
                canvas.rectangle((LEFT + column, top + first), (1, last - first + 1), WAVE);
            }
        }
        if lane > 0 {
            canvas.rectangle((LEFT, top), (COLUMNS, 1), INK);
        }
        if lanes.len() > 1 {
            let name = if lane == 0 { "L" } else { "R" };
            let middle = top + rows / 2 - Letters::Plain.height() / 2;
            canvas.text((LEFT - 8, middle), name, Letters::Plain, Anchor::End);
        }
    }
    canvas.frame((LEFT, top), (COLUMNS, WAVEFORM_ROWS));
    // How far the edge is from the middle, written on the right, where the spectrogram has its decibels.
    let edge = format!("{:.1} dBFS", 20.0 * peak.log10());
    canvas.text(
        (LEFT + COLUMNS + 8, top),
        &edge,
        Letters::Plain,
        Anchor::Start,
    );
}

fn draw_spectrogram(canvas: &mut Canvas, top: usize, spectrogram: &Spectrogram, loudest_db: f64) {
    for column in 0..spectrogram.columns() {
        for row in 0..spectrogram.rows() {
            if let Some(value) = spectrogram.at(column, row) {
                let y = top + spectrogram.rows() - 1 - row;
                canvas.blend(LEFT + column, y, colour(f64::from(value), loudest_db), 255);
            }
        }
    }
    canvas.frame((LEFT, top), (COLUMNS, SPECTROGRAM_ROWS));
}

/// Inferno of matplotlib: equal steps of dB are equal steps to the eye.
pub(super) fn colour(value_db: f64, loudest_db: f64) -> Colour {
    let share = 1.0 + (value_db - loudest_db) / COLOUR_RANGE_DB;
    colorous::INFERNO.eval_continuous(share).into_array()
}

fn draw_frequency_axis(canvas: &mut Canvas, top: usize, sample_rate_hz: u32) {
    let highest = f64::from(sample_rate_hz) / 2.0;
    for frequency_hz in LABELLED_HZ
        .into_iter()
        .filter(|frequency| *frequency < 0.97 * highest)
    {
        let share = mel(frequency_hz) / mel(highest);
        let y = top + ((1.0 - share) * SPECTROGRAM_ROWS as f64) as usize;
        canvas.rectangle((LEFT - 5, y), (4, 1), INK);
        let at = (LEFT - 8, y - Letters::Plain.height() / 2);
        canvas.text(at, &hertz_label(frequency_hz), Letters::Plain, Anchor::End);
    }
    canvas.upright_text((18, top + SPECTROGRAM_ROWS / 2), "Hz (mel scale)");
}

fn draw_colour_scale(canvas: &mut Canvas, top: usize, loudest_db: f64) {
    let left = LEFT + COLUMNS + 16;
    for row in 0..SPECTROGRAM_ROWS {
        let below = COLOUR_RANGE_DB * row as f64 / SPECTROGRAM_ROWS as f64;
        let colour = colour(loudest_db - below, loudest_db);
        canvas.rectangle((left, top + row), (SCALE_WIDTH, 1), colour);
    }
    canvas.frame((left, top), (SCALE_WIDTH, SPECTROGRAM_ROWS));
    for value in round_ticks(loudest_db - COLOUR_RANGE_DB, loudest_db, 5) {
        let share = (loudest_db - value) / COLOUR_RANGE_DB;
        let y = top + (share * SPECTROGRAM_ROWS as f64) as usize;
        let at = (left + SCALE_WIDTH + 6, y - Letters::Plain.height() / 2);
        canvas.text(at, &plain(value), Letters::Plain, Anchor::Start);
    }
    let middle = top + SPECTROGRAM_ROWS / 2;
    canvas.upright_text((left + SCALE_WIDTH + 44, middle), "dBFS");
}

fn draw_time_axis(canvas: &mut Canvas, top: usize, axis_s: f64) {
    for time_s in round_ticks(0.0, axis_s, 10) {
        let x = LEFT + (time_s / axis_s * COLUMNS as f64) as usize;
        canvas.rectangle((x, top + 1), (1, 5), INK);
        let label = time_label(time_s, axis_s);
        canvas.text((x, top + 8), &label, Letters::Plain, Anchor::Middle);
    }
    let unit = if axis_s <= 120.0 {
        "time in s"
    } else {
        "time in min:s"
    };
    let at = (LEFT + COLUMNS / 2, top + 28);
    canvas.text(at, unit, Letters::Plain, Anchor::Middle);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::levels::Levels;
    use crate::spectrogram::SpectrogramMaker;
    use vocalhost_audio::Block;

    fn portrait(gain: f32) -> Portrait {
        let sound = (0..8_000)
            .map(|frame| gain * (0.3 * frame as f32).sin())
            .collect();
        let block = Block::from_planar(1, sound);
        let mut waveform = Waveform::new(1, 8_000, COLUMNS);
        waveform.add(&block);
        let mut maker = SpectrogramMaker::new(1, 8_000, 8_000, (COLUMNS, SPECTROGRAM_ROWS));
        maker.add(&block);
        let mut levels = Levels::default();
        levels.add(&block);
        Portrait {
            waveform,
            spectrogram: maker.finish(),
            levels,
        }
    }

    fn drawn(before: f32, after: f32) -> Canvas {
        let caption = Caption {
            title: "Gain 1.0.0",
            settings: "defaults",
            sample_rate_hz: 8_000,
            axis_s: 1.0,
        };
        picture(&portrait(before), &portrait(after), &caption)
    }

    #[test]
    fn a_picture_has_its_size_and_repeats_to_the_bit() {
        let canvas = drawn(0.5, 0.5);
        assert_eq!((canvas.width(), canvas.height()), (WIDTH, HEIGHT));
        assert_eq!(canvas.pixels().len(), WIDTH * HEIGHT * 3);
        assert_eq!(canvas, drawn(0.5, 0.5));
    }

    #[test]
    fn the_halves_differ_as_the_sounds_do() {
        let canvas = drawn(0.5, 0.05);
        let half =
            |top: usize| &canvas.pixels()[3 * WIDTH * (top + CAPTION_ROWS)..][..3 * WIDTH * 360];
        assert_ne!(half(FIRST_TOP), half(SECOND_TOP));
        let same = drawn(0.5, 0.5);
        let half =
            |top: usize| &same.pixels()[3 * WIDTH * (top + CAPTION_ROWS)..][..3 * WIDTH * 360];
        assert_eq!(half(FIRST_TOP), half(SECOND_TOP));
    }

    #[test]
    fn a_long_line_is_cut_to_its_room() {
        assert_eq!(shortened("abcdef", 6), "abcdef");
        assert_eq!(shortened("abcdefg", 6), "abc...");
    }
}
