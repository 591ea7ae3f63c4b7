//! Model packages and conversions with the packages in `models/`.

mod blend;
mod conversion;
mod hostile;
mod sound;
