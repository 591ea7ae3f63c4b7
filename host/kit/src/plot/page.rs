use super::panel::{Axis, FIELD, Panel};
use super::svg::{Anchor, Stroke, Svg};
use crate::axis::{hertz_label, plain, stepped_ticks};
use crate::response::{
    BURST_S, HARMONICS, HIGHEST_DB, LOWEST_DB, Response, SAMPLE_RATE_HZ, envelope_of_input,
};
use vocalhost_effects::Descriptor;

const WIDTH: f64 = 960.0;
const LEFTS: [f64; 2] = [58.0, 533.0];
/// From the top of one row of panels to the next.
const ROW: f64 = FIELD.1 + 76.0;
const LEGEND_ROW: f64 = 18.0;
/// Pixels of a letter of the legend, about.
const LETTER: f64 = 6.2;
/// Letters of a name that the legend shows.
const MAX_NAME: usize = 32;

/// Colours that people with any kind of colour vision can tell apart, by M. Okabe and K. Ito, after black.
const COLOURS: [&str; 8] = [
    "#1f2328", "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7d5ba6",
];
const REFERENCE: Stroke = Stroke {
    colour: "#8b949e",
    width: 1.2,
    dashes: Some("3 3"),
};

/// Draws the measured responses of an effect: the same bytes for the same measurements.
#[must_use]
pub fn plot(descriptor: &Descriptor, responses: &[Response]) -> String {
    let legend = Legend::of(responses);
    let first_top = 64.0 + LEGEND_ROW * legend.rows as f64 + 26.0;
    let mut svg = Svg::new(WIDTH, first_top + ROW + FIELD.1 + 44.0);
    let title = format!("{} {}", shortened(&descriptor.name), descriptor.version);
    svg.text(
        (16.0, 28.0),
        Anchor::Start,
        "font-size=\"18\" font-weight=\"bold\"",
        &title,
    );
    let is_stereo = responses
        .iter()
        .any(|response| !response.crosstalk.is_empty());
    let how = if is_stereo {
        "stereo, sound on the left only; dashed: what comes out on the right"
    } else {
        "mono"
    };
    let subtitle = format!(
        "{}, measured at {} Hz, {how}",
        descriptor.id, SAMPLE_RATE_HZ
    );
    svg.text((16.0, 46.0), Anchor::Start, "fill=\"#57606a\"", &subtitle);
    legend.draw(&mut svg);

    let tops = [first_top, first_top + ROW];
    draw_magnitude(&mut svg, (LEFTS[0], tops[0]), responses);
    draw_level(&mut svg, (LEFTS[1], tops[0]), responses);
    draw_harmonics(&mut svg, (LEFTS[0], tops[1]), responses);
    draw_burst(&mut svg, (LEFTS[1], tops[1]), responses);
    svg.finish()
}

/// The stroke of the curve with this number: the first one is broad, so that it can be seen under others.
fn stroke(curve: usize) -> Stroke {
    Stroke {
        colour: COLOURS[curve % COLOURS.len()],
        width: if curve == 0 { 3.2 } else { 1.5 },
        dashes: None,
    }
}

fn draw_magnitude(svg: &mut Svg, (left, top): (f64, f64), responses: &[Response]) {
    let points =
        |response: &Response| [response.magnitude.clone(), response.crosstalk.clone()].concat();
    let values = responses.iter().flat_map(points).flat_map(with_room);
    let labelled = [20.0, 50.0, 100.0, 200.0, 500.0, 1e3, 2e3, 5e3, 1e4, 2e4];
    let panel = Panel {
        number: 1,
        title: "Magnitude: pink noise at −40 dBFS",
        left,
        top,
        across: Axis {
            title: "frequency in Hz",
            low: 20.0,
            high: f64::from(SAMPLE_RATE_HZ) / 2.0,
            is_logarithmic: true,
            ticks: labelled.map(|hertz| (hertz, hertz_label(hertz))).to_vec(),
        },
        up: decibel_axis("out over in, dB", values, (-12.0, 6.0), 60.0),
    };
    panel.begin(svg);
    for (curve, response) in responses.iter().enumerate() {
        panel.curve(svg, &response.magnitude, stroke(curve));
        if !response.crosstalk.is_empty() {
            let dashed = Stroke {
                dashes: Some("5 3"),
                ..stroke(curve)
            };
            panel.curve(svg, &response.crosstalk, dashed);
        }
    }
}

fn draw_level(svg: &mut Svg, (left, top): (f64, f64), responses: &[Response]) {
    let values = responses.iter().flat_map(|response| &response.level);
    let values = values.map(|point| point.1);
    let panel = Panel {
        number: 2,
        title: "Level: sine of 1 kHz",
        left,
        top,
        across: Axis {
            title: "in, dBFS",
            low: LOWEST_DB,
            high: HIGHEST_DB,
            is_logarithmic: false,
            ticks: labelled(stepped_ticks(LOWEST_DB, HIGHEST_DB, 20.0)),
        },
        up: decibel_axis("out, dBFS", values, (LOWEST_DB, HIGHEST_DB), 110.0),
    };
    panel.begin(svg);
    let unchanged = [(LOWEST_DB, LOWEST_DB), (HIGHEST_DB, HIGHEST_DB)];
    for (curve, response) in responses.iter().enumerate() {
        panel.curve(svg, &response.level, stroke(curve));
    }
    panel.curve(svg, &unchanged, REFERENCE);
}

