//! Model packages, conversions and separations, with the packages in `models/` and with small ones made for a test.

mod blend;
mod blend_rvc;
mod conversion;
mod hostile;
mod providers;
mod rvc;
mod rvc_half;
mod rvc_parts;
mod separate_command;
mod separation;
mod separation_families;
mod separation_golden;
mod separation_many;
mod sound;
