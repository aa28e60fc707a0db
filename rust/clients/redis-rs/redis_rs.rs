//! redis-rs, as its README uses it: a `Connection` that blocks, or a `MultiplexedConnection`, whose clones share one
//! connection. Every method is the library's own; what replies are decoded to is its caller's choice of a type.

use std::collections::HashMap;
use std::marker::PhantomData;
use std::process::ExitCode;
use std::time::Duration;

use r2d2::{CustomizeConnection, ManageConnection};
use redis::aio::MultiplexedConnection;
#[cfg(not(feature = "before-1"))]
use redis::aio::{ConnectionManager, ConnectionManagerConfig};
use redis::{
    AsyncCommands, Cmd, Commands as _, ConnectionInfo, ConnectionLike, FromRedisValue, IntoConnectionInfo, Pipeline,
    RedisError, Value,
};
use respmark::{
    AsyncClient, Asynchronous, Blocking, Client, Command, Commands, Decoded, Failure, Library, Limits, Raw, Reply,
    Step, Trial,
};
#[cfg(not(feature = "before-1"))]
use socket2::TcpKeepalive;

#[cfg(not(feature = "before-1"))]
mod cluster;
#[cfg(not(feature = "before-1"))]
mod sentinel;

/// A unit waits at most so long for a connection of a pool.
const POOL_WAIT: Duration = Duration::from_secs(3);
/// How long callers wait at most, where the option `limits` bounds it.
const LIMIT: Duration = Duration::from_secs(1);
#[cfg(not(feature = "before-1"))]
const ASYNC_LIMIT: Option<Duration> = Some(LIMIT);
#[cfg(feature = "before-1")]
const ASYNC_LIMIT: Duration = LIMIT;

fn main() -> ExitCode {
    respmark::main(load)
}

fn load(trial: &Trial) -> Result<Library, Failure> {
    if trial.has("decode", "text") { library::<String>(trial) } else { library::<Vec<u8>>(trial) }
}

fn library<V: Text>(trial: &Trial) -> Result<Library, Failure> {
    if trial.server.tls.is_some() {
        return Err(Failure::Unsupported("the adapter of redis-rs is built without TLS".to_string()));
    }
    let lock = include_str!("../../Cargo.lock");
    let mut library = chosen::<V>(trial)?;
    if !trial.has("api", "sync") {
        library = library.version("tokio", &respmark::locked(lock, "tokio"));
    }
    Ok(library
        .version("redis-rs", &respmark::locked(lock, "redis"))
        .setting("keys_given_as", "&str")
        .setting("values_given_as", "&[u8]"))
}

#[cfg(not(feature = "before-1"))]
fn chosen<V: Text>(trial: &Trial) -> Result<Library, Failure> {
    let server = server(trial)?;
    if trial.server.cluster {
        return cluster::library::<V>(trial, server);
    }
    if !trial.server.sentinels.is_empty() {
        return sentinel::library::<V>(trial, server);
    }
    let redis = Redis::<V>::new(trial, server)?;
    Ok(if trial.has("api", "sync") {
        Library::blocking(redis)
    } else if trial.has("api", "manager") {
        Library::asynchronous(Managed(redis))
    } else {
        Library::asynchronous(redis)
    })
}

#[cfg(feature = "before-1")]
fn chosen<V: Text>(trial: &Trial) -> Result<Library, Failure> {
    let redis = Redis::<V>::new(trial, server(trial)?)?;
    Ok(if trial.has("api", "sync") { Library::blocking(redis) } else { Library::asynchronous(redis) })
}

#[cfg(not(feature = "before-1"))]
fn server(trial: &Trial) -> Result<ConnectionInfo, Failure> {
    let server = url(trial).into_connection_info().map_err(failure)?;
    let mut tcp = server.tcp_settings().clone().set_nodelay(trial.has("tcp-nodelay", "on"));
    if trial.limits() == Some(Limits::Strict) {
        let keepalive = TcpKeepalive::new().with_time(LIMIT).with_interval(LIMIT);
        tcp = tcp.set_keepalive(keepalive).set_user_timeout(LIMIT);
    }
    Ok(server.set_tcp_settings(tcp))
}

#[cfg(feature = "before-1")]
fn server(trial: &Trial) -> Result<ConnectionInfo, Failure> {
    url(trial).into_connection_info().map_err(failure)
}

