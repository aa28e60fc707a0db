//! fred, as its README uses it: a `Client` of tokio, whose clones share one connection, or one to each node of a cluster.
//! It has no API that blocks.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::process::ExitCode;
use std::time::Duration;

use fred::clients::ExclusivePool;
use fred::prelude::*;
use fred::types::{ClusterHash, CustomCommand, FromKey, RespVersion};
use respmark::{
    AsyncClient, Asynchronous, Command, Commands, Decoded, Failure, Library, Limits, Raw, Reply, Step, Trial, WATCHED,
};
use socket2::TcpKeepalive;

/// With `command-timeout=10s`.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);
/// How long callers wait at most, where the option `limits` bounds it.
const LIMIT: Duration = Duration::from_secs(1);

fn main() -> ExitCode {
    respmark::main(load)
}

fn load(trial: &Trial) -> Result<Library, Failure> {
    let library =
        if trial.has("decode", "text") { library::<String>(trial)? } else { library::<respmark::Bytes>(trial)? };
    let lock = include_str!("../../Cargo.lock");
    Ok(library
        .version("fred", &respmark::locked(lock, "fred"))
        .version("tokio", &respmark::locked(lock, "tokio"))
        .setting("keys_given_as", "&str")
        .setting("values_given_as", "Bytes"))
}

fn library<V: Text>(trial: &Trial) -> Result<Library, Failure> {
    let server = &trial.server;
    if server.tls.is_some() {
        return Err(Failure::Unsupported("the adapter of fred is built without TLS".to_string()));
    }
    let place = match &server.unix_socket {
        Some(path) => ServerConfig::Unix { path: path.into() },
        None => {
            let (host, port) = (server.host.clone().unwrap_or_default(), server.port.unwrap_or(6379));
            if server.cluster {
                ServerConfig::new_clustered(vec![(host, port)])
            } else if !server.sentinels.is_empty() {
                ServerConfig::new_sentinel(server.sentinels.clone(), WATCHED)
            } else {
                ServerConfig::new_centralized(host, port)
            }
        }
    };
    let config = Config {
        server: place,
        username: server.username.clone(),
        password: server.password.clone(),
        // With a number, the library selects the database 0 as well.
        database: (server.database != 0).then_some(server.database),
        version: if trial.has("protocol", "3") { RespVersion::RESP3 } else { RespVersion::RESP2 },
        ..Config::default()
    };
    let mut builder = Builder::from_config(config);
    if trial.has("command-timeout", "10s") {
        builder.with_performance_config(|performance| performance.default_command_timeout = COMMAND_TIMEOUT);
    }
    if trial.has("tcp-nodelay", "on") {
        builder.with_connection_config(|connection| connection.tcp.nodelay = Some(true));
    }
    if trial.has("reconnect", "on") {
        builder.set_policy(ReconnectPolicy::new_exponential(0, 100, 30_000, 2));
    }
    if let Some(limits) = trial.limits().filter(|limits| limits.is_bounded()) {
        set_limits(&mut builder, limits);
    }
    Ok(Library::asynchronous(Fred::<V> { builder, decoded: PhantomData }))
}

/// Bounds waits by the library's own options.
fn set_limits(builder: &mut Builder, limits: Limits) {
    builder.with_performance_config(|performance| performance.default_command_timeout = LIMIT);
    builder.with_connection_config(|connection| {
        (connection.connection_timeout, connection.internal_command_timeout) = (LIMIT, LIMIT);
        if limits == Limits::Strict {
            connection.max_command_attempts = 1;
            connection.tcp.keepalive = Some(TcpKeepalive::new().with_time(LIMIT).with_interval(LIMIT));
            connection.tcp.user_timeout = Some(LIMIT);
        }
    });
}

fn failure(error: Error) -> Failure {
    Failure::new(format!("{:?}", error.kind()), error)
}

/// What values are decoded to.
trait Text: FromValue + FromKey + Decoded {}

impl Text for String {}
impl Text for respmark::Bytes {}

/// The library, for values of type `V`.
struct Fred<V> {
    builder: Builder,
    decoded: PhantomData<fn() -> V>,
}

/// A client or a pool, for values of type `V`.
struct Sender<C, V> {
    client: C,
    decoded: PhantomData<fn() -> V>,
}

impl<C: Clone, V> Clone for Sender<C, V> {
    fn clone(&self) -> Self {
        Sender { client: self.client.clone(), decoded: PhantomData }
    }
}

