//! The workload file in memory, and the endless walk through it.
//!
//! A command is its key and a step, of which there are a few hundred. Keys lie in memory in the order in which they are
//! walked, and equal values are one object.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytes::Bytes;
use serde::{Deserialize, Deserializer};
use serde_json::Value as Json;

use crate::Failure;

/// A command without its key. MGET, MSET and any other command have their keys here; a step that has keys belongs to one
/// command.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Get,
    Set { value: Bytes },
    SetEx { seconds: i64, value: Bytes },
    GetRange { start: i64, end: i64 },
    MGet { keys: Vec<String> },
    MSet { pairs: Vec<(String, Bytes)> },
    Expire { seconds: i64 },
    IncrBy { increment: i64 },
    LPush { element: Bytes },
    LTrim { start: i64, stop: i64 },
    LRange { start: i64, stop: i64 },
    HGetAll,
    SAdd { member: Bytes },
    ZAdd { score: f64, member: Bytes },
    Ping,
    Any(Raw),
}

/// A command that is sent word by word.
#[derive(Clone, Debug, PartialEq)]
pub struct Raw {
    pub name: &'static str,
    /// All words but its name.
    pub words: Vec<Bytes>,
    /// Whether the server may let it wait for data, which some libraries are told.
    pub blocks: bool,
}

/// What a library is to send.
#[derive(Clone, Copy, Debug)]
pub struct Command<'a> {
    /// Empty where the command has none, or several.
    pub key: &'a str,
    pub step: &'a Step,
}

/// The commands of a workload.
#[derive(Debug)]
pub struct Workload {
    keys: String,
    key_bytes: usize,
    rows: Vec<Row>,
    steps: Vec<Step>,
}

/// One command.
#[derive(Clone, Copy, Debug)]
struct Row {
    /// Number of its key, or `NO_KEY`.
    key: u32,
    step: u32,
}

const NO_KEY: u32 = u32::MAX;

const BLOCKING: [&str; 8] = ["BLPOP", "BRPOP", "BLMOVE", "BRPOPLPUSH", "BLMPOP", "BZPOPMIN", "BZPOPMAX", "BZMPOP"];

#[derive(Deserialize)]
struct Header {
    commands: usize,
    key_bytes: usize,
    values: Vec<usize>,
    kinds: Vec<Kind>,
    /// Number of its kind, then of each value.
    steps: Vec<Vec<usize>>,
}

#[derive(Deserialize)]
struct Kind {
    /// Kept to the program's end: libraries take names as such without a copy, and a workload has a few.
    #[serde(deserialize_with = "leaked")]
    name: Name,
    arguments: Vec<Argument>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Argument {
    Literal {
        literal: Json,
    },
    /// `key` or `value`.
    Place(String),
}

/// By this name, since Serde would borrow a reference from the line.
type Name = &'static str;

fn leaked<'a, D: Deserializer<'a>>(name: D) -> Result<Name, D::Error> {
    String::deserialize(name).map(|name| &*name.leak())
}

impl Kind {
    fn keys(&self) -> usize {
        self.arguments.iter().filter(|one| matches!(one, Argument::Place(place) if place == "key")).count()
    }

    fn literals(&self) -> Vec<f64> {
        let literal = |one: &Argument| match one {
            Argument::Literal { literal: Json::String(text) } => text.parse().ok(),
            Argument::Literal { literal } => literal.as_f64(),
            Argument::Place(_) => None,
        };
        self.arguments.iter().filter_map(literal).collect()
    }

    /// Binds values, and the keys of a command whose step has them.
    fn bind(&self, mut values: Vec<Bytes>, keys: Vec<String>) -> Step {
        let literals = self.literals();
        let whole = |place: usize| literals.get(place).copied().unwrap_or_default() as i64;
        let mut value = || values.pop().unwrap_or_default();
        match self.name {
            "GET" => Step::Get,
            "SET" => Step::Set { value: value() },
            "SETEX" => Step::SetEx { seconds: whole(0), value: value() },
            "GETRANGE" => Step::GetRange { start: whole(0), end: whole(1) },
            "MGET" => Step::MGet { keys },
            "MSET" => Step::MSet { pairs: keys.into_iter().zip(values).collect() },
            "EXPIRE" => Step::Expire { seconds: whole(0) },
            "INCRBY" => Step::IncrBy { increment: whole(0) },
            "LPUSH" => Step::LPush { element: value() },
            "LTRIM" => Step::LTrim { start: whole(0), stop: whole(1) },
            "LRANGE" => Step::LRange { start: whole(0), stop: whole(1) },
            "HGETALL" => Step::HGetAll,
            "SADD" => Step::SAdd { member: value() },
            "ZADD" => Step::ZAdd { score: literals.first().copied().unwrap_or_default(), member: value() },
            "PING" => Step::Ping,
            _ => Step::Any(self.spelled(values, keys)),
        }
    }

    /// All words, in the order in which they are sent.
    fn spelled(&self, values: Vec<Bytes>, keys: Vec<String>) -> Raw {
        let (mut values, mut keys) = (values.into_iter(), keys.into_iter().map(Bytes::from));
        let word = |one: &Argument| match one {
            Argument::Literal { literal: Json::String(text) } => Some(Bytes::from(text.clone())),
            Argument::Literal { literal } => Some(Bytes::from(literal.to_string())),
            Argument::Place(place) if place == "key" => keys.next(),
            Argument::Place(_) => values.next(),
        };
        let words = self.arguments.iter().filter_map(word).collect();
        Raw { name: self.name, words, blocks: BLOCKING.contains(&self.name) }
    }

