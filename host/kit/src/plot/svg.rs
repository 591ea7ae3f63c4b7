use std::fmt::Write as _;

/// An SVG document while it is written. Coordinates are pixels from the top left, rounded to a tenth, so that the same
/// picture has the same bytes.
pub(super) struct Svg {
    text: String,
}

/// Where a text stands relative to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a line looks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke {
    pub(super) colour: &'static str,
    pub(super) width: f64,
    pub(super) dashes: Option<&'static str>,
}

/// How far, in pixels, a point that is left out may lie from the line that replaces it.
const TOLERANCE: f64 = 0.15;

impl Svg {
    pub(super) fn new(width: f64, height: f64) -> Self {
        let mut svg = Self {
            text: String::new(),
        };
        svg.line(&format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\" font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" font-size=\"11\" \
             fill=\"#1f2328\">"
        ));
        svg.line(&format!(
            "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>"
        ));
        svg
    }

    pub(super) fn finish(mut self) -> String {
        self.line("</svg>");
        self.text
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A text; `style` holds further attributes.
    pub(super) fn text(&mut self, (x, y): (f64, f64), anchor: Anchor, style: &str, words: &str) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        let style = if style.is_empty() {
            String::new()
        } else {
            format!(" {style}")
        };
        self.line(&format!(
            "<text x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\"{style}>{}</text>",
            tenth(x),
            tenth(y),
            escaped(words)
        ));
    }

    /// A text that runs upwards.
    pub(super) fn upright_text(&mut self, (x, y): (f64, f64), words: &str) {
        let (x, y) = (tenth(x), tenth(y));
        self.line(&format!(
            "<text transform=\"translate({x} {y}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            escaped(words)
        ));
    }

    pub(super) fn rectangle(
        &mut self,
        (x, y): (f64, f64),
        (width, height): (f64, f64),
        style: &str,
    ) {
        self.line(&format!(
            "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {style}/>",
            tenth(x),
            tenth(y),
            tenth(width),
            tenth(height)
        ));
    }

    /// A line through points, leaving out those that lie on it anyway. `clip` is the number of a clip.
    pub(super) fn curve(&mut self, points: &[(f64, f64)], stroke: Stroke, clip: Option<usize>) {
        let mut coordinates = String::new();
        for (x, y) in simplified(points) {
            let space = if coordinates.is_empty() { "" } else { " " };
            write!(coordinates, "{space}{},{}", tenth(x), tenth(y)).expect("a string takes all");
        }
        let dashes = stroke
            .dashes
            .map(|dashes| format!(" stroke-dasharray=\"{dashes}\""))
            .unwrap_or_default();
        let clip = clip
            .map(|clip| format!(" clip-path=\"url(#c{clip})\""))
            .unwrap_or_default();
        self.line(&format!(
            "<polyline points=\"{coordinates}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" \
             stroke-linejoin=\"round\"{dashes}{clip}/>",
            stroke.colour, stroke.width
        ));
    }

    /// Curves with the clip of this number end at the edge of a rectangle.
    pub(super) fn clip(&mut self, clip: usize, (x, y): (f64, f64), (width, height): (f64, f64)) {
        self.line(&format!(
            "<clipPath id=\"c{clip}\"><rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"/></clipPath>",
            tenth(x),
            tenth(y),
            tenth(width),
            tenth(height)
        ));
    }
}

/// A coordinate with one digit behind the point at most.
fn tenth(value: f64) -> String {
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0" } else { text }.to_owned()
}

/// Escapes a text that an author of an effect may have chosen.
fn escaped(words: &str) -> String {
    let mut text = String::with_capacity(words.len());
    for letter in words.chars() {
        match letter {
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '&' => text.push_str("&amp;"),
            '"' => text.push_str("&quot;"),
            letter if letter.is_control() => text.push(' '),
            letter => text.push(letter),
        }
    }
    text
}

/// The points without those that lie on the line between others (D. H. Douglas, T. K. Peucker, "Algorithms for the
/// reduction of the number of points", Cartographica 10 (2), 1973).
fn simplified(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
    let mut kept = vec![false; points.len()];
    let mut spans = Vec::new();
    if let Some(last) = points.len().checked_sub(1) {
        kept[0] = true;
        kept[last] = true;
        spans.push((0, last));
    }
    while let Some((first, last)) = spans.pop() {
        let inside = first + 1..last;
        let farthest = inside
            .map(|index| (index, distance(points[index], points[first], points[last])))
            .max_by(|one, other| one.1.total_cmp(&other.1));
        if let Some((index, distance)) = farthest
            && distance > TOLERANCE
        {
            kept[index] = true;
            spans.extend([(first, index), (index, last)]);
        }
    }
    let points = points.iter().zip(kept);
    points
        .filter_map(|(point, kept)| kept.then_some(*point))
        .collect()
}

/// How far a point lies from the line through two others.
fn distance(point: (f64, f64), start: (f64, f64), end: (f64, f64)) -> f64 {
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    let length = dx.hypot(dy);
    let (x, y) = (point.0 - start.0, point.1 - start.1);
    if length == 0.0 {
        return x.hypot(y);
    }
    (dx * y - dy * x).abs() / length
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_are_left_out_and_corners_kept() {
        let line: Vec<(f64, f64)> = (0..=10)
            .map(|index| (f64::from(index), f64::from(index % 11).min(5.0)))
            .collect();
        assert_eq!(simplified(&line), [(0.0, 0.0), (5.0, 5.0), (10.0, 5.0)]);
        assert_eq!(simplified(&[]), []);
    }

    #[test]
    fn words_of_strangers_cannot_leave_their_text() {
        assert_eq!(
            escaped("</text><script a=\"&\">\n"),
            "&lt;/text&gt;&lt;script a=&quot;&amp;&quot;&gt; "
        );
    }

    #[test]
    fn coordinates_have_one_digit() {
        assert_eq!(tenth(-0.04), "0");
        assert_eq!(tenth(12.0), "12");
        assert_eq!(tenth(7.77), "7.8");
    }
}
