//! Model packages, conversions and separations, with the packages in `models/` and with small ones made for a test.

mod blend;
mod blend_rvc;
mod conversion;
mod hostile;
mod providers;
mod rvc;
mod rvc_parts;
mod separation;
mod separation_families;
mod separation_golden;
mod separation_many;
mod sound;
