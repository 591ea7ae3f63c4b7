//! Weights whose header is false: lengths, places and shapes that no file has, and numbers that many weights share.

use crate::Crafted;
use crate::pickles::checkpoint;
use crate::seeds::Seeds;

/// The weight that makes a file a voice's.
const FIRST: &str = "enc_p.emb_phone.weight";

fn text(text: &str) -> Vec<u8> {
    let mut code = vec![b'X'];
    code.extend((text.len() as u32).to_le_bytes());
    code.extend(text.as_bytes());
    code
}

/// A tuple of numbers of 64 bits.
fn tuple(numbers: &[i64]) -> Vec<u8> {
    let numbers = numbers.iter();
    let numbers = numbers.flat_map(|number| [&b"\x8a\x08"[..], &number.to_le_bytes()].concat());
    [b'('].into_iter().chain(numbers).chain([b't']).collect()
}

/// A tensor of halves in the entry `0`, as a pickle of torch has it.
fn tensor(stored: i64, dims: &[i64], strides: &[i64]) -> Vec<u8> {
    [
        b"ctorch._utils\n_rebuild_tensor_v2\n((".to_vec(),
        text("storage"),
        b"ctorch\nHalfStorage\n".to_vec(),
        text("0"),
        text("cpu"),
        b"\x8a\x08".to_vec(),
        stored.to_le_bytes().to_vec(),
        b"tQK\x00".to_vec(),
        tuple(dims),
        tuple(strides),
        b"\x89ccollections\nOrderedDict\n)RtR".to_vec(),
    ]
    .concat()
}

/// A checkpoint of torch with these weights, and some numbers.
fn file(weights: &[(String, Vec<u8>)], numbers: &[u8]) -> Vec<u8> {
    let weights = weights.iter();
    let weights: Vec<u8> = weights
        .flat_map(|(name, tensor)| [text(name), tensor.clone()].concat())
        .collect();
    let pickle = [&b"\x80\x02}("[..], &text("weight"), b"}(", &weights, b"uu."].concat();
    checkpoint(&pickle, &[("0", numbers)])
}

fn voice(weights: &[(String, Vec<u8>)], numbers: &[u8]) -> Crafted {
    Crafted::alone("voice.pth", file(weights, numbers))
}

/// What the shapes of an `SCNet` are read off, with one that is another; all of them have the same numbers.
fn separator((other, dims): (&str, &[i64]), (strides, numbers): (&str, &[u8])) -> Crafted {
    let honest: [(&str, &[i64]); 7] = [
        ("encoder.0.SDlayer.convs.0.weight", &[1, 4, 3, 1]),
        ("encoder.0.SDlayer.convs.1.weight", &[1, 4, 4, 1]),
        ("encoder.0.SDlayer.convs.2.weight", &[1, 4, 2, 1]),
        (
            "separation_net.dp_modules.0.linear_layers.0.weight",
            &[1, 2],
        ),
        (
            "separation_net.dp_modules.1.linear_layers.0.weight",
            &[2, 4],
        ),
        ("decoder.0.1.convtrs.0.weight", &[1, 8, 3, 1]),
        (other, dims),
    ];
    let weights: Vec<(String, Vec<u8>)> = honest
        .iter()
        .filter(|(name, dims)| *name != other || *dims == honest[6].1)
        .map(|(name, dims)| ((*name).to_owned(), tensor(32, dims, &vec![0; dims.len()])))
        .collect();
    let settings = format!(
        "audio:\n  chunk_size: 30000\nmodel:\n  dims: [4, 1]\n  band_stride: [{strides}]\ntraining:\n  instruments: [vocals, other]\n"
    );
    Crafted {
        files: vec![
            ("separator.ckpt", file(&weights, numbers)),
            ("separator.yaml", settings.into_bytes()),
        ],
        is_beside_a_voice: false,
    }
}

fn safetensors(header: &str, numbers: &[u8]) -> Crafted {
    let length = (header.len() as u64).to_le_bytes();
    let file = [&length[..], header.as_bytes(), numbers].concat();
    Crafted::alone("voice.safetensors", file)
}

pub(crate) fn crafted(seeds: &mut Seeds) -> Crafted {
    let huge = (1_i64 << 40) + seeds.below(1 << 40) as i64;
    let first = FIRST.to_owned();
    let some = seeds.bytes(64);
    let entry = |shape: &str, from: u64, to: u64| {
        format!(
            "{{\"{FIRST}\":{{\"dtype\":\"F16\",\"shape\":{shape},\"data_offsets\":[{from},{to}]}}}}"
        )
    };
    match seeds.number % 16 {
        0 => voice(
            &[(first, tensor(huge, &[huge / 256, 256], &[256, 1]))],
            &some,
        ),
        1 => voice(
            &[(first, tensor(32, &[i64::MAX, 3], &[i64::MAX, 1]))],
            &some,
        ),
        2 => voice(&[(first, tensor(32, &[huge, huge], &[0, 0]))], &some),
        3 => voice(&[(first, tensor(-huge, &[4, -8], &[1, 1]))], &some),
        4 => {
            // Thousands of weights, each of them all of the same numbers.
            let names = (0..3_000).map(|number| format!("dec.resblocks.{number}.convs1.0.weight"));
            let all = names.chain([first]);
            let weights: Vec<(String, Vec<u8>)> = all
                .map(|name| (name, tensor(32, &[4, 8], &[8, 1])))
                .collect();
            voice(&weights, &some)
        }
        5 => safetensors(&entry(&format!("[{huge},{huge}]"), 0, 64), &some),
        6 => safetensors(&entry("[4,8]", 0, 1 << 50), &some),
        7 => safetensors(&entry("[4,8]", seeds.below(8) + 1, 64), &some),
        8 => {
            // A header that is longer than the file.
            let mut file = (4_000_000 - seeds.below(1_000)).to_le_bytes().to_vec();
            file.extend(b"{\"");
            file.extend(seeds.word().as_bytes());
            Crafted::alone("voice.safetensors", file)
        }
        9 => {
            // A separator whose bands have steps of nothing, or of more than there is.
            let step = (1 << 62) * (seeds.below(2) as i64);
            separator(("x", &[1]), (&format!("1, {step}, 16"), &some))
        }
        10 => separator(
            ("encoder.0.SDlayer.convs.2.weight", &[1, 4, huge, 1]),
            ("1, 4, 2", &some),
        ),
        11 => separator(("pos_embed_f", &[1, 4, huge, 1]), ("1, 4, 2", &some)),
        12 => separator(
            ("decoder.0.1.convtrs.0.weight", &[1, 7, 3, 1]),
            ("1, 4, 2", &some),
        ),
        13 => separator(
            ("encoder.0.SDlayer.convs.1.weight", &[1, 4, 4]),
            ("1, 4, 2", &some),
        ),
        14 => separator(("x", &[1]), ("1, 4, 2", &some)),
        _ => {
            // Two weights that lie over each other.
            let second = seeds.word();
            let mut header = entry("[4,8]", 0, 64);
            header.pop();
            let more = format!(
                ",\"{second}\":{{\"dtype\":\"F16\",\"shape\":[32],\"data_offsets\":[0,64]}}}}"
            );
            safetensors(&(header + &more), &some)
        }
    }
}
