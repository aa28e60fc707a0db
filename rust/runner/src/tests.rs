//! Whole trials, of a library that needs no server, and the parts that these do not show.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value as Json, json};

use crate::arrivals::Part;
use crate::clock::now;
use crate::workload::{Raw, Step, Walk, Workload};
use crate::{
    AsyncClient, Asynchronous, Blocking, Bytes, Client, Command, Commands, Decoded, Failure, Library, Reply, Trial,
    answer_lines, cold_start,
};

const MS: u64 = 1_000_000;

/// The key of a command that never ends.
const HANGS: &str = "hangs";

/// A library whose replies are the keys; one that begins with `bad` fails.
#[derive(Clone)]
struct Fake;

fn reply(command: Command<'_>) -> Result<Reply<String>, Failure> {
    match command {
        Command { key, .. } if key.starts_with("bad") => Err(Failure::new("Refused", "reset by peer")),
        Command { step: Step::Set { .. }, .. } => Ok(Reply::Done),
        Command { key, .. } => Ok(Reply::Value(Some(key.to_string()))),
    }
}

impl Blocking for Fake {
    type Client = Fake;

    fn connect(&self) -> Result<Fake, Failure> {
        Ok(Fake)
    }
}

impl Client for Fake {
    type Value = String;

    fn call(&mut self, command: Command<'_>) -> Result<Reply<String>, Failure> {
        if command.key == HANGS {
            loop {
                std::thread::park();
            }
        }
        reply(command)
    }

    fn batch(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<String>>, Failure> {
        commands.map(reply).collect()
    }
}

impl Asynchronous for Fake {
    type Client = Fake;

    async fn connect(&self) -> Result<Fake, Failure> {
        Ok(Fake)
    }
}

impl AsyncClient for Fake {
    type Value = String;

