use std::collections::HashMap;

use super::document::{Document, Entry, Name, Node};
use super::error::{AS_ONNX, TorchError};
use super::others::known_by;
use super::tensor::{MAX_RANK, StoredTensor};

/// The longest pickle that is read; those of training files have some hundred thousand bytes.
pub(super) const MAX_BYTES: u64 = 4 << 20;
/// The most values of a pickle, so that one byte of a file never costs more than a fixed number of bytes here.
const MAX_VALUES: usize = 1 << 20;
/// The most marks that are open at a time.
const MAX_MARKS: usize = 1_024;
/// The longest name of an entry or a class.
const MAX_KEY_BYTES: usize = 256;

/// The instructions that files of torch are made of (Python's `Lib/pickletools.py` names and describes them).
mod op {
    pub(super) const PROTO: u8 = 0x80;
    pub(super) const FRAME: u8 = 0x95;
    pub(super) const STOP: u8 = b'.';
    pub(super) const MARK: u8 = b'(';
    pub(super) const NONE: u8 = b'N';
    pub(super) const NEWTRUE: u8 = 0x88;
    pub(super) const NEWFALSE: u8 = 0x89;
    pub(super) const BININT: u8 = b'J';
    pub(super) const BININT1: u8 = b'K';
    pub(super) const BININT2: u8 = b'M';
    pub(super) const LONG1: u8 = 0x8a;
    pub(super) const BINFLOAT: u8 = b'G';
    pub(super) const BINUNICODE: u8 = b'X';
    pub(super) const SHORT_BINUNICODE: u8 = 0x8c;
    pub(super) const EMPTY_DICT: u8 = b'}';
    pub(super) const EMPTY_LIST: u8 = b']';
    pub(super) const EMPTY_TUPLE: u8 = b')';
    pub(super) const TUPLE: u8 = b't';
    pub(super) const TUPLE1: u8 = 0x85;
    pub(super) const TUPLE2: u8 = 0x86;
    pub(super) const TUPLE3: u8 = 0x87;
    pub(super) const APPEND: u8 = b'a';
    pub(super) const APPENDS: u8 = b'e';
    pub(super) const SETITEM: u8 = b's';
    pub(super) const SETITEMS: u8 = b'u';
    pub(super) const BINPUT: u8 = b'q';
    pub(super) const LONG_BINPUT: u8 = b'r';
    pub(super) const MEMOIZE: u8 = 0x94;
    pub(super) const BINGET: u8 = b'h';
    pub(super) const LONG_BINGET: u8 = b'j';
    pub(super) const GLOBAL: u8 = b'c';
    pub(super) const STACK_GLOBAL: u8 = 0x93;
    pub(super) const BINPERSID: u8 = b'Q';
    pub(super) const REDUCE: u8 = b'R';
    pub(super) const NEWOBJ: u8 = 0x81;
    pub(super) const BUILD: u8 = b'b';
}

/// Reads a pickle. Nothing in it is called: a name is only ever one of a fixed list, and "calling" it means that we put down
/// what it stands for.
pub(super) fn read(program: &[u8]) -> Result<Document, TorchError> {
    Ok(read_first(program)?.0)
}

/// Reads the first of several pickles that lie one behind the other; gives the bytes behind it, too.
pub(super) fn read_first(program: &[u8]) -> Result<(Document, &[u8]), TorchError> {
    let mut machine = Machine {
        rest: program,
        document: Document::default(),
        stack: Vec::new(),
        marks: Vec::new(),
        memo: HashMap::new(),
    };
    while !machine.step()? {}
    Ok((machine.document, machine.rest))
}

struct Machine<'a> {
    rest: &'a [u8],
    document: Document,
    stack: Vec<Entry>,
    /// Heights of the stack.
    marks: Vec<usize>,
    memo: HashMap<u32, Entry>,
}

