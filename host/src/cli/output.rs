use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write as _};

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

fn end_on_error(written: io::Result<()>) {
    match written {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            eprintln!("vocalhost: cannot write to standard output: {error}");
            std::process::exit(1);
        }
    }
}