    async fn call(&mut self, command: Command<'_>) -> Result<Reply<String>, Failure> {
        tokio::task::yield_now().await;
        if command.key == HANGS {
            std::future::pending::<()>().await;
        }
        reply(command)
    }
}

fn load(trial: &Trial) -> Result<Library, Failure> {
    let library = if trial.has("api", "sync") { Library::blocking(Fake) } else { Library::asynchronous(Fake) };
    Ok(library.version("fake", "1.0").setting("keys_given_as", "&str"))
}

/// A file that is removed with its last user.
struct TemporaryFile(PathBuf);

impl TemporaryFile {
    fn new(content: &[u8]) -> TemporaryFile {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("respmark-test-{}-{number}", std::process::id()));
        fs::write(&path, content).unwrap();
        TemporaryFile(path)
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// GETs and SETs of these keys of five characters, by the number of each one's step.
fn gets_and_sets(steps: &[u16], keys: &str) -> TemporaryFile {
    let header = json!({
        "commands": steps.len(), "key_bytes": 5, "values": [3], "steps": [[0], [1, 0]],
        "kinds": [{"name": "GET", "arguments": ["key"]}, {"name": "SET", "arguments": ["key", "value"]}],
    });
    let steps: Vec<u8> = steps.iter().flat_map(|step| step.to_le_bytes()).collect();
    TemporaryFile::new(&[format!("{header}\n").as_bytes(), &steps, keys.as_bytes(), b"abc"].concat())
}

fn dues(dues: &[u64]) -> TemporaryFile {
    TemporaryFile::new(&dues.iter().flat_map(|due| due.to_le_bytes()).collect::<Vec<u8>>())
}

/// A trial of four commands, with other fields in place of some.
fn trial(workload: &TemporaryFile, scenario: &str, shape: Json, api: &str) -> Json {
    json!({
        "client": "fake", "adapter": "Cargo.toml", "options": {"api": api}, "scenario": scenario, "shape": shape,
        "workload": workload.0, "samples": 100_000, "open": true, "server": {},
    })
}

/// Gives the runner these lines; returns its answers.
fn answers(lines: &[Json]) -> Vec<Json> {
    let input: String = lines.iter().map(|line| format!("{line}\n")).collect();
    let mut output = Vec::new();
    answer_lines(load, input.as_bytes(), &mut output).unwrap();
    String::from_utf8(output).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn lines_of(file: &TemporaryFile) -> Vec<Json> {
    fs::read_to_string(&file.0).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn names(answers: &[Json]) -> Vec<&str> {
    answers.iter().map(|answer| answer.as_object().unwrap().keys().next().unwrap().as_str()).collect()
}

#[test]
fn of_those_who_wait_only_the_next_one_is_awake() {
    let file = dues(&[0, 5_000, 50_000, 55_000, 56_000]);
    let times = [100_000, 105_000, 150_000, 155_000, 156_000];
    for (awake_ns, expected) in [(None, [80_000, 100_000, 130_000, 150_000, 155_000]), (Some(0), times)] {
        let work = json!({
            "first": [0], "lead_in_ns": 0, "ns": MS, "keep": true,
            "arrivals": {"file": file.0, "at": 100_000, "lead_in": 0, "drain_ns": MS, "awake_ns": awake_ns},
        });
        let [_, part] = Part::read(&serde_json::from_value(work).unwrap()).unwrap().unwrap();
        let taken: Vec<_> = std::iter::from_fn(|| part.take()).collect();
        assert_eq!(taken.iter().map(|unit| unit.waking).collect::<Vec<_>>(), expected);
        assert_eq!(taken.iter().map(|unit| unit.time).collect::<Vec<_>>(), times);
    }
}

fn keep_going(file: &TemporaryFile, log: &TemporaryFile, until: u64) -> Json {
    json!({"keep_going": {"first": [0], "due": {"file": file.0, "at": now()}, "log": log.0, "enough": "", "until": until}})
}

#[test]
fn a_walker_keeps_going_until_it_hangs_and_the_process_can_end() {
    let workload = gets_and_sets(&[0, 0, 0], "key:1bad:2hangs");
    let file = dues(&[0, 0, MS, MS]);
    for api in ["sync", "async"] {
        let log = TemporaryFile::new(b"");
        let found = answers(&[
            trial(&workload, "sync", json!({}), api),
            json!({"connect": {}}),
            keep_going(&file, &log, now() + 1_000 * MS),
        ]);
        assert_eq!(found[2], json!({"went": {}}));
        let mut logged: Vec<Json> = lines_of(&log);
        for line in &mut logged {
            for moment in ["began", "ended", "closed"] {
                line.as_object_mut().unwrap().entry(moment).and_modify(|at| *at = json!(at.is_u64()));
            }
        }
        let expected = [
            json!({"unit": 0, "walker": 0, "began": true}),
            json!({"unit": 0, "walker": 0, "ended": true, "reply": "key:1"}),
            json!({"unit": 1, "walker": 0, "began": true}),
            json!({"unit": 1, "walker": 0, "ended": true, "error": "Refused", "text": "reset by peer"}),
            json!({"unit": 2, "walker": 0, "began": true}),
            json!({"closed": true}),
        ];
        assert_eq!(logged, expected);
    }
}

#[test]
fn what_is_unsupported_ends_a_trial_and_not_the_process() {
    let workload = gets_and_sets(&[0], "key:1");
    let found = answers(&[
        trial(&workload, "transaction", json!({"depth": 2, "form": "batched"}), "sync"),
        json!({"connect": {}}),
        json!({"echo": {"first": 0, "commands": 1, "bytes": 1}}),
        trial(&workload, "pool", json!({"threads": 2, "max_total": 1}), "sync"),
        json!({"connect": {}}),
        trial(&workload, "sync", json!({}), "sync"),
        json!({"connect": {}}),
    ]);
    let expected = ["loaded", "connected", "unsupported", "loaded", "unsupported", "loaded", "connected"];
    assert_eq!(names(&found), expected);
}

#[test]
fn every_kind_of_command_is_bound() {
    let kinds = json!([
        {"name": "SETEX", "arguments": ["key", {"literal": 60}, "value"]},
        {"name": "GETRANGE", "arguments": ["key", {"literal": 0}, {"literal": -1}]},
        {"name": "MGET", "arguments": ["key", "key"]},
        {"name": "MSET", "arguments": ["key", "value", "key", "value"]},
        {"name": "ZADD", "arguments": ["key", {"literal": "1.5"}, "value"]},
        {"name": "PING", "arguments": []},
        {"name": "GET", "arguments": ["key"]},
    ]);
    let steps = json!([[0, 1], [1], [2], [3, 0, 1], [4, 0], [5], [6]]);
    let header = json!({"commands": 8, "key_bytes": 2, "values": [1, 2], "steps": steps, "kinds": kinds});
    let numbers: Vec<u8> = [0_u16, 1, 2, 3, 4, 5, 2, 6].iter().flat_map(|one| one.to_le_bytes()).collect();
    let keys = b"k1k2k3k4k5k6k7k8k9k0";
    let file = TemporaryFile::new(&[format!("{header}\n").as_bytes(), &numbers, keys, b"abb"].concat());
    let mut walk = Walk::new(&Arc::new(Workload::read(&file.0).unwrap()), false);
    let (a, bb) = (Bytes::from("a"), Bytes::from("bb"));
    let text = |key: &str| key.to_string();
    let expected = [
        ("k1", Step::SetEx { seconds: 60, value: bb.clone() }),
        ("k2", Step::GetRange { start: 0, end: -1 }),
        ("", Step::MGet { keys: vec![text("k3"), text("k4")] }),
        ("", Step::MSet { pairs: vec![(text("k5"), a.clone()), (text("k6"), bb)] }),
        ("k7", Step::ZAdd { score: 1.5, member: a }),
        ("", Step::Ping),
        ("", Step::MGet { keys: vec![text("k8"), text("k9")] }),
        ("k0", Step::Get),
    ];
    for (key, step) in expected {
        let command = walk.next();
        assert_eq!((command.key, command.step), (key, &step));
    }
}

#[test]
fn a_command_without_a_step_of_its_own_is_spelled_when_the_workload_is_read() {
    let header = json!({
        "commands": 3, "key_bytes": 2, "values": [3], "steps": [[0, 0], [1]],
        "kinds": [
            {"name": "EVAL", "arguments": [{"literal": "return 1"}, {"literal": 2}, "key", "key", "value"]},
            {"name": "BLPOP", "arguments": ["key", {"literal": "0.1"}]},
        ],
    });
    let numbers: Vec<u8> = [1_u16, 0, 1].iter().flat_map(|one| one.to_le_bytes()).collect();
    let file = TemporaryFile::new(&[format!("{header}\n").as_bytes(), &numbers, b"k0k1k2k3", b"one"].concat());
    let mut walk = Walk::new(&Arc::new(Workload::read(&file.0).unwrap()), false);
    let raw = |name, words: &[&str], blocks| {
        Step::Any(Raw { name, words: words.iter().map(|word| Bytes::from(word.to_string())).collect(), blocks })
    };
    assert_eq!(walk.next().step, &raw("BLPOP", &["k0", "0.1"], true));
    assert_eq!(walk.next().step, &raw("EVAL", &["return 1", "2", "k1", "k2", "one"], false));
    assert_eq!(walk.next().step, &raw("BLPOP", &["k3", "0.1"], true));
}

#[test]
fn walkers_go_round() {
    let workload = gets_and_sets(&[0, 0, 0, 0], "key:1key:2key:3key:4");
    let workload = Arc::new(Workload::read(&workload.0).unwrap());
    for is_shared in [false, true] {
        let mut walk = Walk::new(&workload, is_shared);
        walk.go_to(3);
        let mut other = walk.clone();
        let first = walk.next().key.to_string();
        let taken: Vec<&str> = other.take(2).map(|command| command.key).collect();
        let expected = if is_shared { ["key:1", "key:2"] } else { ["key:4", "key:1"] };
        assert_eq!((first.as_str(), taken), ("key:4", expected.to_vec()));
    }
}

#[test]
fn replies_are_as_the_contract_has_them() {
    let value = || Some(b"value".to_vec());
    let field = || (b"f".to_vec(), b"v".to_vec());
    for (reply, expected) in [
        (Reply::Done, json!("OK")),
        (Reply::Number(1), json!(1)),
        (Reply::Text("PONG".to_string()), json!("PONG")),
        (Reply::Value(None), Json::Null),
        (Reply::Values(vec![value(), None]), json!([{"bytes": "dmFsdWU="}, null])),
        (Reply::Fields([field()].into()), json!({"map": [[{"bytes": "Zg=="}, {"bytes": "dg=="}]]})),
    ] {
        assert_eq!(reply.json(), expected);
    }
    assert_eq!("text".to_string().json(), "text");
}

#[test]
fn a_version_is_what_cargo_locked() {
    let lock =
        "[[package]]\nname = \"redis-test\"\nversion = \"9\"\n\n[[package]]\nname = \"redis\"\nversion = \"1.3.0\"\n";
    assert_eq!((crate::locked(lock, "redis"), crate::locked(lock, "fred")), ("1.3.0".to_string(), String::new()));
}

#[test]
fn a_cold_start_has_its_stages_and_its_reply() {
    let workload = gets_and_sets(&[0, 1], "key:1key:2");
    for api in ["sync", "tokio"] {
        let (mut output, trial) = (Vec::new(), trial(&workload, "sync", json!({}), api));
        let line = format!("{trial}\n");
        cold_start::answer_line(load, 7, line.as_bytes(), &mut output).unwrap();
        let answer: Json = serde_json::from_slice(&output).unwrap();
        let started = answer["started"].as_object().unwrap();
        assert_eq!([&started["main_ns"], &started["reply"]], [&json!(7), &json!("key:1")]);
        assert_eq!(started["versions"]["fake"], "1.0");
        assert!(["create_ns", "connect_ns", "first_ns"].iter().all(|stage| started[*stage].is_u64()));
    }
}