fn url(trial: &Trial) -> String {
    let (server, protocol) = (&trial.server, if trial.has("protocol", "3") { "resp3" } else { "resp2" });
    let encoded = |text: &Option<String>| text.as_deref().map(percent_encoded).unwrap_or_default();
    let (username, password) = (encoded(&server.username), encoded(&server.password));
    let database = server.database;
    if let Some(path) = &server.unix_socket {
        let given = |name: &str, value: &str| if value.is_empty() { String::new() } else { format!("&{name}={value}") };
        let (user, pass) = (given("user", &username), given("pass", &password));
        return format!("unix://{}?db={database}&protocol={protocol}{user}{pass}", percent_encoded(path));
    }
    let host = server.host.as_deref().unwrap_or_default();
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_string() };
    let user = if password.is_empty() { String::new() } else { format!("{username}:{password}@") };
    format!("redis://{user}{host}:{}/{database}?protocol={protocol}", server.port.unwrap_or(6379))
}

fn percent_encoded(text: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encoded).collect()
}

fn failure(error: RedisError) -> Failure {
    Failure::new(format!("{:?}", error.kind()), error)
}

/// What values are decoded to.
trait Text: FromRedisValue + Decoded {}

impl Text for String {}
impl Text for Vec<u8> {}

/// The library, for values of type `V`.
struct Redis<V> {
    client: redis::Client,
    limits: Option<Limits>,
    decoded: PhantomData<fn() -> V>,
}

impl<V> Redis<V> {
    fn new(trial: &Trial, server: ConnectionInfo) -> Result<Self, Failure> {
        let client = redis::Client::open(server).map_err(failure)?;
        Ok(Redis { client, limits: trial.limits(), decoded: PhantomData })
    }

    fn is_bounded(&self) -> bool {
        self.limits.is_some_and(Limits::is_bounded)
    }
}

/// Something that sends commands, whose values are of type `V`.
struct Sender<C, V>(C, PhantomData<fn() -> V>);

impl<C: Clone, V> Clone for Sender<C, V> {
    fn clone(&self) -> Self {
        Sender(self.0.clone(), PhantomData)
    }
}

/// The library's method for a command, and what its reply is decoded to; the last word may be `.await`.
macro_rules! send {
    ($connection:expr, $command:expr, $value:ty $(, $wait:ident)?) => {{
        let (connection, key) = ($connection, $command.key);
        match $command.step {
            Step::Get => Reply::Value(reply!(connection.get::<_, Option<$value>>(key) $(, $wait)?)),
            Step::Set { value } => done(reply!(connection.set::<_, _, ()>(key, &value[..]) $(, $wait)?)),
            Step::SetEx { seconds, value } => {
                done(reply!(connection.set_ex::<_, _, ()>(key, &value[..], *seconds as _) $(, $wait)?))
            }
            Step::GetRange { start, end } => {
                Reply::Value(reply!(connection.getrange::<_, Option<$value>>(key, *start as _, *end as _) $(, $wait)?))
            }
            Step::MGet { keys } => Reply::Values(reply!(connection.mget::<_, Vec<Option<$value>>>(keys) $(, $wait)?)),
            Step::MSet { pairs } => done(reply!(connection.mset::<_, _, ()>(&given(pairs)) $(, $wait)?)),
            Step::Expire { seconds } => {
                Reply::Number(reply!(connection.expire::<_, i64>(key, *seconds as _) $(, $wait)?))
            }
            Step::IncrBy { increment } => {
                Reply::Number(reply!(connection.incr::<_, _, i64>(key, *increment) $(, $wait)?))
            }
            Step::LPush { element } => Reply::Number(reply!(connection.lpush::<_, _, i64>(key, &element[..]) $(, $wait)?)),
            Step::LTrim { start, stop } => {
                done(reply!(connection.ltrim::<_, ()>(key, *start as _, *stop as _) $(, $wait)?))
            }
            Step::LRange { start, stop } => {
                Reply::Values(reply!(
                    connection.lrange::<_, Vec<Option<$value>>>(key, *start as _, *stop as _) $(, $wait)?
                ))
            }
            Step::HGetAll => Reply::Fields(reply!(connection.hgetall::<_, HashMap<$value, $value>>(key) $(, $wait)?)),
            Step::SAdd { member } => Reply::Number(reply!(connection.sadd::<_, _, i64>(key, &member[..]) $(, $wait)?)),
            Step::ZAdd { score, member } => {
                Reply::Number(reply!(connection.zadd::<_, _, _, i64>(key, &member[..], *score) $(, $wait)?))
            }
            Step::Ping => Reply::Text(ping!(connection $(, $wait)?)),
            Step::Any(raw) => decoded_one(reply!(queried!(spelled(raw), connection $(, $wait)?) $(, $wait)?)).map_err(failure)?,
        }
    }};
}

