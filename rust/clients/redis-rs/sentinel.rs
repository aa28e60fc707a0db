//! What sentinels watch: a `SentinelClient` asks them for the primary, whenever it is to connect.

use std::marker::PhantomData;

use redis::aio::MultiplexedConnection;
use redis::sentinel::{
    AsyncLockedSentinelClient, LockedSentinelClient, SentinelClient, SentinelNodeConnectionInfo, SentinelServerType,
};
use redis::{ConnectionInfo, IntoConnectionInfo};
use respmark::{AsyncClient, Asynchronous, Blocking, Client, Failure, Library, Limits, Trial, WATCHED};

use crate::{Bounded, Redis, Sender, Text, failure, percent_encoded, pool, pool_builder};

pub fn library<V: Text>(trial: &Trial, server: ConnectionInfo) -> Result<Library, Failure> {
    let watched = Watched::<V> { trial: trial.clone(), server, decoded: PhantomData };
    Ok(if trial.has("api", "sync") { Library::blocking(watched) } else { Library::asynchronous(watched) })
}

/// The library, for values of type `V`.
struct Watched<V> {
    trial: Trial,
    /// How to log in to the primary, wherever it is.
    server: ConnectionInfo,
    decoded: PhantomData<fn() -> V>,
}

impl<V> Watched<V> {
    fn client(&self) -> Result<SentinelClient, Failure> {
        let primary = SentinelNodeConnectionInfo::default()
            .set_redis_connection_info(self.server.redis_settings().clone())
            .set_tcp_settings(self.server.tcp_settings().clone());
        let sentinels = self.sentinels().map_err(failure)?;
        SentinelClient::build(sentinels, WATCHED.to_string(), Some(primary), SentinelServerType::Master)
            .map_err(failure)
    }

    fn sentinels(&self) -> Result<Vec<ConnectionInfo>, redis::RedisError> {
        let password = percent_encoded(self.trial.server.password.as_deref().unwrap_or_default());
        let every = self.trial.server.sentinels.iter();
        every.map(|(host, port)| format!("redis://:{password}@{host}:{port}").into_connection_info()).collect()
    }

    fn of(&self, client: redis::Client) -> Redis<V> {
        Redis { client, limits: self.trial.limits(), decoded: PhantomData }
    }
}

impl<V: Text> Blocking for Watched<V> {
    type Client = Sender<redis::Connection, V>;

    fn connect(&self) -> Result<Self::Client, Failure> {
        Blocking::connect(&self.of(self.client()?.get_client().map_err(failure)?))
    }

    fn pool(&self, max_total: usize) -> Result<impl Client + Clone, Failure> {
        let mut builder = pool_builder(max_total, self.trial.limits());
        if self.trial.limits().is_some_and(Limits::is_bounded) {
            builder = builder.connection_customizer(Box::new(Bounded));
        }
        pool::<_, V>(builder, LockedSentinelClient::new(self.client()?))
    }
}

impl<V: Text> Asynchronous for Watched<V> {
    type Client = Sender<MultiplexedConnection, V>;

    async fn connect(&self) -> Result<Self::Client, Failure> {
        let client = self.client()?.async_get_client().await.map_err(failure)?;
        Asynchronous::connect(&self.of(client)).await
    }

    async fn cached(&self, entries: usize) -> Result<Self::Client, Failure> {
        let client = self.client()?.async_get_client().await.map_err(failure)?;
        self.of(client).cached(entries).await
    }

    async fn pool(&self, max_total: usize) -> Result<impl AsyncClient, Failure> {
        crate::async_pool::<_, V>(AsyncLockedSentinelClient::new(self.client()?), max_total).await
    }
}
