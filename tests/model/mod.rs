//! Model packages and conversions with the packages in `models/`.

mod conversion;
mod hostile;
mod sound;
