//! The clients that the suite runs against the server, and what makes clients out of the API's description: programs for Python
//! and for Node, in a folder each, and a browser for the console.

use std::path::PathBuf;

use anyhow::Result;

use crate::folders::root;
use crate::{node, python};

/// The public service's own client, a fuzzer that reads OpenAPI documents, a judge of such documents, a generator of clients, and what
/// looks at our own library for Python: at its form and at its types; last what an example talks through.
const PACKAGES: [&str; 7] = [
    "kitsai==0.0.3",
    "schemathesis==4.32.5",
    "openapi-spec-validator==0.9.0",
    "openapi-python-client==0.29.1",
    "ruff==0.17.6",
    "mypy==1.20.2",
    "websockets==17.4",
];

/// Puts the clients in place when they are not, and gives what tests find them by: variables, and the folders that they name.
pub fn install() -> Result<[(&'static str, PathBuf); 3]> {
    let step = PACKAGES.map(Into::into).to_vec();
    let python = python::packages("clients", &PACKAGES.join("\n"), &[step])?;
    let node = node::packages("clients-npm", &root().join("tests/clients/typescript"))?;
    let browser = node::packages("console-npm", &root().join("tests/console"))?;
    Ok([
        ("VOCALHOST_CLIENTS", python),
        ("VOCALHOST_NPM_CLIENTS", node),
        ("VOCALHOST_NPM_CONSOLE", browser),
    ])
}
