//! `WebM` files made element by element, around packets of Opus.

use ruopus::OpusEncoder;

use super::recording::chirp;

/// How the sound of a file is put into blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Block {
    Simple,
    Grouped,
    Xiph,
    Ebml,
}

/// Whether segment and clusters say how long they are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    Stated,
    Unknown,
}

/// Packets of 20 ms, mono.
pub struct Opus {
    pub packets: Vec<Vec<u8>>,
}

impl Opus {
    /// So many packets of the chirp.
    pub fn chirping(count: usize) -> Self {
        let mut encoder = OpusEncoder::new(1);
        let sound = chirp(48_000, count * 960);
        let packets = sound.chunks(960).map(|sound| {
            let packet = encoder.encode(sound, 160);
            packet.expect("is encoded")
        });
        Self {
            packets: packets.collect(),
        }
    }
}

/// A file to be.
#[derive(Clone)]
pub struct Webm {
    pub packets: Vec<Vec<u8>>,
    pub doc_type: &'static str,
    pub codec: &'static str,
    pub track_type: u64,
    /// Elements at the end of the track's entry.
    pub track_extra: Vec<u8>,
    pub channels: u8,
    pub gain_q8: i16,
    /// Frames in front, as the header of Opus has them.
    pub pre_skip: u16,
    pub delay_ns: Option<u64>,
    /// Padding of the last block.
    pub discard_ns: i64,
    pub block: Block,
    pub cut: Cut,
    pub blocks_per_cluster: usize,
    /// The track's number in the blocks; in its entry it is 1.
    pub blocks_on_track: u8,
    /// Whether clusters and blocks say when they begin; they all say 0 otherwise.
    pub has_times: bool,
    /// What stands in front of the list of tracks.
    pub before_tracks: Vec<u8>,
}

impl Webm {
    pub fn of(opus: &Opus) -> Self {
        Self {
            packets: opus.packets.clone(),
            doc_type: "webm",
            codec: "A_OPUS",
            track_type: 2,
            track_extra: Vec::new(),
            channels: 1,
            gain_q8: 0,
            pre_skip: 312,
            delay_ns: None,
            discard_ns: 0,
            block: Block::Simple,
            cut: Cut::Stated,
            blocks_per_cluster: 100,
            blocks_on_track: 1,
            has_times: false,
            before_tracks: Vec::new(),
        }
    }

    pub fn bytes(&self) -> Vec<u8> {
        let head = element(
            &[0x1a, 0x45, 0xdf, 0xa3],
            &element(&[0x42, 0x82], self.doc_type.as_bytes()),
        );
        let blocks = self.blocks();
        let clusters = blocks.chunks(self.blocks_per_cluster).enumerate();
        let clusters = clusters.flat_map(|(index, blocks)| {
            // Packets of 20 ms, one in each block where times are told.
            let time = index * self.blocks_per_cluster * if self.has_times { 20 } else { 0 };
            let body = [uint(&[0xe7], time as u64), blocks.concat()].concat();
            self.measured(&[0x1f, 0x43, 0xb6, 0x75], &body)
        });
        let body = [
            self.before_tracks.clone(),
            element(&[0x16, 0x54, 0xae, 0x6b], &self.track()),
            clusters.collect(),
        ]
        .concat();
        [head, self.measured(&[0x18, 0x53, 0x80, 0x67], &body)].concat()
    }

    fn measured(&self, id: &[u8], body: &[u8]) -> Vec<u8> {
        match self.cut {
            Cut::Stated => element(id, body),
            Cut::Unknown => [id, b"\x01\xff\xff\xff\xff\xff\xff\xff", body].concat(),
        }
    }

    fn track(&self) -> Vec<u8> {
        let mut private = b"OpusHead\x01".to_vec();
        private.push(self.channels);
        private.extend(self.pre_skip.to_le_bytes());
        private.extend(48_000_u32.to_le_bytes());
        private.extend(self.gain_q8.to_le_bytes());
        private.push(0);
        let mut fields = [
            uint(&[0xd7], 1),
            uint(&[0x83], self.track_type),
            element(&[0x86], self.codec.as_bytes()),
            element(&[0x63, 0xa2], &private),
        ]
        .concat();
        if let Some(delay_ns) = self.delay_ns {
            fields.extend(uint(&[0x56, 0xaa], delay_ns));
        }
        fields.extend(&self.track_extra);
        element(&[0xae], &fields)
    }

    fn blocks(&self) -> Vec<Vec<u8>> {
        let laced = if matches!(self.block, Block::Xiph | Block::Ebml) {
            5
        } else {
            1
        };
        let count = self.packets.len().div_ceil(laced);
        let blocks = self
            .packets
            .chunks(laced)
            .enumerate()
            .map(|(index, packets)| {
                let flags = match self.block {
                    Block::Xiph => 0x02,
                    Block::Ebml => 0x06,
                    Block::Simple | Block::Grouped => 0,
                };
                let within = index % self.blocks_per_cluster;
                let time = within as u16 * if self.has_times { 20 } else { 0 };
                let [high, low] = time.to_be_bytes();
                let mut body = vec![0x80 | self.blocks_on_track, high, low, flags];
                body.extend(self.laces(packets));
                body.extend(packets.concat());
                let discard_ns = if index + 1 == count {
                    self.discard_ns
                } else {
                    0
                };
                if self.block != Block::Grouped && discard_ns == 0 {
                    return element(&[0xa3], &body);
                }
                let mut group = element(&[0xa1], &body);
                if discard_ns != 0 {
                    group.extend(element(&[0x75, 0xa2], &discard_ns.to_be_bytes()));
                }
                element(&[0xa0], &group)
            });
        blocks.collect()
    }

    fn laces(&self, packets: &[Vec<u8>]) -> Vec<u8> {
        let sizes: Vec<usize> = packets.iter().map(Vec::len).collect();
        let mut laces = vec![packets.len() as u8 - 1];
        match self.block {
            Block::Simple | Block::Grouped => return Vec::new(),
            Block::Xiph => {
                for size in &sizes[..sizes.len() - 1] {
                    laces.extend(vec![255; size / 255]);
                    laces.push((size % 255) as u8);
                }
            }
            Block::Ebml => {
                laces.extend((0x4000 | sizes[0] as u16).to_be_bytes());
                for pair in sizes[..sizes.len() - 1].windows(2) {
                    let step = pair[1] as i64 - pair[0] as i64 + 8_191;
                    laces.extend((0x4000 | step as u16).to_be_bytes());
                }
            }
        }
        laces
    }
}

/// An element with a size of 8 bytes.
pub fn element(id: &[u8], body: &[u8]) -> Vec<u8> {
    let size = (1_u64 << 56) | body.len() as u64;
    [id, &size.to_be_bytes(), body].concat()
}

/// An element that is an unsigned integer.
pub fn uint(id: &[u8], value: u64) -> Vec<u8> {
    element(id, &value.to_be_bytes())
}
