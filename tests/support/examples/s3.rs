//! An S3 server with an empty bucket, for as long as its standard input is open. It says on standard output with which variables a
//! vocalhost server uses it, a line each, and ends them with an empty one.

use std::io::{self, Read as _, Write as _};

use vocalhost_testing::s3::{BUCKET, S3Server};

fn main() -> io::Result<()> {
    let server = S3Server::start();
    let mut output = io::stdout();
    let endpoint = server.endpoint();
    let of_server = [
        ("VOCALHOST_FILES", format!("s3://{BUCKET}")),
        ("VOCALHOST_S3_ENDPOINT", endpoint),
    ];
    for (name, value) in S3Server::variables() {
        writeln!(output, "{name}={value}")?;
    }
    for (name, value) in of_server {
        writeln!(output, "{name}={value}")?;
    }
    writeln!(output)?;
    output.flush()?;
    io::stdin().read_to_end(&mut Vec::new())?;
    Ok(())
}
