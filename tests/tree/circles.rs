//! Whether files of a crate name each other in circles. What a file names is what its `use` declarations and paths lead to, behind
//! re-exports. Calls of methods, single names behind a glob, and paths in attributes are not seen.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};
use syn::visit::{self, Visit};
use syn::{Attribute, Ident, Item, Macro, UseTree};

use vocalhost_testing::repository;

/// Files that name each other may be so many: two or three are one idea.
const MOST_FILES: usize = 3;

/// A path is not followed over more re-exports.
const MOST_STEPS: usize = 16;

type Segments = Vec<String>;

/// A module of a crate.
#[derive(Default)]
struct Module {
    file: PathBuf,
    /// What it defines.
    items: BTreeSet<String>,
    /// What it imports, by the name that it has from then on.
    imports: HashMap<String, Segments>,
    globs: Vec<Segments>,
    /// What it names: by `use`, and by the paths in its code.
    paths: Vec<Segments>,
}

/// The modules of a crate by their paths, without their tests.
#[derive(Default)]
struct Modules(BTreeMap<Segments, Module>);

impl Modules {
    /// Reads a module's file, and those of the modules in it, which lie in `folder`.
    fn read(&mut self, path: Segments, file: &Path, folder: &Path) {
        let text = fs::read_to_string(file).expect("the file is text");
        let parsed = syn::parse_file(&text).expect("it compiles");
        self.add(path, file, folder, &parsed.items);
    }

    fn add(&mut self, path: Segments, file: &Path, folder: &Path, items: &[Item]) {
        let mut module = Module {
            file: file.to_owned(),
            ..Module::default()
        };
        for item in items {
            if let Item::Mod(inner) = item
                && !is_of_tests(&inner.attrs)
            {
                let name = inner.ident.to_string();
                let path = [&path[..], std::slice::from_ref(&name)].concat();
                let folder = folder.join(&name);
                if let Some((_, items)) = &inner.content {
                    self.add(path, file, &folder, items);
                } else {
                    let files = [folder.with_extension("rs"), folder.join("mod.rs")];
                    let file = files.iter().find(|file| file.exists());
                    self.read(path, file.expect("a module has a file"), &folder);
                }
            } else {
                module.visit_item(item);
                module.items.extend(name_of(item));
            }
        }
        self.0.insert(path, module);
    }

    /// The module that has what a path leads to, if that is of this crate.
    fn find(&self, from: &Segments, path: &[String], steps: usize) -> Option<&Segments> {
        if steps > MOST_STEPS {
            return None;
        }
        let (mut at, mut rest) = (from.clone(), path);
        match path.first()?.as_str() {
            "crate" => {
                at.clear();
                rest = &path[1..];
            }
            "self" => rest = &path[1..],
            _ => {}
        }
        while rest.first().is_some_and(|name| name == "super") {
            at.pop()?;
            rest = &rest[1..];
        }
        self.within(at, rest, steps)
    }

    /// The same of a path whose first name is one of the module.
    fn within(&self, mut at: Segments, path: &[String], steps: usize) -> Option<&Segments> {
        for (index, name) in path.iter().enumerate() {
            let module = self.0.get(&at)?;
            let inner = [&at[..], std::slice::from_ref(name)].concat();
            if self.0.contains_key(&inner) {
                at = inner;
                continue;
            }
            if module.items.contains(name) {
                break;
            }
            let behind = &path[index + 1..];
            if let Some(import) = module
                .imports
                .get(name)
                .filter(|import| import[..] != path[index..=index])
            {
                return self.find(&at, &[&import[..], behind].concat(), steps + 1);
            }
            return module.globs.iter().find_map(|glob| {
                let path = [&glob[..], &path[index..]].concat();
                self.find(&at, &path, steps + 1)
            });
        }
        self.0.get_key_value(&at).map(|(path, _)| path)
    }

    /// The files that each file names.
    fn edges(&self) -> BTreeMap<&Path, BTreeSet<&Path>> {
        let mut edges: BTreeMap<&Path, BTreeSet<&Path>> = BTreeMap::new();
        for (at, module) in &self.0 {
            // A single name is of the module, or imported.
            let named = module.paths.iter().filter(|path| path.len() > 1);
            let found = named.filter_map(|path| self.find(at, path, 0));
            let files = found.map(|path| self.0[path].file.as_path());
            let file = module.file.as_path();
            edges
                .entry(file)
                .or_default()
                .extend(files.filter(|other| *other != file));
        }
        edges
    }
}

impl Visit<'_> for Module {
    fn visit_item(&mut self, item: &Item) {
        let attributes = match item {
            Item::Const(item) => &item.attrs,
            Item::Enum(item) => &item.attrs,
            Item::Fn(item) => &item.attrs,
            Item::Impl(item) => &item.attrs,
            Item::Macro(item) => &item.attrs,
            Item::Mod(item) => &item.attrs,
            Item::Static(item) => &item.attrs,
            Item::Struct(item) => &item.attrs,
            Item::Trait(item) => &item.attrs,
            Item::Type(item) => &item.attrs,
            Item::Use(item) => &item.attrs,
            _ => &Vec::new(),
        };
        if !is_of_tests(attributes) {
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, function: &syn::ImplItemFn) {
        if !is_of_tests(&function.attrs) {
            visit::visit_impl_item_fn(self, function);
        }
    }

    fn visit_item_use(&mut self, item: &syn::ItemUse) {
        self.import(Vec::new(), &item.tree);
    }

    fn visit_path(&mut self, path: &syn::Path) {
        let names = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string());
        self.paths.push(names.collect());
        visit::visit_path(self, path);
    }

    /// Who may see something is no naming of them.
    fn visit_visibility(&mut self, _: &syn::Visibility) {}

    fn visit_macro(&mut self, called: &Macro) {
        self.visit_path(&called.path);
        self.tokens(called.tokens.clone());
    }
}

