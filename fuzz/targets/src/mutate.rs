//! Inputs made from others: bytes changed, words exchanged, parts of several combined.

/// Knuth's MMIX generator, so that a seed identifies an input for ever.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_mul(2).wrapping_add(1));
        for _ in 0..4 {
            random.below(2);
        }
        random
    }

    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n.max(1)
    }
}

/// The longest input, in bytes.
pub const LONGEST: usize = 6000;

/// Typical words of programs, data and messages.
const WORDS: &[&str] = &[
    "def",
    "let",
    "in",
    "if",
    "then",
    "else",
    "for",
    "loop",
    "while",
    "do",
    "match",
    "with",
    "type",
    "import",
    "test",
    "derivative",
    "and",
    "or",
    "not",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    "=",
    "=>",
    "<",
    ",",
    ":",
    ":>",
    "->",
    "\\",
    "@",
    "**",
    "-",
    "--",
    "\n",
    "0",
    "1",
    "-1",
    "9223372036854775807",
    "-9223372036854775808",
    "1e308",
    "5e-324",
    "nan",
    "inf",
    "-0.0",
    "18446744073709551616",
    "4294967296",
    "true",
    "false",
    "null",
    "\"",
    "\\u0000",
    "é",
    "x",
    "n",
    "f64",
    "i64",
    "bool",
    "grad",
    "vjp",
    "jvp",
    "checkpoint",
    "sum",
    "_",
    "'",
    ".",
    "..",
    "1.",
    ".5",
    "|",
    "\t",
    "\r\n",
    "",
];

/// A new input made from some old ones.
pub fn mutated(from: &[Vec<u8>], text: bool, random: &mut Random) -> Vec<u8> {
    let pick = |random: &mut Random| from.get(random.below(from.len())).cloned().unwrap_or_default();
    let mut input = pick(random);
    for _ in 0..1 + random.below(4) {
        input = match (text, random.below(8)) {
            (_, 0) => spliced(&input, &pick(random), random),
            (_, 1) | (false, 2..6) => bytes(input, random),
            (true, 2..7) => words(&input, &pick(random), random),
            _ => repeated(&input, random),
        };
    }
    input.truncate(LONGEST);
    input
}

/// The beginning of one and the end of another.
fn spliced(a: &[u8], b: &[u8], random: &mut Random) -> Vec<u8> {
    let (to, from) = (random.below(a.len() + 1), random.below(b.len() + 1));
    let mut out = a.get(..to).unwrap_or_default().to_vec();
    out.extend(b.get(from..).unwrap_or_default());
    out
}

/// A few bytes changed, dropped, or replaced by numbers that are unusual lengths.
fn bytes(mut input: Vec<u8>, random: &mut Random) -> Vec<u8> {
    const NUMBERS: [u64; 9] =
        [0, 1, 0x7f, 0xff, 0x7fff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, 0xffff_ffff_ffff_ffff, 0x1_0000_0000];
    for _ in 0..1 + random.below(4) {
        let at = random.below(input.len());
        match random.below(5) {
            0 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << random.below(8);
                }
            }
            1 => {
                if let Some(byte) = input.get_mut(at) {
                    *byte = random.below(256) as u8;
                }
            }
            2 => {
                let end = (at + 1 + random.below(8)).min(input.len());
                drop(input.drain(at.min(end)..end));
            }
            3 => input.insert(at.min(input.len()), random.below(256) as u8),
            _ => {
                let number = NUMBERS.get(random.below(NUMBERS.len())).copied().unwrap_or(0).to_le_bytes();
                let width = [1, 2, 4, 8].get(random.below(4)).copied().unwrap_or(1);
                for (byte, new) in input.iter_mut().skip(at).take(width).zip(number) {
                    *byte = new;
                }
            }
        }
    }
    input
}

/// A part of the input repeated, or left out.
fn repeated(input: &[u8], random: &mut Random) -> Vec<u8> {
    let from = random.below(input.len() + 1);
    let to = (from + random.below(200)).min(input.len());
    let (before, part, after) = (
        input.get(..from).unwrap_or_default(),
        input.get(from..to).unwrap_or_default(),
        input.get(to..).unwrap_or_default(),
    );
    let times = [0, 2, 2, 3, 12].get(random.below(5)).copied().unwrap_or(0);
    [before, &part.repeat(times), after].concat()
}

/// Words exchanged with each other, with those of another input, and with meaningful ones.
fn words(input: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let (own, other) = (String::from_utf8_lossy(input).into_owned(), String::from_utf8_lossy(other).into_owned());
    let (mut own, other) = (split(&own), split(&other));
    for _ in 0..1 + random.below(3) {
        let at = random.below(own.len());
        match random.below(6) {
            0 => {
                let to = random.below(own.len());
                if at < own.len() && to < own.len() {
                    own.swap(at, to);
                }
            }
            1 if at < own.len() => drop(own.remove(at)),
            2 => {
                let word = WORDS.get(random.below(WORDS.len())).copied().unwrap_or("");
                own.insert(at.min(own.len()), word.to_string());
            }
            3 => {
                let word = WORDS.get(random.below(WORDS.len())).copied().unwrap_or("");
                if let Some(place) = own.get_mut(at) {
                    *place = word.to_string();
                }
            }
            4 => {
                let from = random.below(other.len());
                let part: Vec<String> = other.iter().skip(from).take(1 + random.below(12)).cloned().collect();
                let end = (at + random.below(part.len() + 1)).min(own.len());
                drop(own.splice(at.min(end)..end, part));
            }
            _ => {
                let word = other.get(random.below(other.len())).cloned().unwrap_or_default();
                if let Some(place) = own.get_mut(at) {
                    *place = word;
                }
            }
        }
    }
    own.concat().into_bytes()
}

/// A text's words, numbers, spaces and signs, in order.
fn split(text: &str) -> Vec<String> {
    let kind = |c: char| match c {
        _ if c.is_alphanumeric() || c == '_' => 0,
        _ if c.is_whitespace() => 1,
        _ => 2,
    };
    let mut words: Vec<String> = Vec::new();
    let mut last = 3;
    for c in text.chars() {
        let own = kind(c);
        match words.last_mut() {
            Some(word) if own == last && own < 2 => word.push(c),
            _ => words.push(c.to_string()),
        }
        last = own;
    }
    words
}