macro_rules! reply {
    ($call:expr) => {
        $call.map_err(failure)?
    };
    ($call:expr, await) => {
        $call.await.map_err(failure)?
    };
}

macro_rules! queried {
    ($command:expr, $connection:expr) => {
        $command.query::<Value>($connection)
    };
    ($command:expr, $connection:expr, await) => {
        $command.query_async::<Value>($connection)
    };
}

macro_rules! ping {
    ($connection:expr) => {
        redis::cmd("PING").query::<String>($connection).map_err(failure)?
    };
    ($connection:expr, await) => {
        redis::cmd("PING").query_async::<String>($connection).await.map_err(failure)?
    };
}

fn spelled(raw: &Raw) -> Cmd {
    let mut command = redis::cmd(raw.name);
    for word in &raw.words {
        command.arg(&word[..]);
    }
    command
}

fn done<V>(_reply: ()) -> Reply<V> {
    Reply::Done
}

/// Pairs as MSET takes them.
fn given(pairs: &[(String, respmark::Bytes)]) -> Vec<(&str, &[u8])> {
    pairs.iter().map(|(key, value)| (&key[..], &value[..])).collect()
}

fn sent<V: Text>(connection: &mut impl ConnectionLike, command: Command<'_>) -> Result<Reply<V>, Failure> {
    Ok(send!(&mut *connection, command, V))
}

async fn sent_async<V: Text>(
    connection: &mut (impl redis::aio::ConnectionLike + Send + Sync),
    command: Command<'_>,
) -> Result<Reply<V>, Failure> {
    Ok(send!(&mut *connection, command, V, await))
}

/// A pipeline with all commands, to be sent at once.
macro_rules! filled {
    ($pipe:expr, $commands:expr) => {{
        let mut pipe = $pipe;
        for Command { key, step } in $commands {
            match step {
                Step::Get => pipe.get(key),
                Step::Set { value } => pipe.set(key, &value[..]),
                Step::SetEx { seconds, value } => pipe.set_ex(key, &value[..], *seconds as _),
                Step::GetRange { start, end } => pipe.getrange(key, *start as _, *end as _),
                Step::MGet { keys } => pipe.mget(keys),
                Step::MSet { pairs } => pipe.mset(&given(pairs)),
                Step::Expire { seconds } => pipe.expire(key, *seconds as _),
                Step::IncrBy { increment } => pipe.incr(key, *increment),
                Step::LPush { element } => pipe.lpush(key, &element[..]),
                Step::LTrim { start, stop } => pipe.ltrim(key, *start as _, *stop as _),
                Step::LRange { start, stop } => pipe.lrange(key, *start as _, *stop as _),
                Step::HGetAll => pipe.hgetall(key),
                Step::SAdd { member } => pipe.sadd(key, &member[..]),
                Step::ZAdd { score, member } => pipe.zadd(key, &member[..], *score),
                Step::Ping => pipe.cmd("PING"),
                Step::Any(raw) => pipe.add_command(spelled(raw)),
            };
        }
        pipe
    }};
}
#[cfg(not(feature = "before-1"))]
use filled;

fn pipe(commands: Commands<'_>) -> Pipeline {
    filled!(Pipeline::with_capacity(commands.len()), commands)
}

/// Decodes the replies of a pipeline, which are of several types.
fn decoded<V: Text>(replies: Vec<Value>) -> Result<Vec<Reply<V>>, Failure> {
    replies.into_iter().map(|reply| decoded_one(reply).map_err(failure)).collect()
}

fn decoded_one<V: Text>(reply: Value) -> Result<Reply<V>, RedisError> {
    Ok(match reply {
        Value::Okay => Reply::Done,
        Value::Int(number) => Reply::Number(number),
        Value::SimpleString(text) => Reply::Text(text),
        Value::Double(number) => Reply::Text(number.to_string()),
        // As SCAN's is: a cursor and a list.
        Value::Array(list) if matches!(list.last(), Some(Value::Array(_))) => {
            Reply::List(list.into_iter().map(decoded_one).collect::<Result<_, _>>()?)
        }
        Value::Array(_) | Value::Set(_) => Reply::Values(own(reply)?),
        Value::Map(_) => Reply::Fields(own(reply)?),
        _ => Reply::Value(own(reply)?),
    })
}

