use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write as _};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process::{ExitCode, exit};
use std::thread;

use serde_json::Value;

/// The payload that unwinds the stack, in place of a panic, when the program ends because of its output.
struct Ended {
    status: u8,
}

/// Runs the program. When it ends because of its output, everything that it holds is dropped first, or its temporary folders
/// would stay.
pub fn to_its_end(program: impl FnOnce() -> ExitCode) -> ExitCode {
    catch_unwind(AssertUnwindSafe(program)).unwrap_or_else(|cause| {
        match cause.downcast::<Ended>() {
            Ok(ended) => ExitCode::from(ended.status),
            Err(panic) => resume_unwind(panic),
        }
    })
}

/// Writes to standard output. What cannot be written ends the program: quietly when whoever read it has gone, as a pipe
/// into `head` does, otherwise with a sentence and status 1.
pub fn write(text: Arguments<'_>) {
    end_on_error(io::stdout().write_fmt(text));
}

/// Writes a line to standard output.
pub fn write_line(text: Arguments<'_>) {
    let mut output = io::stdout().lock();
    end_on_error(
        output
            .write_fmt(text)
            .and_then(|()| output.write_all(b"\n")),
    );
}

/// Prints a record in JSON.
pub fn print_json(value: &Value) {
    say_line!("{value:#}");
}

/// Prints a list: the records of all rows in JSON, or `print` each of them.
pub fn print_list<T>(as_json: bool, rows: &[T], record: impl Fn(&T) -> Value, print: impl Fn(&T)) {
    if as_json {
        print_json(&rows.iter().map(record).collect());
    } else {
        rows.iter().for_each(print);
    }
}

fn end_on_error(written: io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => end(0),
        Err(error) => {
            eprintln!("vocalhost: cannot write to standard output: {error}");
            end(1);
        }
    }
}

fn end(status: u8) -> ! {
    // Nothing above another thread would pass it on, and a stack cannot unwind twice at a time.
    if thread::current().name() != Some("main") || thread::panicking() {
        exit(status.into());
    }
    resume_unwind(Box::new(Ended { status }))
}
