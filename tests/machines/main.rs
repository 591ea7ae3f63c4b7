//! Several servers over one database and one bucket: an installation that moves there, what they have in common, and what breaks there.

mod away;
mod backup;
mod checker;
mod doctor;
mod effects;
mod faults;
mod long;
mod migrate;
mod node;
mod place;
mod roles;
mod rolling;
mod uploads;
