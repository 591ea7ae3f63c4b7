//! The pages of `docs/measurements` whose tables the benches write: what stands between `<!-- bench NAME -->` and `<!-- end -->`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::folders::{root, target_folder};
use crate::process::capture;

const END: &str = "<!-- end -->";

/// Runs the benches that pages have a place for, or those of them that are `named`, and writes what they measured there.
/// `bench` makes the command that runs one.
pub fn write(named: &[String], bench: impl Fn(&str) -> Command) -> Result<()> {
    let mut left: Vec<&String> = named.iter().collect();
    for page in pages()? {
        let text = fs::read_to_string(&page)?;
        for name in places(&text) {
            if !named.is_empty() && !named.iter().any(|wanted| wanted == name) {
                continue;
            }
            left.retain(|wanted| *wanted != name);
            let table = measured(name, bench(name))?;
            // Read again: a page may have places for several benches.
            let text = fs::read_to_string(&page)?;
            fs::write(&page, replaced(&text, name, &table)?)?;
            eprintln!("bench: {name} is in {}", page.display());
        }
    }
    if !left.is_empty() {
        bail!("no page of docs/measurements has a place for {left:?}");
    }
    Ok(())
}

fn pages() -> Result<Vec<PathBuf>> {
    let folder = root().join("docs/measurements");
    let entries =
        fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut pages = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "md") {
            pages.push(path);
        }
    }
    pages.sort();
    Ok(pages)
}

fn mark(name: &str) -> String {
    format!("<!-- bench {name} -->")
}

/// The benches that a page has a place for.
fn places(page: &str) -> Vec<&str> {
    let lines = page.lines();
    let names = lines.filter_map(|line| line.strip_prefix("<!-- bench ")?.strip_suffix(" -->"));
    names.collect()
}

/// The page with another table in the place of the bench `name`.
fn replaced(page: &str, name: &str, table: &str) -> Result<String> {
    let mark = mark(name);
    let place = page.split_once(&mark).and_then(|(before, rest)| {
        let (_, behind) = rest.split_once(END)?;
        Some(format!("{before}{mark}\n\n{table}\n\n{END}{behind}"))
    });
    place.with_context(|| format!("{mark} has no {END} behind it"))
}

/// Runs a bench and gives its tables under a line with date, machine and command. What a bench prints as a table is taken; one that
/// prints none has let criterion measure.
fn measured(name: &str, mut bench: Command) -> Result<String> {
    let began = SystemTime::now();
    let output = capture(bench.stderr(std::process::Stdio::inherit()))?;
    let output = output.context("there is no cargo")?;
    let printed = tables(&String::from_utf8_lossy(&output.stdout));
    let tables = if printed.is_empty() {
        criterion(began)?
    } else {
        printed
    };
    if tables.is_empty() {
        bail!("the bench {name} has measured nothing ({})", output.status);
    }
    // A promise that is missed is a status of 1, and the figures are written all the same.
    let missed = if output.status.success() {
        ""
    } else {
        " A promised figure was missed."
    };
    Ok(format!(
        "{}, {}: `cargo xtask bench --write {name}`.{missed}\n\n{tables}",
        today()?,
        machine()
    ))
}

/// The rows of tables among what was printed, a blank line in front of each heading but the first.
fn tables(printed: &str) -> String {
    let rows: Vec<&str> = printed
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    let mut tables = String::new();
    for (index, row) in rows.iter().enumerate() {
        let is_heading = rows
            .get(index + 1)
            .is_some_and(|next| next.starts_with("|--"));
        if index > 0 {
            tables += if is_heading { "\n\n" } else { "\n" };
        }
        tables += row;
    }
    tables
}

/// What criterion has measured since `began`, as a table of medians; empty when that is nothing.
fn criterion(began: SystemTime) -> Result<String> {
    let mut found = Vec::new();
    estimates(&target_folder().join("criterion"), began, &mut found)?;
    found.sort();
    let rows: Vec<String> = found
        .iter()
        .map(|folder| row(folder))
        .collect::<Result<_>>()?;
    if rows.is_empty() {
        return Ok(String::new());
    }
    Ok(format!(
        "| what | time | frames per second |\n|---|--:|--:|\n{}",
        rows.join("\n")
    ))
}

/// The folders of newer results below `folder`.
fn estimates(folder: &Path, began: SystemTime, found: &mut Vec<PathBuf>) -> Result<()> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries {
        let path = entry?.path();
        if path.ends_with("new") {
            let modified = fs::metadata(path.join("estimates.json"))?.modified()?;
            if modified >= began {
                found.push(path);
            }
        } else if path.is_dir() {
            estimates(&path, began, found)?;
        }
    }
    Ok(())
}

fn row(folder: &Path) -> Result<String> {
    let read = |name: &str| -> Result<Value> {
        let path = folder.join(name);
        let text = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        Ok(serde_json::from_slice(&text)?)
    };
    let (benchmark, estimates) = (read("benchmark.json")?, read("estimates.json")?);
    let ns = estimates["median"]["point_estimate"].as_f64();
    let ns = ns.context("criterion gives no median")?;
    let frames = benchmark["throughput"]["Elements"].as_f64();
    let rate = frames.map_or_else(
        || "–".to_owned(),
        |frames| format!("{:.1} M", frames / ns * 1e3),
    );
    let name = benchmark["full_id"].as_str().unwrap_or_default();
    Ok(format!("| {name} | {} | {rate} |", time(ns)))
}

/// Nanoseconds with a unit that leaves three digits or so.
fn time(ns: f64) -> String {
    match ns {
        ..1e3 => format!("{ns:.0} ns"),
        ..1e6 => format!("{:.1} µs", ns / 1e3),
        ..1e9 => format!("{:.1} ms", ns / 1e6),
        _ => format!("{:.2} s", ns / 1e9),
    }
}

/// The processor, as Linux names it, and how many there are.
fn machine() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "))
        .map_or(std::env::consts::ARCH, |(_, model)| model);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{model}, {cores} cores")
}

/// The date in UTC.
fn today() -> Result<String> {
    let output = capture(Command::new("date").args(["-u", "+%Y-%m-%d"]))?;
    let output = output.context("there is no program `date`")?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_goes_to_its_place_and_nothing_else_moves() {
        let page = "# A\n\n<!-- bench a -->\n\nold\n\n<!-- end -->\n\n<!-- bench b -->\n<!-- end -->\nrest\n";
        assert_eq!(places(page), ["a", "b"]);
        let page = replaced(page, "b", "| new |").expect("has a place");
        assert_eq!(
            page,
            "# A\n\n<!-- bench a -->\n\nold\n\n<!-- end -->\n\n<!-- bench b -->\n\n| new |\n\n<!-- end -->\nrest\n"
        );
        assert!(replaced(&page, "c", "").is_err());
    }

    #[test]
    fn tables_are_taken_out_of_what_a_bench_prints() {
        let printed =
            "Benchmarking x\n| a |\n|---|\n\nx  time: 3 ms\n| 1 |\n\nmore\n| b |\n|---|\n";
        assert_eq!(tables(printed), "| a |\n|---|\n| 1 |\n\n| b |\n|---|");
    }

    #[test]
    fn times_have_the_unit_that_fits() {
        let times = [512.0, 1_500.0, 2.5e6, 3.25e9].map(time);
        assert_eq!(times, ["512 ns", "1.5 µs", "2.5 ms", "3.25 s"]);
    }
}