    fn has_keys_in_step(&self) -> bool {
        let step = self.bind(Vec::new(), Vec::new());
        self.keys() > 0 && matches!(step, Step::MGet { .. } | Step::MSet { .. } | Step::Any(_))
    }
}

impl Workload {
    /// Reads the file.
    pub fn read(path: &Path) -> Result<Workload, Failure> {
        let mut file = BufReader::new(File::open(path)?);
        let mut line = String::new();
        file.read_line(&mut line)?;
        let header: Header = serde_json::from_str(&line)?;
        let mut numbers = vec![0; 2 * header.commands];
        file.read_exact(&mut numbers)?;
        let numbers: Vec<u16> = numbers.chunks_exact(2).map(|pair| u16::from_le_bytes([pair[0], pair[1]])).collect();
        let kind = |number: u16| &header.kinds[header.steps[usize::from(number)][0]];
        let mut keys = vec![0; header.key_bytes * numbers.iter().map(|&number| kind(number).keys()).sum::<usize>()];
        file.read_exact(&mut keys)?;
        let keys = String::from_utf8(keys).expect("keys are ASCII");
        let mut value = |size: &usize| {
            let mut bytes = vec![0; *size];
            file.read_exact(&mut bytes).map(|()| Bytes::from(bytes))
        };
        let values = header.values.iter().map(&mut value).collect::<Result<Vec<_>, _>>()?;

        let own = |number: u16| -> Vec<Bytes> {
            header.steps[usize::from(number)][1..].iter().map(|&place| values[place].clone()).collect()
        };
        let has_keys_in_step: Vec<bool> = header.kinds.iter().map(Kind::has_keys_in_step).collect();
        let (mut rows, mut steps) = (Vec::with_capacity(numbers.len()), Vec::new());
        let (mut bound, mut next_key) = (vec![None; header.steps.len()], 0);
        for number in numbers {
            let (kind, first_key) = (kind(number), next_key);
            next_key += kind.keys();
            if has_keys_in_step[header.steps[usize::from(number)][0]] {
                let text = |place: usize| keys[place * header.key_bytes..][..header.key_bytes].to_string();
                steps.push(kind.bind(own(number), (first_key..next_key).map(text).collect()));
                rows.push(Row { key: NO_KEY, step: (steps.len() - 1) as u32 });
                continue;
            }
            let step = match bound[usize::from(number)] {
                Some(step) => step,
                None => {
                    steps.push(kind.bind(own(number), Vec::new()));
                    *bound[usize::from(number)].insert((steps.len() - 1) as u32)
                }
            };
            rows.push(Row { key: if kind.keys() == 0 { NO_KEY } else { first_key as u32 }, step });
        }
        Ok(Workload { keys, key_bytes: header.key_bytes, rows, steps })
    }

    pub fn commands(&self) -> usize {
        self.rows.len()
    }

    fn command(&self, index: usize) -> Command<'_> {
        let row = self.rows[index];
        let begin = row.key as usize * self.key_bytes;
        let key = if row.key == NO_KEY { "" } else { &self.keys[begin..begin + self.key_bytes] };
        Command { key, step: &self.steps[row.step as usize] }
    }
}

/// A walker's way through the commands, in order and cyclically. The places of a sliding window share one.
#[derive(Clone, Debug)]
pub struct Walk {
    workload: Arc<Workload>,
    position: Position,
}

#[derive(Clone, Debug)]
enum Position {
    Own(usize),
    Shared(Arc<AtomicUsize>),
}

impl Walk {
    /// One that begins with the first command.
    pub fn new(workload: &Arc<Workload>, is_shared: bool) -> Walk {
        let position = if is_shared { Position::Shared(Arc::default()) } else { Position::Own(0) };
        Walk { workload: workload.clone(), position }
    }

    /// Goes to a command by its number.
    pub fn go_to(&mut self, first: usize) {
        match &mut self.position {
            Position::Own(next) => *next = first,
            Position::Shared(next) => next.store(first, Ordering::Relaxed),
        }
    }

    /// Takes the next command.
    pub fn next(&mut self) -> Command<'_> {
        let index = self.position.take(self.workload.commands());
        self.workload.command(index)
    }

    /// Takes so many of the next commands, one by one.
    pub fn take(&mut self, count: usize) -> Commands<'_> {
        Commands { workload: &self.workload, position: &mut self.position, left: count }
    }
}

impl Position {
    fn take(&mut self, commands: usize) -> usize {
        match self {
            Position::Own(next) => {
                let index = *next;
                *next = if index + 1 == commands { 0 } else { index + 1 };
                index
            }
            Position::Shared(next) => next.fetch_add(1, Ordering::Relaxed) % commands,
        }
    }
}

/// The commands of a unit.
pub struct Commands<'a> {
    workload: &'a Workload,
    position: &'a mut Position,
    left: usize,
}

impl<'a> Iterator for Commands<'a> {
    type Item = Command<'a>;

    fn next(&mut self) -> Option<Command<'a>> {
        self.left = self.left.checked_sub(1)?;
        Some(self.workload.command(self.position.take(self.workload.commands())))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Commands<'_> {}
