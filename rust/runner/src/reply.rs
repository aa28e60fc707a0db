//! Replies as the library decoded them, and as the contract has them in JSON.

use std::collections::HashMap;
use std::hash::Hash;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use serde_json::{Value as Json, json};

/// A decoded reply; `V` is what values are decoded to. In the measured loops it is dropped.
#[derive(Clone, Debug)]
pub enum Reply<V> {
    /// OK, or a reply that is always the same and that the library leaves out.
    Done,
    Number(i64),
    Text(String),
    Value(Option<V>),
    Values(Vec<Option<V>>),
    Fields(HashMap<V, V>),
    /// A list whose elements are of several types.
    List(Vec<Reply<V>>),
}

/// What a value is decoded to.
pub trait Decoded: Eq + Hash + Send + 'static {
    fn json(&self) -> Json;
}

impl Decoded for String {
    fn json(&self) -> Json {
        json!(self)
    }
}

impl Decoded for Vec<u8> {
    fn json(&self) -> Json {
        json!({ "bytes": STANDARD.encode(self) })
    }
}

impl Decoded for Bytes {
    fn json(&self) -> Json {
        json!({ "bytes": STANDARD.encode(self) })
    }
}

impl<V: Decoded> Reply<V> {
    pub fn json(&self) -> Json {
        match self {
            Reply::Done => json!("OK"),
            Reply::Number(number) => json!(number),
            Reply::Text(text) => json!(text),
            Reply::Value(value) => value_json(value),
            Reply::List(replies) => replies.iter().map(Reply::json).collect(),
            Reply::Values(values) => values.iter().map(value_json).collect(),
            Reply::Fields(fields) => {
                let pairs: Vec<Json> =
                    fields.iter().map(|(field, value)| json!([field.json(), value.json()])).collect();
                json!({ "map": pairs })
            }
        }
    }
}

fn value_json<V: Decoded>(value: &Option<V>) -> Json {
    value.as_ref().map_or(Json::Null, Decoded::json)
}

/// The replies to a unit's commands.
pub trait Replies: Send {
    fn json(&self) -> Vec<Json>;
}

impl<V: Decoded> Replies for Reply<V> {
    fn json(&self) -> Vec<Json> {
        vec![Reply::json(self)]
    }
}

impl<V: Decoded> Replies for Vec<Reply<V>> {
    fn json(&self) -> Vec<Json> {
        self.iter().map(Reply::json).collect()
    }
}
