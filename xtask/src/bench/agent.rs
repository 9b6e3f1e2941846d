//! The agent that everyone packs: 20 MB of made-up text in 1,000 files, the same every time.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use fs_err as fs;

/// How many files, and how many bytes in all.
pub(super) const FILES: usize = 1_000;
pub(super) const BYTES: usize = 20_000_000;

/// Where random numbers come from: xorshift, so that every run makes the same files.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

const COMMON: [&str; 64] = [
    "the", "of", "and", "to", "in", "is", "that", "for", "it", "as", "was", "with", "be", "by",
    "on", "not", "this", "are", "or", "from", "at", "which", "but", "have", "an", "they", "you",
    "were", "her", "all", "she", "there", "would", "their", "we", "him", "been", "has", "when",
    "who", "will", "more", "no", "if", "out", "so", "said", "what", "up", "its", "about", "into",
    "than", "them", "can", "only", "other", "new", "some", "could", "time", "these", "two", "may",
];

const BEGINNINGS: [&str; 24] = [
    "re", "con", "pro", "de", "in", "un", "ex", "com", "pre", "dis", "ac", "ad", "per", "sub",
    "trans", "inter", "over", "out", "sur", "ob", "en", "im", "mis", "fore",
];
const MIDDLES: [&str; 28] = [
    "ject", "duct", "form", "port", "struct", "scrib", "vert", "tract", "spect", "mit", "cess",
    "tain", "fer", "press", "quir", "solv", "ceiv", "mand", "sist", "cur", "pos", "fin", "lect",
    "grad", "cord", "not", "sign", "val",
];
const ENDINGS: [&str; 16] = [
    "", "s", "ed", "ing", "ion", "ive", "er", "able", "ment", "ance", "or", "ly", "ure", "al",
    "ity", "ous",
];

/// A vocabulary with a long tail: short common words half of the time, then rarer and rarer ones.
struct Prose {
    random: Random,
    words: Vec<String>,
}

impl Prose {
    fn new(seed: u64) -> Self {
        let mut words = Vec::new();
        for middle in MIDDLES {
            for beginning in BEGINNINGS {
                for ending in ENDINGS {
                    words.push(format!("{beginning}{middle}{ending}"));
                }
            }
        }
        let mut random = Random(seed);
        for at in (1..words.len()).rev() {
            words.swap(at, random.below(at + 1));
        }
        Self { random, words }
    }

    fn word(&mut self) -> &str {
        if self.random.below(100) < 52 {
            let limit = 1 + self.random.below(COMMON.len());
            return COMMON[self.random.below(limit)];
        }
        // Each draw limits the next, which makes low ranks likely, as in real text.
        let limit = 1 + self.random.below(self.words.len());
        let limit = 1 + self.random.below(limit);
        let limit = 1 + self.random.below(limit);
        let at = self.random.below(limit);
        &self.words[at]
    }

    fn sentence(&mut self) -> String {
        let mut text = String::new();
        for at in 0..6 + self.random.below(14) {
            if at > 0 {
                text.push_str(if self.random.below(12) == 0 {
                    ", "
                } else {
                    " "
                });
            }
            let word = self.word();
            if at == 0 {
                text.push_str(&word[..1].to_uppercase());
                text.push_str(&word[1..]);
            } else {
                text.push_str(word);
            }
        }
        text.push('.');
        text
    }

    fn markdown(&mut self, length: usize) -> String {
        let mut text = String::new();
        while text.len() < length {
            let _ = write!(text, "## {}\n\n", self.sentence().trim_end_matches('.'));
            for _ in 0..3 + self.random.below(5) {
                text.push_str(&self.sentence());
                text.push(' ');
            }
            text.truncate(text.trim_end().len());
            text.push_str("\n\n");
        }
        text
    }

    fn json(&mut self, length: usize) -> String {
        let mut text = String::from("[\n");
        while text.len() < length {
            let comma = if text.len() > 2 { ",\n" } else { "" };
            let (id, score) = (self.random.below(1_000_000), self.random.below(10_000));
            let _ = write!(
                text,
                "{comma}  {{\n    \"id\": {id},\n    \"score\": 0.{score:04},\n    \"topic\": \"{}\",\n    \"text\": \"{}\"\n  }}",
                self.word().to_owned(),
                self.sentence()
            );
        }
        text.push_str("\n]\n");
        text
    }

    fn python(&mut self, length: usize) -> String {
        let mut text = format!("\"\"\"{}\"\"\"\n", self.sentence());
        while text.len() < length {
            let (name, argument) = (self.word().to_owned(), self.word().to_owned());
            let number = self.random.below(10_000);
            let _ = write!(
                text,
                "\n\ndef {name}_{number}({argument}, limit={number}):\n    \"\"\"{}\"\"\"\n    result = []\n    for item in {argument}[:limit]:\n        if item.{}:\n            result.append(item.{}(\"{}\"))\n    return result\n",
                self.sentence(),
                self.word().to_owned(),
                self.word().to_owned(),
                self.sentence()
            );
        }
        text
    }
}

/// Writes the files into `folder`, in twenty sub-folders, and returns their bytes together.
pub(super) fn write(folder: &Path) -> Result<usize> {
    let mut prose = Prose::new(0x5eed_0001);
    let mut total = 0;
    for number in 0..FILES {
        // From a third to five thirds of the mean, so that no two files are alike.
        let mean = BYTES / FILES;
        let wanted = mean / 3 + prose.random.below(mean * 4 / 3);
        // The last files make up for what the drawing of lots left over.
        let left = BYTES.saturating_sub(total) / (FILES - number);
        let length = (wanted + left) / 2;
        let (text, extension) = match number % 5 {
            3 => (prose.json(length), "json"),
            4 => (prose.python(length), "py"),
            _ => (prose.markdown(length), "md"),
        };
        total += text.len();
        let part = folder.join(format!("part_{:02}", number % 20));
        fs::create_dir_all(&part)?;
        fs::write(part.join(format!("file_{number:04}.{extension}")), text)?;
    }
    Ok(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_agent_has_the_promised_size_and_is_the_same_every_time() {
        let (one, two) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let total = write(one.path()).unwrap();
        assert!(total.abs_diff(BYTES) < BYTES / 50, "{total}");
        assert_eq!(write(two.path()).unwrap(), total);
        let name = "part_03/file_0003.json";
        let text = fs::read_to_string(one.path().join(name)).unwrap();
        assert_eq!(text, fs::read_to_string(two.path().join(name)).unwrap());
        serde_json::from_str::<serde_json::Value>(&text).unwrap();
        let count = |folder: &Path| fs::read_dir(folder).unwrap().count();
        assert_eq!(count(one.path()), 20);
        assert_eq!(count(&one.path().join("part_00")), FILES / 20);
    }
}