impl Machine<'_> {
    /// Follows an instruction; says whether it was the last.
    fn step(&mut self) -> Result<bool, TorchError> {
        let [code] = self.take_array()?;
        match code {
            op::PROTO => {
                self.take(1)?;
            }
            op::FRAME => {
                self.take(8)?;
            }
            op::STOP => {
                self.document.root = Some(self.pop()?);
                return Ok(true);
            }
            op::MARK => self.mark()?,
            op::BINPUT | op::LONG_BINPUT | op::MEMOIZE | op::BINGET | op::LONG_BINGET => {
                self.remember_or_recall(code)?;
            }
            op::EMPTY_DICT => self.push(Node::Dict(Vec::new()))?,
            op::EMPTY_LIST | op::EMPTY_TUPLE => self.push(Node::List(Vec::new()))?,
            op::TUPLE => {
                let elements = self.pop_to_mark()?;
                self.push(Node::List(elements))?;
            }
            op::TUPLE1 | op::TUPLE2 | op::TUPLE3 => {
                let elements = self.pop_some(usize::from(code - op::TUPLE1) + 1)?;
                self.push(Node::List(elements))?;
            }
            op::APPEND | op::APPENDS | op::SETITEM | op::SETITEMS => self.fill(code)?,
            op::GLOBAL | op::STACK_GLOBAL => self.name(code)?,
            op::BINPERSID => self.storage()?,
            op::REDUCE => self.stand_for_call()?,
            op::NEWOBJ => self.stand_for_object()?,
            op::BUILD => self.leave_state()?,
            code => self.literal(code)?,
        }
        Ok(false)
    }

    fn literal(&mut self, code: u8) -> Result<(), TorchError> {
        let node = match code {
            op::NONE => Node::None,
            op::NEWTRUE => Node::Bool(true),
            op::NEWFALSE => Node::Bool(false),
            op::BININT => Node::Int(i64::from(i32::from_le_bytes(self.take_array()?))),
            op::BININT1 => Node::Int(i64::from(u8::from_le_bytes(self.take_array()?))),
            op::BININT2 => Node::Int(i64::from(u16::from_le_bytes(self.take_array()?))),
            op::LONG1 => Node::Int(self.long()?),
            op::BINFLOAT => Node::Float(f64::from_be_bytes(self.take_array()?)),
            op::BINUNICODE => {
                let length = u32::from_le_bytes(self.take_array()?);
                Node::Text(self.text(length as usize)?)
            }
            op::SHORT_BINUNICODE => {
                let [length] = self.take_array()?;
                Node::Text(self.text(usize::from(length))?)
            }
            other => {
                let reason = format!("has the instruction {other:#04x}, which no model needs");
                return Err(TorchError::refused(reason));
            }
        };
        self.push(node)
    }

    /// An integer of up to eight bytes, in two's complement.
    fn long(&mut self) -> Result<i64, TorchError> {
        let [length] = self.take_array()?;
        let bytes = self.take(usize::from(length))?;
        if bytes.len() > 8 {
            return Err(TorchError::refused(
                "has an integer of more than 64 bits".to_owned(),
            ));
        }
        let negative = bytes.last().is_some_and(|last| last & 0x80 != 0);
        let mut wide = [if negative { 0xff } else { 0 }; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        Ok(i64::from_le_bytes(wide))
    }

    fn text(&mut self, length: usize) -> Result<String, TorchError> {
        let bytes = self.take(length)?;
        // Python writes halves of surrogate pairs as they are; they matter to nobody here.
        Ok(String::from_utf8_lossy(bytes).into_owned())
    }

    fn mark(&mut self) -> Result<(), TorchError> {
        if self.marks.len() == MAX_MARKS {
            return Err(TorchError::refused("is nested too deeply".to_owned()));
        }
        self.marks.push(self.stack.len());
        Ok(())
    }

    fn remember_or_recall(&mut self, code: u8) -> Result<(), TorchError> {
        let number = match code {
            op::BINPUT | op::BINGET => u32::from(u8::from_le_bytes(self.take_array()?)),
            op::MEMOIZE => self.memo.len() as u32,
            _ => u32::from_le_bytes(self.take_array()?),
        };
        if matches!(code, op::BINGET | op::LONG_BINGET) {
            let entry = self.memo.get(&number).copied();
            let entry = entry.ok_or_else(|| broken("recalls what it never remembered"))?;
            self.push_entry(entry)
        } else {
            let entry = *self
                .stack
                .last()
                .ok_or_else(|| broken("remembers nothing"))?;
            self.memo.insert(number, entry);
            Ok(())
        }
    }

    fn fill(&mut self, code: u8) -> Result<(), TorchError> {
        let added = match code {
            op::APPEND => self.pop_some(1)?,
            op::SETITEM => self.pop_some(2)?,
            _ => self.pop_to_mark()?,
        };
        let target = *self.stack.last().ok_or_else(|| broken("fills nothing"))?;
        match (code, &mut self.document.nodes[target.0 as usize]) {
            (op::APPEND | op::APPENDS, Node::List(elements)) => elements.extend(added),
            (op::SETITEM | op::SETITEMS, Node::Dict(pairs)) if added.len().is_multiple_of(2) => {
                pairs.extend(added.chunks_exact(2).map(|pair| (pair[0], pair[1])));
            }
            _ => return Err(broken("fills what is no list or dictionary")),
        }
        Ok(())
    }

    fn name(&mut self, code: u8) -> Result<(), TorchError> {
        let (module, name) = if code == op::GLOBAL {
            (self.line()?, self.line()?)
        } else {
            let parts = self.pop_some(2)?;
            let text = |entry: Entry| match self.document.get(entry) {
                Node::Text(text) if text.len() <= MAX_KEY_BYTES => Ok(text.clone()),
                _ => Err(broken("has a name that is no short text")),
            };
            (text(parts[0])?, text(parts[1])?)
        };
        let known = Name::of(&module, &name).ok_or_else(|| {
            let shown: String = format!("{module}.{name}").chars().take(100).collect();
            if let Some(said) = known_by(&[&shown]) {
                return TorchError::refused(said.to_owned());
            }
            TorchError::refused(format!(
                "asks for {shown:?}, which no model that is read here needs; {AS_ONNX}"
            ))
        })?;
        self.push(Node::Name(known))
    }

    fn line(&mut self) -> Result<String, TorchError> {
        let end = self.rest.iter().position(|byte| *byte == b'\n');
        let line = self.take(end.ok_or_else(cut_off)?)?.to_vec();
        self.take(1)?;
        Ok(String::from_utf8_lossy(&line).into_owned())
    }

    /// `("storage", class, key, device, count)`: torch's way to refer to an entry of the archive. In the old format there is a sixth part,
    /// which is empty unless a storage is a part of another one.
    fn storage(&mut self) -> Result<(), TorchError> {
        let identity = self.pop()?;
        let document = &self.document;
        let parts: &[Entry] = document.elements(identity).unwrap_or_default();
        let no_storage = || broken("refers to something that is no storage");
        let (word, class, key, count) = match parts {
            [word, class, key, _, count] => (word, class, key, count),
            [word, class, key, _, count, whole] if matches!(document.get(*whole), Node::None) => {
                (word, class, key, count)
            }
            _ => return Err(no_storage()),
        };
        let storage = match [word, class, key, count].map(|part| document.get(*part)) {
            [
                Node::Text(word),
                Node::Name(Name::Storage(element)),
                Node::Text(key),
                Node::Int(count),
            ] if word == "storage" && key.len() <= MAX_KEY_BYTES => Node::Storage {
                element: *element,
                key: key.clone(),
                count: u64::try_from(*count).map_err(|_| no_storage())?,
            },
            _ => return Err(no_storage()),
        };
        self.push(storage)
    }

    fn stand_for_call(&mut self) -> Result<(), TorchError> {
        let parts = self.pop_some(2)?;
        let Node::Name(name) = *self.document.get(parts[0]) else {
            return Err(broken("calls what is no name"));
        };
        let arguments = self.document.elements(parts[1]);
        let arguments = arguments.ok_or_else(|| broken("calls without arguments"))?;
        match (name, arguments) {
            (Name::OrderedDict, []) | (Name::Object, _) => self.push(Node::Dict(Vec::new())),
            (Name::RebuildTensor, [storage, offset, dims, strides, ..]) => {
                let tensor = self.tensor([*storage, *offset, *dims, *strides])?;
                self.push(Node::Tensor(tensor))
            }
            (Name::RebuildParameter, &[tensor, ..]) => self.push_entry(tensor),
            (Name::Fraction, parts) => {
                let text = self.fraction(parts)?;
                self.push(Node::Text(text))
            }
            _ => Err(broken("calls a name in a way that no model needs")),
        }
    }

    /// A fraction as Python writes it: a text, or since version 3.11 two integers.
    fn fraction(&self, parts: &[Entry]) -> Result<String, TorchError> {
        let parts: Vec<&Node> = parts.iter().map(|part| self.document.get(*part)).collect();
        match parts[..] {
            [Node::Text(text)] => Ok(text.clone()),
            [Node::Int(over), Node::Int(under)] => Ok(format!("{over}/{under}")),
            _ => Err(broken("has a fraction of something else than integers")),
        }
    }

    /// An object of a class that nobody looks into: nothing is known of it but that it is there.
    fn stand_for_object(&mut self) -> Result<(), TorchError> {
        let parts = self.pop_some(2)?;
        match self.document.get(parts[0]) {
            Node::Name(Name::Object) => self.push(Node::Dict(Vec::new())),
            _ => Err(broken("makes an object of what no model needs")),
        }
    }

    fn tensor(&self, parts: [Entry; 4]) -> Result<StoredTensor, TorchError> {
        let [storage, offset, dims, strides] = parts;
        let wrong = || broken("has a tensor without size or place");
        let Node::Storage {
            element,
            key,
            count,
        } = self.document.get(storage)
        else {
            return Err(wrong());
        };
        let sizes = |list| -> Option<Vec<u64>> {
            let few = self.document.elements(list)?.len() <= MAX_RANK;
            let numbers = few.then(|| self.document.integers(list))??.into_iter();
            numbers.map(|number| u64::try_from(number).ok()).collect()
        };
        let offset = self.document.integer(offset);
        let offset = offset.and_then(|offset| u64::try_from(offset).ok());
        StoredTensor {
            storage: key.clone(),
            stored: *count,
            element: *element,
            offset: offset.ok_or_else(wrong)?,
            dims: sizes(dims).ok_or_else(wrong)?,
            strides: sizes(strides).ok_or_else(wrong)?,
        }
        .checked()
    }

    /// Attributes of an ordered dictionary, such as the versions of a network's modules, or of an object that nobody looks into: nobody
    /// needs them.
    fn leave_state(&mut self) -> Result<(), TorchError> {
        self.pop()?;
        match self.stack.last().map(|entry| self.document.get(*entry)) {
            Some(Node::Dict(_)) => Ok(()),
            _ => Err(broken("sets attributes of what is no dictionary")),
        }
    }

    fn push(&mut self, node: Node) -> Result<(), TorchError> {
        if self.document.nodes.len() == MAX_VALUES {
            return Err(TorchError::refused(format!(
                "has more than {MAX_VALUES} values"
            )));
        }
        self.document.nodes.push(node);
        self.push_entry(Entry(self.document.nodes.len() as u32 - 1))
    }

    fn push_entry(&mut self, entry: Entry) -> Result<(), TorchError> {
        if self.stack.len() == MAX_VALUES {
            return Err(TorchError::refused("piles up too many values".to_owned()));
        }
        self.stack.push(entry);
        Ok(())
    }

    fn pop(&mut self) -> Result<Entry, TorchError> {
        Ok(self.pop_some(1)?[0])
    }

    /// Takes the uppermost values, lowest first; never those below the last mark.
    fn pop_some(&mut self, count: usize) -> Result<Vec<Entry>, TorchError> {
        let floor = self.marks.last().copied().unwrap_or(0);
        let from = self.stack.len().checked_sub(count);
        match from.filter(|from| *from >= floor) {
            Some(from) => Ok(self.stack.split_off(from)),
            None => Err(broken("takes more values than there are")),
        }
    }

    fn pop_to_mark(&mut self) -> Result<Vec<Entry>, TorchError> {
        let mark = self
            .marks
            .pop()
            .ok_or_else(|| broken("goes back to a mark that is not there"))?;
        Ok(self.stack.split_off(mark))
    }

    fn take(&mut self, length: usize) -> Result<&[u8], TorchError> {
        let (taken, rest) = self.rest.split_at_checked(length).ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(taken)
    }

    fn take_array<const N: usize>(&mut self) -> Result<[u8; N], TorchError> {
        let (taken, rest) = self.rest.split_first_chunk().ok_or_else(cut_off)?;
        self.rest = rest;
        Ok(*taken)
    }
}

fn broken(what: &str) -> TorchError {
    TorchError::damaged(&format!("its pickle {what}"))
}

fn cut_off() -> TorchError {
    TorchError::damaged("its pickle is cut off")
}