impl Module {
    fn import(&mut self, mut before: Segments, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(before, &path.tree);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(before.clone(), tree);
                }
            }
            UseTree::Glob(_) => {
                self.paths.push(before.clone());
                self.globs.push(before);
            }
            UseTree::Name(name) => self.name(before, &name.ident, &name.ident),
            UseTree::Rename(renamed) => self.name(before, &renamed.ident, &renamed.rename),
        }
    }

    /// What `before` leads to is called `alias` from here on.
    fn name(&mut self, mut before: Segments, name: &Ident, alias: &Ident) {
        let mut alias = alias.to_string();
        if name == "self" {
            alias = before.last().cloned().unwrap_or_default();
        } else {
            before.push(name.to_string());
        }
        self.paths.push(before.clone());
        self.imports.insert(alias, before);
    }

    /// Finds paths in what a macro is given.
    fn tokens(&mut self, tokens: TokenStream) {
        let mut path = Segments::new();
        let mut colons = 0;
        for token in tokens {
            match token {
                TokenTree::Ident(name) => {
                    if colons != 2 {
                        self.paths.push(std::mem::take(&mut path));
                    }
                    path.push(name.to_string());
                    colons = 0;
                }
                TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
                TokenTree::Group(group) => {
                    self.paths.push(std::mem::take(&mut path));
                    self.tokens(group.stream());
                }
                _ => self.paths.push(std::mem::take(&mut path)),
            }
        }
        self.paths.push(path);
    }
}

/// Whether something is there for tests alone: `cfg(test)`, or `cfg(all(test, ...))`.
fn is_of_tests(attributes: &[Attribute]) -> bool {
    fn names_test(tokens: TokenStream) -> bool {
        let mut tokens = tokens.into_iter();
        match tokens.next() {
            Some(TokenTree::Ident(name)) if name == "all" => match tokens.next() {
                Some(TokenTree::Group(group)) => names_test(group.stream()),
                _ => false,
            },
            Some(TokenTree::Ident(name)) => name == "test",
            _ => false,
        }
    }
    attributes.iter().any(|attribute| {
        let list = attribute.meta.require_list();
        list.is_ok_and(|list| list.path.is_ident("cfg") && names_test(list.tokens.clone()))
    })
}

fn name_of(item: &Item) -> Option<String> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        _ => return None,
    };
    Some(name.to_string())
}

/// The files that a file leads to.
fn reach<'f>(from: &'f Path, edges: &BTreeMap<&'f Path, BTreeSet<&'f Path>>) -> BTreeSet<&'f Path> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(file) = next.pop() {
        let further = edges.get(file).into_iter().flatten();
        next.extend(further.filter(|file| reached.insert(**file)));
    }
    reached
}

/// The largest circle that a file is in.
fn circle<'f>(
    file: &'f Path,
    reached: &BTreeMap<&'f Path, BTreeSet<&'f Path>>,
) -> BTreeSet<&'f Path> {
    let there = reached[file].iter();
    let and_back =
        there.filter(|other| reached.get(*other).is_some_and(|back| back.contains(file)));
    and_back.copied().collect()
}

/// The circles of too many files in the crate whose root is given.
fn circles(root: &Path) -> BTreeSet<BTreeSet<PathBuf>> {
    let mut modules = Modules::default();
    let folder = root.parent().expect("it is in a folder");
    modules.read(Vec::new(), root, folder);
    let edges = modules.edges();
    let reached = edges
        .keys()
        .map(|file| (*file, reach(file, &edges)))
        .collect();
    let all = edges.keys().map(|file| circle(file, &reached));
    let large = all.filter(|circle| circle.len() > MOST_FILES);
    large
        .map(|circle| circle.into_iter().map(Path::to_owned).collect())
        .collect()
}

#[test]
fn no_more_than_three_files_name_each_other_in_a_circle() {
    let mut roots = vec![repository("xtask/src/main.rs")];
    for folder in ["host", "plugins"] {
        let entries = fs::read_dir(repository(folder)).expect("the folder is readable");
        let folders = entries.map(|entry| entry.expect("the entry is readable").path());
        roots.extend(
            folders
                .map(|folder| folder.join("src/lib.rs"))
                .filter(|root| root.exists()),
        );
    }
    assert!(roots.len() > 20, "{}", roots.len());
    for root in roots {
        let found = circles(&root);
        assert!(found.is_empty(), "{found:#?}");
    }
}

#[test]
fn a_circle_is_found_behind_re_exports_in_macros_and_in_code_but_not_in_tests() {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(name), text).expect("is written");
    };
    let root = folder.path().join("lib.rs");
    write(
        "lib.rs",
        "mod a; mod b; mod c; mod d; pub use d::Last as End;",
    );
    write("a.rs", "use super::b; pub fn first() { b::second() }");
    write("b.rs", "pub fn second() { vec![crate::c::THIRD]; }");
    write("c.rs", "pub const THIRD: Option<crate::End> = None;");
    write(
        "d.rs",
        "pub struct Last; impl Last { fn on(&self) { use crate::*; a::first() } }",
    );
    assert_eq!(circles(&root).len(), 1);
    write(
        "d.rs",
        "pub struct Last; #[cfg(test)] mod tests { fn on() { crate::a::first() } }",
    );
    assert!(circles(&root).is_empty());
}