/// Sends a command through the library's own method; a pipeline and a transaction only queue it.
async fn sent<C>(client: &C, Command { key, step }: Command<'_>) -> FredResult<Value>
where
    C: HashesInterface + KeysInterface + ListInterface + SetsInterface + SortedSetsInterface + ServerInterface + Sync,
{
    match step {
        Step::Get => client.get(key).await,
        Step::Set { value } => client.set(key, value.clone(), None, None, false).await,
        Step::SetEx { seconds, value } => {
            // The library's own SET has this option, but no method sends SETEX.
            let words: Vec<Value> = vec![key.into(), (*seconds).into(), value.clone().into()];
            client.custom(CustomCommand::new_static("SETEX", None, false), words).await
        }
        Step::GetRange { start, end } => client.getrange(key, *start as usize, *end as usize).await,
        Step::MGet { keys } => client.mget(keys.clone()).await,
        Step::MSet { pairs } => {
            // The library's own method takes a map, which has no order.
            let words: Vec<Value> =
                pairs.iter().flat_map(|(key, value)| [key.as_str().into(), value.clone().into()]).collect();
            client.custom(CustomCommand::new_static("MSET", None, false), words).await
        }
        Step::Expire { seconds } => client.expire(key, *seconds, None).await,
        Step::IncrBy { increment } => client.incr_by(key, *increment).await,
        Step::LPush { element } => client.lpush(key, element.clone()).await,
        Step::LTrim { start, stop } => client.ltrim(key, *start, *stop).await,
        Step::LRange { start, stop } => client.lrange(key, *start, *stop).await,
        Step::HGetAll => client.hgetall(key).await,
        Step::SAdd { member } => client.sadd(key, member.clone()).await,
        Step::ZAdd { score, member } => client.zadd(key, None, None, false, false, (*score, member.clone())).await,
        Step::Ping => client.ping(None).await,
        Step::Any(raw) => {
            let words: Vec<Value> = raw.words.iter().map(|word| word.clone().into()).collect();
            client.custom(CustomCommand::new_static(raw.name, place_of_key(raw), raw.blocks), words).await
        }
    }
}

/// Where the key is of a command that the library has no method for: it is the first word, or stands behind a script.
fn place_of_key(Raw { name, .. }: &Raw) -> ClusterHash {
    match *name {
        "EVAL" | "EVALSHA" => ClusterHash::Offset(2),
        _ => ClusterHash::FirstKey,
    }
}

fn decoded<V: Text>(reply: Value) -> FredResult<Reply<V>> {
    Ok(match reply {
        Value::Integer(number) => Reply::Number(number),
        // As SCAN's is: a cursor and a list.
        Value::Array(list) if matches!(list.last(), Some(Value::Array(_))) => {
            Reply::List(list.into_iter().map(decoded).collect::<FredResult<_>>()?)
        }
        Value::Array(_) => Reply::Values(reply.convert()?),
        Value::Map(_) => Reply::Fields(reply.convert::<HashMap<V, V>>()?),
        _ => Reply::Value(reply.convert()?),
    })
}

fn all_decoded<V: Text>(replies: Vec<Value>) -> Result<Vec<Reply<V>>, Failure> {
    replies.into_iter().map(|reply| decoded(reply).map_err(failure)).collect()
}

impl<V: Text> Asynchronous for Fred<V> {
    type Client = Sender<Client, V>;

    async fn connect(&self) -> Result<Self::Client, Failure> {
        let client = self.builder.build().map_err(failure)?;
        client.init().await.map_err(failure)?;
        Ok(Sender { client, decoded: PhantomData })
    }

    async fn pool(&self, max_total: usize) -> Result<impl AsyncClient, Failure> {
        let client = self.builder.build_exclusive_pool(max_total).map_err(failure)?;
        client.init().await.map_err(failure)?;
        Ok(Sender::<_, V> { client, decoded: PhantomData })
    }
}

impl<V: Text> AsyncClient for Sender<Client, V> {
    type Value = V;

    async fn call(&mut self, command: Command<'_>) -> Result<Reply<V>, Failure> {
        sent(&self.client, command).await.and_then(decoded).map_err(failure)
    }

    async fn batch(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        let pipeline = self.client.pipeline();
        for command in commands {
            sent(&pipeline, command).await.map_err(failure)?;
        }
        all_decoded(pipeline.all().await.map_err(failure)?)
    }

    async fn transaction(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        let transaction = self.client.multi();
        for command in commands {
            sent(&transaction, command).await.map_err(failure)?;
        }
        all_decoded(transaction.exec(true).await.map_err(failure)?)
    }

    async fn close(self) {
        // Where the server has closed the connection already, there is nothing to do.
        let _ = self.client.quit().await;
    }
}

impl<V: Text> AsyncClient for Sender<ExclusivePool, V> {
    type Value = V;

    async fn call(&mut self, command: Command<'_>) -> Result<Reply<V>, Failure> {
        let client = self.client.acquire().await;
        sent(&*client, command).await.and_then(decoded).map_err(failure)
    }

    async fn close(self) {
        let _ = self.client.quit().await;
    }
}
