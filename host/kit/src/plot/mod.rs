//! The answer of an effect as a page of four plots, in SVG, so that documentation shows it and differences can be read.

mod page;
mod panel;
mod svg;

pub use page::plot;
