use super::svg::{Anchor, Stroke, Svg};

/// An axis: what it is called, its ends, and where it has labels.
pub(super) struct Axis {
    pub(super) title: &'static str,
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) is_logarithmic: bool,
    pub(super) ticks: Vec<(f64, String)>,
}

impl Axis {
    /// Where a value lies: 0 at the low end, 1 at the high one.
    fn share(&self, value: f64) -> f64 {
        if self.is_logarithmic {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }
}

/// A field between two axes that curves are drawn into.
pub(super) struct Panel {
    pub(super) number: usize,
    pub(super) title: &'static str,
    pub(super) left: f64,
    pub(super) top: f64,
    pub(super) across: Axis,
    pub(super) up: Axis,
}

/// Pixels of a panel's field.
pub(super) const FIELD: (f64, f64) = (405.0, 220.0);

const GRID: &str = "fill=\"#e4e7eb\"";

impl Panel {
    /// Draws everything that stands behind the curves.
    pub(super) fn begin(&self, svg: &mut Svg) {
        let (width, height) = FIELD;
        let corner = (self.left, self.top);
        svg.clip(self.number, corner, FIELD);
        let at = (self.left, self.top - 9.0);
        svg.text(
            at,
            Anchor::Start,
            "font-size=\"12\" font-weight=\"bold\"",
            self.title,
        );
        for (value, label) in &self.across.ticks {
            let x = self.left + self.across.share(*value) * width;
            svg.rectangle((x - 0.5, self.top), (1.0, height), GRID);
            let at = (x, self.top + height + 14.0);
            svg.text(at, Anchor::Middle, "", label);
        }
        for (value, label) in &self.up.ticks {
            let y = self.top + (1.0 - self.up.share(*value)) * height;
            svg.rectangle((self.left, y - 0.5), (width, 1.0), GRID);
            svg.text((self.left - 6.0, y + 4.0), Anchor::End, "", label);
        }
        let at = (self.left + width / 2.0, self.top + height + 30.0);
        svg.text(at, Anchor::Middle, "", self.across.title);
        svg.upright_text((self.left - 38.0, self.top + height / 2.0), self.up.title);
        svg.rectangle(corner, FIELD, "fill=\"none\" stroke=\"#8b949e\"");
    }

    /// Draws a curve through points in the axes' own units.
    pub(super) fn curve(&self, svg: &mut Svg, points: &[(f64, f64)], stroke: Stroke) {
        // Far outside, a line would only grow long numbers.
        let y = |value| {
            self.y(value)
                .clamp(self.top - 50.0, self.top + FIELD.1 + 50.0)
        };
        let points: Vec<(f64, f64)> = points
            .iter()
            .map(|point| (self.x(point.0), y(point.1)))
            .collect();
        svg.curve(&points, stroke, Some(self.number));
    }

    /// Draws a bar from the lower edge, `width` pixels wide and moved `offset` pixels to the right.
    pub(super) fn bar(
        &self,
        svg: &mut Svg,
        (value, height): (f64, f64),
        (offset, width): (f64, f64),
        colour: &str,
    ) {
        let bottom = self.top + FIELD.1;
        let top = self.y(height).clamp(self.top, bottom);
        if bottom - top >= 0.05 {
            let corner = (self.x(value) + offset, top);
            svg.rectangle(corner, (width, bottom - top), &format!("fill=\"{colour}\""));
        }
    }

    fn x(&self, value: f64) -> f64 {
        self.left + self.across.share(value) * FIELD.0
    }

    fn y(&self, value: f64) -> f64 {
        self.top + (1.0 - self.up.share(value)) * FIELD.1
    }
}
