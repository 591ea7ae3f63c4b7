//! The response of an effect as an SVG page of four plots, for documentation and for readable differences.

mod page;
mod panel;
mod svg;

pub use page::plot;
