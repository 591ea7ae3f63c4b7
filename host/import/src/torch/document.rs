use super::tensor::{Element, StoredTensor};

/// Where programs put the weights of a network.
pub(crate) const WEIGHTS: [&str; 5] = ["weight", "model", "state_dict", "state", "params"];

/// A place in a [`Document`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry(pub(super) u32);

/// What a pickle says: values that refer to one another by their places, so that shared and circular values cost nothing, and nothing
/// is ever walked in depth.
#[derive(Debug, Default)]
pub(crate) struct Document {
    pub(super) nodes: Vec<Node>,
    pub(super) root: Option<Entry>,
}

/// A value.
#[derive(Debug, Clone)]
pub(crate) enum Node {
    /// Nothing.
    None,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(String),
    /// A list or a tuple.
    List(Vec<Entry>),
    /// A dictionary, in the order in which it was filled.
    Dict(Vec<(Entry, Entry)>),
    /// A tensor.
    Tensor(StoredTensor),
    /// One of the names that files of torch may use.
    Name(Name),
    /// Numbers of a type, in an entry of the archive; `count` of them.
    Storage {
        /// Their type.
        element: Element,
        /// The entry's name below `data/`.
        key: String,
        /// How many.
        count: u64,
    },
}

/// The names that files of torch may use, and nothing else.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Name {
    /// `collections.OrderedDict`, which reads as a dictionary.
    OrderedDict,
    /// `torch._utils._rebuild_tensor_v2`, which reads as a tensor.
    RebuildTensor,
    /// `torch._utils._rebuild_parameter`, which reads as the tensor in it.
    RebuildParameter,
    /// A class whose objects stand beside weights, and which nobody looks into: arguments of a program, a list of sounds. They read as
    /// empty dictionaries.
    Object,
    /// `fractions.Fraction`, which reads as a text: `39/5`.
    Fraction,
    /// `demucs.htdemucs.HTDemucs`, which says what network the weights beside it are of.
    HtDemucs,
    /// A class of storages, such as `torch.HalfStorage`.
    Storage(Element),
}

impl Name {
    /// The name for a module and what is in it, if files of torch may use it.
    pub(super) fn of(module: &str, name: &str) -> Option<Self> {
        let found = match (module, name) {
            ("collections", "OrderedDict") => Self::OrderedDict,
            ("torch._utils", "_rebuild_tensor_v2") => Self::RebuildTensor,
            ("torch._utils", "_rebuild_parameter") => Self::RebuildParameter,
            ("fractions", "Fraction") => Self::Fraction,
            ("demucs.htdemucs", "HTDemucs") => Self::HtDemucs,
            ("argparse", "Namespace")
            | ("fairseq.data.dictionary", "Dictionary")
            | ("typing", "Any")
            | ("collections", "defaultdict")
            | ("builtins" | "__builtin__", "dict" | "list" | "int") => Self::Object,
            (module, _) if module.starts_with("omegaconf.") => Self::Object,
            ("torch", name) => Self::Storage(Element::of_storage(name)?),
            _ => return None,
        };
        Some(found)
    }
}

impl Document {
    /// A dictionary of tensors, each under its name.
    pub(super) fn of_tensors(tensors: impl IntoIterator<Item = (String, StoredTensor)>) -> Self {
        let mut document = Self::default();
        let mut put = |node| {
            document.nodes.push(node);
            Entry(document.nodes.len() as u32 - 1)
        };
        let pairs = tensors.into_iter().map(|(name, tensor)| {
            let name = put(Node::Text(name));
            (name, put(Node::Tensor(tensor)))
        });
        let pairs: Vec<(Entry, Entry)> = pairs.collect();
        document.root = Some(put(Node::Dict(pairs)));
        document
    }

    /// The storages that are spoken of: their names, types and how many numbers each holds.
    pub(super) fn storages(&self) -> impl Iterator<Item = (&str, Element, u64)> {
        self.nodes.iter().filter_map(|node| match node {
            Node::Storage {
                element,
                key,
                count,
            } => Some((key.as_str(), *element, *count)),
            _ => None,
        })
    }

    /// The outermost value.
    pub(crate) fn root(&self) -> Option<Entry> {
        self.root
    }

    /// The value at a place.
    pub(crate) fn get(&self, entry: Entry) -> &Node {
        self.nodes.get(entry.0 as usize).unwrap_or(&Node::None)
    }

    /// The value under a key of a dictionary; the last one where several have that key.
    pub(crate) fn member(&self, dict: Entry, key: &str) -> Option<&Node> {
        self.member_entry(dict, key).map(|entry| self.get(entry))
    }

    /// The place of the value under a key of a dictionary.
    pub(crate) fn member_entry(&self, dict: Entry, key: &str) -> Option<Entry> {
        let found = self.members(dict).filter(|(name, _)| *name == key).last();
        found.map(|(_, entry)| entry)
    }

    /// The dictionary with a network's weights, by what `is_one` says of it: in one of the places where programs put them, or the
    /// outermost.
    pub(crate) fn weights(&self, is_one: impl Fn(Entry) -> bool) -> Option<Entry> {
        let root = self.root?;
        let places = WEIGHTS.map(|place| self.member_entry(root, place));
        let mut dicts = places.into_iter().flatten().chain([root]);
        dicts.find(|dict| is_one(*dict))
    }

    /// The members of a dictionary whose keys are texts; none of anything else.
    pub(crate) fn members(&self, dict: Entry) -> impl Iterator<Item = (&str, Entry)> + Clone {
        let pairs: &[(Entry, Entry)] = match self.get(dict) {
            Node::Dict(pairs) => pairs,
            _ => &[],
        };
        pairs
            .iter()
            .filter_map(|(key, value)| match self.get(*key) {
                Node::Text(text) => Some((text.as_str(), *value)),
                _ => None,
            })
    }

    /// The elements of a list or tuple; `None` of anything else.
    pub(crate) fn elements(&self, list: Entry) -> Option<&[Entry]> {
        match self.get(list) {
            Node::List(elements) => Some(elements),
            _ => None,
        }
    }

    /// An integer, or a truth value or number that is one.
    pub(crate) fn integer(&self, entry: Entry) -> Option<i64> {
        match self.get(entry) {
            Node::Int(number) => Some(*number),
            Node::Bool(yes) => Some(i64::from(*yes)),
            Node::Float(number) if number.fract() == 0.0 && number.abs() < 1e15 => {
                Some(*number as i64)
            }
            _ => None,
        }
    }

    /// A number; truth values do not count.
    pub(crate) fn number(&self, entry: Entry) -> Option<f64> {
        match self.get(entry) {
            Node::Int(number) => Some(*number as f64),
            Node::Float(number) => Some(*number),
            _ => None,
        }
    }

    /// The integers of a list; `None` when there is anything else in it.
    pub(crate) fn integers(&self, list: Entry) -> Option<Vec<i64>> {
        let elements = self.elements(list)?;
        elements.iter().map(|entry| self.integer(*entry)).collect()
    }
}
