//! Pickles that ask for what no checkpoint needs, in all the ways in which a pickle can ask.

use crate::Crafted;
use crate::seeds::Seeds;
use vocalhost_testing::archive::{Member, zip};

/// What attackers ask for; a seed asks for one of these or for names of its own.
const WANTED: [(&str, &str); 12] = [
    ("os", "system"),
    ("posix", "system"),
    ("subprocess", "Popen"),
    ("builtins", "exec"),
    ("builtins", "getattr"),
    ("importlib", "import_module"),
    ("pickle", "loads"),
    ("torch", "load"),
    ("torch.hub", "load"),
    ("torch._utils", "_rebuild_tensor_v2.__globals__"),
    ("webbrowser", "open"),
    ("numpy", "load"),
];

fn text(text: &str) -> Vec<u8> {
    let mut code = vec![b'X'];
    code.extend((text.len() as u32).to_le_bytes());
    code.extend(text.as_bytes());
    code
}

/// An archive as torch writes one, around a pickle.
pub(crate) fn checkpoint(pickle: &[u8], data: &[(&str, &[u8])]) -> Vec<u8> {
    let pickle = Member::stored("archive/data.pkl", pickle);
    let data = data
        .iter()
        .map(|(name, content)| Member::stored(&format!("archive/data/{name}"), content));
    let members: Vec<Member> = std::iter::once(pickle).chain(data).collect();
    zip(&members)
}

pub(crate) fn crafted(seeds: &mut Seeds) -> Crafted {
    let (module, name) = if seeds.below(4) == 0 {
        (seeds.word(), seeds.word())
    } else {
        let (module, name) = seeds.one_of(&WANTED);
        ((*module).to_owned(), (*name).to_owned())
    };
    let global = format!("c{module}\n{name}\n").into_bytes();
    let stacked = [text(&module), text(&name), b"\x93".to_vec()].concat();
    let argument = text(&seeds.word());
    let wanted = if seeds.below(2) == 0 { global } else { stacked };
    // A call, an object, an object by keywords, a state, a name that is only there, one inside a list, one as a key, and
    // instructions that are older ways to the same.
    let asked = match seeds.number % 10 {
        0 => [&wanted, &b"("[..], &argument, b"tR"].concat(),
        1 => [&wanted, &b"("[..], &argument, b"t\x81"].concat(),
        2 => [&wanted, &b")}\x92"[..]].concat(),
        3 => [&wanted, &b")R}b"[..]].concat(),
        4 => wanted,
        5 => [&b"]"[..], &wanted, b"a"].concat(),
        6 => [
            &b"("[..],
            &argument,
            format!("i{module}\n{name}\n").as_bytes(),
        ]
        .concat(),
        7 => [&b"("[..], &wanted, &argument, b"o"].concat(),
        8 => vec![0x82, seeds.below(256) as u8],
        _ => [&b"P"[..], seeds.word().as_bytes(), b"\n"].concat(),
    };
    let pickle = [&b"\x80\x02}("[..], &text("weight"), &asked, b"u."].concat();
    Crafted::alone("voice.pth", checkpoint(&pickle, &[]))
}
