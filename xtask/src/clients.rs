//! The clients that the suite runs against the server, Python programs in a folder of their own.

use std::path::PathBuf;

use anyhow::Result;

use crate::python;

/// The public service's own client, a fuzzer that reads OpenAPI documents, and a judge of such documents.
const PACKAGES: [&str; 3] = [
    "kitsai==0.0.3",
    "schemathesis==4.32.5",
    "openapi-spec-validator==0.9.0",
];

/// Puts the clients in place when they are not, and gives their folder, for `PYTHONPATH`.
pub fn install() -> Result<PathBuf> {
    let step = PACKAGES.map(Into::into).to_vec();
    python::packages("clients", &PACKAGES.join("\n"), &[step])
}