#[cfg(not(feature = "before-1"))]
fn own<T: FromRedisValue>(reply: Value) -> Result<T, RedisError> {
    redis::from_redis_value(reply).map_err(RedisError::from)
}

#[cfg(feature = "before-1")]
fn own<T: FromRedisValue>(reply: Value) -> Result<T, RedisError> {
    redis::from_owned_redis_value(reply)
}

// --- the API that blocks ---------------------------------------------------------------------------------------------

impl<V: Text> Blocking for Redis<V> {
    type Client = Sender<redis::Connection, V>;

    fn connect(&self) -> Result<Self::Client, Failure> {
        let connection = if self.is_bounded() { connected_in_time(&self.client) } else { self.client.get_connection() };
        Ok(Sender(connection.map_err(failure)?, PhantomData))
    }

    fn pool(&self, max_total: usize) -> Result<impl Client + Clone, Failure> {
        let mut builder = pool_builder(max_total, self.limits);
        if self.is_bounded() {
            builder = builder.connection_customizer(Box::new(Bounded));
        }
        pool::<_, V>(builder, self.client.clone())
    }
}

fn pool_builder<M: ManageConnection>(max_total: usize, limits: Option<Limits>) -> r2d2::Builder<M> {
    let pool = r2d2::Pool::builder().max_size(max_total as u32);
    match limits {
        None => pool.connection_timeout(POOL_WAIT).test_on_check_out(false),
        Some(Limits::Installed) => pool,
        Some(Limits::OneSecond) => pool.connection_timeout(LIMIT),
        // A check is a command more, which may wait as long.
        Some(Limits::Strict) => pool.connection_timeout(LIMIT).test_on_check_out(false),
    }
}

fn pool<M: ManageConnection, V>(builder: r2d2::Builder<M>, client: M) -> Result<Sender<r2d2::Pool<M>, V>, Failure> {
    Ok(Sender(builder.build(client).map_err(|error| Failure::new("r2d2::Error", error))?, PhantomData))
}

fn connected_in_time(client: &redis::Client) -> Result<redis::Connection, RedisError> {
    let mut connection = client.get_connection_with_timeout(LIMIT)?;
    Bounded.on_acquire(&mut connection)?;
    Ok(connection)
}

/// Bounds how long a connection waits for replies and for room to write.
#[derive(Debug)]
struct Bounded;

impl CustomizeConnection<redis::Connection, RedisError> for Bounded {
    fn on_acquire(&self, connection: &mut redis::Connection) -> Result<(), RedisError> {
        connection.set_read_timeout(Some(LIMIT))?;
        connection.set_write_timeout(Some(LIMIT))
    }
}

impl<V: Text> Client for Sender<redis::Connection, V> {
    type Value = V;

    fn call(&mut self, command: Command<'_>) -> Result<Reply<V>, Failure> {
        sent(&mut self.0, command)
    }

    fn batch(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        decoded(pipe(commands).query(&mut self.0).map_err(failure)?)
    }

    fn transaction(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        decoded(pipe(commands).atomic().query(&mut self.0).map_err(failure)?)
    }
}

impl<M: ManageConnection<Connection: ConnectionLike>, V: Text> Client for Sender<r2d2::Pool<M>, V> {
    type Value = V;

    fn call(&mut self, command: Command<'_>) -> Result<Reply<V>, Failure> {
        let mut connection = self.0.get().map_err(|error| Failure::new("r2d2::Error", error))?;
        sent(&mut *connection, command)
    }
}

// --- the API of tokio ------------------------------------------------------------------------------------------------

impl<V: Text> Asynchronous for Redis<V> {
    type Client = Sender<MultiplexedConnection, V>;

    async fn connect(&self) -> Result<Self::Client, Failure> {
        let mut config = redis::AsyncConnectionConfig::new();
        if self.is_bounded() {
            config = config.set_connection_timeout(ASYNC_LIMIT).set_response_timeout(ASYNC_LIMIT);
        }
        let connection = self.client.get_multiplexed_async_connection_with_config(&config).await;
        Ok(Sender(connection.map_err(failure)?, PhantomData))
    }

