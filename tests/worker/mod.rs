//! Real workers: killed in the middle of a job, left alone, and how much memory they have in use.

#![cfg(unix)]

mod memory;
mod orphans;
#[cfg(target_os = "linux")]
mod walls;
mod whole_service;
