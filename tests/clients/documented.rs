//! The examples of the libraries in the documentation: a type checker of each language reads them.

use std::fs;
use std::path::Path;

use vocalhost_testing::pages::{Block, Page, documentation};
use vocalhost_testing::repository;

use super::generated::compile;
use super::libraries::{built, copy, in_python};
use super::{assert_success, python, run};

/// What the sentences around the examples in Python have said before.
const IN_PYTHON: &str = "\
from vocalhost import Client, Problem
client = Client()
key = secret = \"\"

";

/// The same in TypeScript.
const IN_TYPESCRIPT: &str = "\
declare const server: string, key: string, secret: string, body: string;
declare const request: Request;
declare const samples: Float32Array;
declare const button: HTMLButtonElement, stop: HTMLButtonElement;
declare const slider: HTMLInputElement, meter: HTMLMeterElement;
export {};

";

/// What one block takes in and another one of the page has from there.
const TAKEN_IN_BEFORE: &str =
    "declare const speak: typeof import(\"vocalhost-live/browser\").speak;\n";

/// How the checker reads them; they use what lies around them in different ways, so nothing has to be used.
const AS_EXAMPLES: &str = r#"{
  "extends": "../clients/typescript/tsconfig.json",
  "compilerOptions": {
    "noEmit": true, "skipLibCheck": true, "noUnusedLocals": false, "noUnusedParameters": false, "rootDir": "..", "exactOptionalPropertyTypes": false,
    "typeRoots": ["../clients/typescript/node_modules/@types"],
    "paths": {
      "vocalhost": ["../clients/typescript/dist/index.d.ts"], "vocalhost/node": ["../clients/typescript/dist/node.d.ts"],
      "vocalhost-live": ["../clients/live/src/index.ts"], "vocalhost-live/browser": ["../clients/live/src/browser.ts"]
    }
  },
  "include": ["*.ts"]
}"#;

/// Writes every block of a language into a file of its own in the folder.
fn write(folder: &Path, language: &str, ending: &str, before: &str) {
    let blocks = documentation();
    let blocks = blocks.iter().flat_map(Page::blocks);
    let blocks: Vec<Block> = blocks.filter(|block| block.language == language).collect();
    assert!(blocks.len() > 2, "{}", blocks.len());
    for block in blocks {
        // `docs/clients.md:16` becomes `docs_clients_md_16`, so that what the checker says tells the place.
        let name = block
            .place
            .replace(|letter: char| !letter.is_alphanumeric(), "_");
        let path = folder.join(name).with_extension(ending);
        fs::write(path, format!("{before}{}", block.text)).expect("it can be written");
    }
}

#[test]
fn the_examples_in_python_are_what_the_library_takes() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), "python", "py", IN_PYTHON);
    let mut mypy = python(&[]);
    // Not as strictly as our own programs: examples leave types out.
    mypy.args([
        "-m",
        "mypy",
        "--config-file=",
        "--check-untyped-defs",
        "--cache-dir",
    ])
    .arg(folder.path().join("cache"))
    .arg(folder.path())
    .env("MYPYPATH", in_python().join("src"));
    assert_success(&run(&mut mypy));
}

#[test]
fn the_examples_in_typescript_are_what_the_library_takes() {
    let built = built();
    let folder = built.path().join("documented");
    fs::create_dir(&folder).expect("it is new");
    write(&folder, "ts", "ts", IN_TYPESCRIPT);
    copy(
        &repository("clients/live/src"),
        &built.path().join("clients/live/src"),
    );
    fs::copy(
        repository("clients/live/package.json"),
        built.path().join("clients/live/package.json"),
    )
    .expect("it can be copied");
    fs::write(folder.join("before.d.ts"), TAKEN_IN_BEFORE).expect("it can be written");
    fs::write(folder.join("package.json"), r#"{ "type": "module" }"#).expect("it can be written");
    fs::write(folder.join("tsconfig.json"), AS_EXAMPLES).expect("it can be written");
    compile(&folder);
}
