//! The C bindings that the template brings along.

use std::fs;

use vocalhost_testing::repository;
use wit_bindgen_core::Files;

#[test]
fn the_c_bindings_are_what_the_generator_makes_of_the_interface() {
    let mut resolve = wit_parser::Resolve::default();
    let interface = include_str!("../../../../wit/effect.wit");
    let package = resolve
        .push_source("effect.wit", interface)
        .expect("the interface is well-formed");
    let world = resolve
        .select_world(&[package], Some("plugin"))
        .expect("it has the world");
    let options = wit_bindgen_c::Opts {
        // `vocalhost effect wrap` adds what the object file would hold.
        no_object_file: true,
        ..Default::default()
    };
    let mut files = Files::default();
    options
        .build()
        .generate(&mut resolve, world, &mut files)
        .expect("there are bindings");
    let mut count = 0;
    for (name, generated) in files.iter() {
        let generated = String::from_utf8(generated.to_vec()).expect("it is text");
        // The generator leaves a blank at the end of empty lines of comments.
        let generated: String = generated
            .lines()
            .flat_map(|line| [line.trim_end(), "\n"])
            .collect();
        let path = repository("host/kit/templates/c/sdk/generated").join(name);
        let committed = fs::read_to_string(&path).unwrap_or_default();
        if committed != generated {
            let wanted = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
            fs::write(&wanted, generated).expect("the folder is there");
            panic!(
                "{} is not up to date: copy {} over it",
                path.display(),
                wanted.display()
            );
        }
        count += 1;
    }
    assert_eq!(count, 2);
}
