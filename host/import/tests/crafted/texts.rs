//! Texts that are small and unfold to more than any memory has, where a description of a model is expected, and graphs that repeat
//! themselves.

use crate::Crafted;
use crate::seeds::Seeds;

/// Lists of lists by alias, each ten times the one before, as YAML has them.
fn laughs(seeds: &mut Seeds, depth: usize) -> String {
    let mut text = format!("{}: &a0 [x,x,x,x,x,x,x,x,x,x]\n", seeds.word());
    for level in 1..depth {
        let ten = std::iter::repeat_n(format!("*a{}", level - 1), 10)
            .collect::<Vec<_>>()
            .join(",");
        let line = format!("{}{level}: &a{level} [{ten}]\n", seeds.word());
        text.push_str(&line);
    }
    text
}

pub(crate) fn crafted(seeds: &mut Seeds) -> Crafted {
    let depth = 9 + seeds.below(60) as usize;
    match seeds.number % 8 {
        0 => Crafted::alone("model.yaml", laughs(seeds, depth).into_bytes()),
        1 => Crafted::beside("model.yaml", laughs(seeds, depth).into_bytes()),
        2 => Crafted::beside("config.yaml", vec![b'['; 1 << 20]),
        3 => Crafted::beside(
            "config.json",
            [vec![b'['; 1 << 20], vec![b']'; 1 << 20]].concat(),
        ),
        4 => {
            let tag = format!(
                "audio: !!python/object/apply:os.system [\"{}\"]\n",
                seeds.word()
            );
            Crafted::beside("config.yaml", tag.into_bytes())
        }
        5 => Crafted::alone(
            "package.toml",
            format!("a{}", ".a".repeat(1 << 18)).into_bytes(),
        ),
        6 => {
            // Messages in messages without an end, as a graph would have them: the field of a body, and a length.
            let mut graph = vec![0x08, 8];
            for _ in 0..seeds.below(40_000) + 10_000 {
                graph.extend([0x3a, 0xff, 0xff, 0xff, 0x7f]);
            }
            Crafted::alone("model.onnx", graph)
        }
        _ => {
            // A graph whose weight says that it has more numbers than there are.
            let dims: Vec<u8> = (0..4)
                .flat_map(|_| [&[0x08][..], &[0xff; 8], &[0x7f]].concat())
                .collect();
            let weight = [&dims[..], &[0x10, 1, 0x42, 1, b'w']].concat();
            let graph = [&[0x2a, weight.len() as u8][..], &weight].concat();
            let file = [&[0x08, 8, 0x3a, graph.len() as u8][..], &graph].concat();
            Crafted::alone("model.onnx", file)
        }
    }
}