fn draw_harmonics(svg: &mut Svg, (left, top): (f64, f64), responses: &[Response]) {
    let ticks = (1..=HARMONICS).map(|harmonic| (harmonic as f64, harmonic.to_string()));
    let values = responses
        .iter()
        .flat_map(|response| response.harmonics.iter().copied());
    let panel = Panel {
        number: 3,
        title: "Harmonics: sine of 1 kHz at −6 dBFS",
        left,
        top,
        across: Axis {
            title: "frequency in kHz",
            low: 0.5,
            high: HARMONICS as f64 + 0.5,
            is_logarithmic: false,
            ticks: ticks.collect(),
        },
        up: decibel_axis("dBFS", values, (-120.0, 0.0), 120.0),
    };
    panel.begin(svg);
    let slot = FIELD.0 / HARMONICS as f64 * 0.8;
    let width = slot / responses.len().max(3) as f64;
    let first = -width * responses.len() as f64 / 2.0;
    for (curve, response) in responses.iter().enumerate() {
        let place = (first + width * curve as f64, width * 0.85);
        for (index, level) in response.harmonics.iter().enumerate() {
            panel.bar(
                svg,
                ((index + 1) as f64, *level),
                place,
                stroke(curve).colour,
            );
        }
    }
}

fn draw_burst(svg: &mut Svg, (left, top): (f64, f64), responses: &[Response]) {
    let values = responses.iter().flat_map(|response| &response.burst);
    let values = values.copied().flat_map(with_room);
    let panel = Panel {
        number: 4,
        title: "Tone burst: 1 kHz at −46, −6, −46 dBFS, then silence",
        left,
        top,
        across: Axis {
            title: "time in s",
            low: 0.0,
            high: BURST_S,
            is_logarithmic: false,
            ticks: labelled(stepped_ticks(0.0, BURST_S, 0.5)),
        },
        up: decibel_axis("out, dBFS", values, (-80.0, 0.0), 80.0),
    };
    panel.begin(svg);
    for (curve, response) in responses.iter().enumerate() {
        panel.curve(svg, &response.burst, stroke(curve));
    }
    panel.curve(svg, &envelope_of_input(), REFERENCE);
}

/// The value of a point with a decibel of room around it: a level line must not lie on the edge.
fn with_room(point: (f64, f64)) -> [f64; 2] {
    [point.1 - 1.0, point.1 + 1.0]
}

/// An axis that holds all values and at least `least`, and reaches down from its top by `range` dB at most.
fn decibel_axis(
    title: &'static str,
    values: impl Iterator<Item = f64>,
    least: (f64, f64),
    range: f64,
) -> Axis {
    let (mut low, mut high) = least;
    for value in values {
        // An end within half a decibel of a line does not need the next line.
        if value < low - 0.5 {
            low = (value / 6.0).floor() * 6.0;
        }
        if value > high + 0.5 {
            high = (value / 6.0).ceil() * 6.0;
        }
    }
    low = low.max(high - range.max(least.1 - least.0));
    let span = high - low;
    let steps = [3.0, 6.0, 12.0, 20.0];
    let step = steps
        .into_iter()
        .find(|step| span / step <= 8.0)
        .unwrap_or(20.0);
    Axis {
        title,
        low,
        high,
        is_logarithmic: false,
        ticks: labelled(stepped_ticks(low, high, step)),
    }
}

fn labelled(values: Vec<f64>) -> Vec<(f64, String)> {
    let label = |value: f64| plain(value).replace('-', "−");
    values
        .into_iter()
        .map(|value| (value, label(value)))
        .collect()
}

/// The curves' names, in as many rows as they take.
struct Legend {
    names: Vec<(String, f64, usize)>,
    rows: usize,
}

impl Legend {
    fn of(responses: &[Response]) -> Self {
        let mut names = Vec::new();
        let (mut x, mut row) = (16.0, 0);
        let unchanged = "unchanged".to_owned();
        let curves = responses
            .iter()
            .map(|response| shortened(&response.tuned.name));
        for name in curves.chain(std::iter::once(unchanged)) {
            let width = 30.0 + LETTER * name.chars().count() as f64 + 18.0;
            if x + width > WIDTH - 16.0 {
                x = 16.0;
                row += 1;
            }
            names.push((name, x, row));
            x += width;
        }
        Self {
            names,
            rows: row + 1,
        }
    }

    fn draw(&self, svg: &mut Svg) {
        for (curve, (name, x, row)) in self.names.iter().enumerate() {
            let y = 68.0 + LEGEND_ROW * *row as f64;
            let stroke = if curve + 1 == self.names.len() {
                REFERENCE
            } else {
                stroke(curve)
            };
            svg.curve(&[(*x, y), (x + 22.0, y)], stroke, None);
            svg.text((x + 28.0, y + 4.0), Anchor::Start, "font-size=\"12\"", name);
        }
    }
}

fn shortened(name: &str) -> String {
    if name.chars().count() <= MAX_NAME {
        return name.to_owned();
    }
    let begun = name.chars().take(MAX_NAME - 1);
    begun.chain(std::iter::once('…')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_of_decibels_holds_its_values_within_its_range() {
        let axis = decibel_axis("dB", [-1.0, 7.5].into_iter(), (-12.0, 6.0), 60.0);
        assert_eq!((axis.low, axis.high), (-12.0, 12.0));
        let axis = decibel_axis("dB", [-12.4, 6.4].into_iter(), (-12.0, 6.0), 60.0);
        assert_eq!((axis.low, axis.high), (-12.0, 6.0));
        let axis = decibel_axis("dB", [-200.0].into_iter(), (-12.0, 6.0), 60.0);
        assert_eq!((axis.low, axis.high), (-54.0, 6.0));
        let labels: Vec<&str> = axis.ticks.iter().map(|tick| tick.1.as_str()).collect();
        assert_eq!(labels, ["−48", "−36", "−24", "−12", "0"]);
    }
}