    #[cfg(feature = "caching")]
    async fn cached(&self, entries: usize) -> Result<Self::Client, Failure> {
        let config = redis::AsyncConnectionConfig::new().set_cache_config(cache_config(entries));
        let connected = self.client.get_multiplexed_async_connection_with_config(&config).await;
        Ok(Sender(connected.map_err(failure)?, PhantomData))
    }

    #[cfg(feature = "asynchronous-pool")]
    async fn pool(&self, max_total: usize) -> Result<impl AsyncClient, Failure> {
        async_pool::<_, V>(self.client.clone(), max_total).await
    }
}

#[cfg(feature = "caching")]
fn cache_config(entries: usize) -> redis::caching::CacheConfig {
    let size = std::num::NonZeroUsize::new(entries).unwrap_or(std::num::NonZeroUsize::MIN);
    redis::caching::CacheConfig::new().set_size(size)
}

#[cfg(feature = "caching")]
fn cache_counts(counted: Option<redis::caching::CacheStatistics>) -> Option<respmark::CacheCounts> {
    let counted = counted?;
    Some(respmark::CacheCounts { hits: counted.hit, misses: counted.miss, invalidations: counted.invalidate })
}

#[cfg(feature = "asynchronous-pool")]
async fn async_pool<M, V>(client: M, max_total: usize) -> Result<Sender<bb8::Pool<M>, V>, Failure>
where
    M: bb8::ManageConnection<Error = RedisError>,
{
    let pool = bb8::Pool::builder()
        .max_size(max_total as u32)
        .min_idle(max_total as u32)
        .connection_timeout(POOL_WAIT)
        .test_on_check_out(false)
        .build(client)
        .await
        .map_err(failure)?;
    Ok(Sender(pool, PhantomData))
}

impl<V: Text> AsyncClient for Sender<MultiplexedConnection, V> {
    type Value = V;

    async fn call(&mut self, command: Command<'_>) -> Result<Reply<V>, Failure> {
        sent_async(&mut self.0, command).await
    }

    async fn batch(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        decoded(pipe(commands).query_async(&mut self.0).await.map_err(failure)?)
    }

    async fn transaction(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        decoded(pipe(commands).atomic().query_async(&mut self.0).await.map_err(failure)?)
    }

    #[cfg(feature = "caching")]
    fn counts(&self) -> Option<respmark::CacheCounts> {
        cache_counts(self.0.get_cache_statistics())
    }
}

#[cfg(feature = "asynchronous-pool")]
impl<M, V: Text> AsyncClient for Sender<bb8::Pool<M>, V>
where
    M: bb8::ManageConnection<Error = RedisError, Connection: redis::aio::ConnectionLike + Sync>,
{
    type Value = V;

    async fn call(&mut self, command: Command<'_>) -> Result<Reply<V>, Failure> {
        let mut connection = self.0.get().await.map_err(|error| Failure::new("bb8::RunError", error))?;
        sent_async(&mut *connection, command).await
    }
}

/// With `api=manager`: its connection is replaced when it is lost.
#[cfg(not(feature = "before-1"))]
struct Managed<V>(Redis<V>);

#[cfg(not(feature = "before-1"))]
impl<V: Text> Asynchronous for Managed<V> {
    type Client = Sender<ConnectionManager, V>;

    async fn connect(&self) -> Result<Self::Client, Failure> {
        let Managed(redis) = self;
        let mut config = ConnectionManagerConfig::new();
        if redis.is_bounded() {
            config = config.set_connection_timeout(ASYNC_LIMIT).set_response_timeout(ASYNC_LIMIT);
        }
        if redis.limits == Some(Limits::Strict) {
            config = config.set_number_of_retries(0);
        }
        let manager = redis.client.get_connection_manager_with_config(config).await;
        Ok(Sender(manager.map_err(failure)?, PhantomData))
    }
}

#[cfg(not(feature = "before-1"))]
impl<V: Text> AsyncClient for Sender<ConnectionManager, V> {
    type Value = V;

    async fn call(&mut self, command: Command<'_>) -> Result<Reply<V>, Failure> {
        sent_async(&mut self.0, command).await
    }

    async fn batch(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        decoded(pipe(commands).query_async(&mut self.0).await.map_err(failure)?)
    }

    async fn transaction(&mut self, commands: Commands<'_>) -> Result<Vec<Reply<V>>, Failure> {
        decoded(pipe(commands).atomic().query_async(&mut self.0).await.map_err(failure)?)
    }
}
