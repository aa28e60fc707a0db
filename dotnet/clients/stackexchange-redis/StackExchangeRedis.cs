using System.Reflection;
using System.Text;
using System.Text.Json.Nodes;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>StackExchange.Redis, every version: one multiplexer, commands through its databases' own methods.</summary>
internal sealed class StackExchangeRedis : Adapter<IDatabase, IDatabaseAsync>
{
    private static readonly Decoding<bool> YesOrNo = new(null, reply => reply);
    private static readonly Decoding<long> Number = new(null, reply => reply);

    /// <summary>The library checks the reply to PING, and returns how long it took.</summary>
    private static readonly Decoding<TimeSpan> Pong = new(null, _ => "PONG");

    private readonly ConfigurationOptions _options;
    private readonly int _database;
    private readonly Decoding<RedisValue> _value;
    private readonly Decoding<RedisValue[]> _values;
    private readonly Decoding<HashEntry[]> _fields;
    private RedisValue[] _given = [];

    public StackExchangeRedis(Trial trial)
        : base(trial)
    {
        _options = Configuration.Of(trial.Target);
        _database = trial.Target.Database;
        IsBlocking = trial.Option("api") != "async";
        IsText = trial.Option("decode") == "text";
        Func<RedisValue, object?> value = IsText ? reply => (string?)reply : reply => (byte[]?)reply;
        _value = new(value);
        _values = new(replies => Each(replies, value), replies => Array.ConvertAll(replies, reply => value(reply)));
        _fields = new(
            entries => Each(entries, entry => (value(entry.Name), value(entry.Value)).Item2),
            entries => Array.ConvertAll(entries, entry => KeyValuePair.Create(value(entry.Name), value(entry.Value))));
    }

    /// <summary>What is loaded, without the commit that some releases add.</summary>
    public override string Version => typeof(ConnectionMultiplexer).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    public override JsonObject Settings => new()
    {
        ["keys_given_as"] = "string",
        ["values_given_as"] = IsText ? "string" : "byte[]",
        ["sync_timeout_ms"] = _options.SyncTimeout,
    };

    protected override bool IsBlocking { get; }

    private bool IsText { get; }

    public override int Prepare(Workload workload)
    {
        _given = Array.ConvertAll<byte[], RedisValue>(workload.Values, value => IsText ? Encoding.ASCII.GetString(value) : value);
        return base.Prepare(workload);
    }

    protected override IDatabase Open() => ConnectionMultiplexer.Connect(_options).GetDatabase(_database);

    protected override async Task<IDatabase> OpenAsync()
    {
        var multiplexer = await ConnectionMultiplexer.ConnectAsync(_options).ConfigureAwait(false);
        return multiplexer.GetDatabase(_database);
    }

    protected override void Close(IDatabase client) => client.Multiplexer.Dispose();

    protected override async Task CloseAsync(IDatabase client)
    {
        await client.Multiplexer.CloseAsync().ConfigureAwait(false);
        client.Multiplexer.Dispose();
    }

    protected override Task Batch(IDatabase client, Action<IDatabaseAsync> send)
    {
        var batch = client.CreateBatch();
        send(batch);
        batch.Execute();
        return Task.CompletedTask;
    }

    protected override Task Transaction(IDatabase client, Action<IDatabaseAsync> send)
    {
        var transaction = client.CreateTransaction();
        send(transaction);
        return transaction.ExecuteAsync();
    }

    protected override Step? Bind(string name, Arguments with)
    {
        var value = _given.ElementAtOrDefault(with.Value);
        var (number, second) = (with.Number(0), (long)with.Number(1));
        var first = (long)number;
        switch (name)
        {
            case "GET":
                return Of((on, key) => on.StringGet(key), (on, key) => on.StringGetAsync(key), _value);
            case "SET":
                return Of((on, key) => on.StringSet(key, value), (on, key) => on.StringSetAsync(key, value), YesOrNo);
            case "GETRANGE":
                return Of(
                    (on, key) => on.StringGetRange(key, first, second),
                    (on, key) => on.StringGetRangeAsync(key, first, second),
                    _value);
            case "MGET":
                var keys = Array.ConvertAll(with.Keys, key => (RedisKey)key);
                return Of((on, _) => on.StringGet(keys), (on, _) => on.StringGetAsync(keys), _values);
            case "MSET":
                var pairs = with.Keys.Zip(with.Values, (key, given) => KeyValuePair.Create((RedisKey)key, _given[given])).ToArray();
                return Of((on, _) => on.StringSet(pairs), (on, _) => on.StringSetAsync(pairs), YesOrNo);
            case "EXPIRE":
                var expiry = TimeSpan.FromSeconds(first);
                return Of((on, key) => on.KeyExpire(key, expiry), (on, key) => on.KeyExpireAsync(key, expiry), YesOrNo);
            case "INCRBY":
                return Of((on, key) => on.StringIncrement(key, first), (on, key) => on.StringIncrementAsync(key, first), Number);
            case "LPUSH":
                return Of((on, key) => on.ListLeftPush(key, value), (on, key) => on.ListLeftPushAsync(key, value), Number);
            case "LTRIM":
                return Of((on, key) => on.ListTrim(key, first, second), (on, key) => on.ListTrimAsync(key, first, second));
            case "LRANGE":
                return Of(
                    (on, key) => on.ListRange(key, first, second),
                    (on, key) => on.ListRangeAsync(key, first, second),
                    _values);
            case "HGETALL":
                return Of((on, key) => on.HashGetAll(key), (on, key) => on.HashGetAllAsync(key), _fields);
            case "SADD":
                return Of((on, key) => on.SetAdd(key, value), (on, key) => on.SetAddAsync(key, value), YesOrNo);
            case "ZADD":
                return Of(
                    (on, key) => on.SortedSetAdd(key, value, number),
                    (on, key) => on.SortedSetAddAsync(key, value, number),
                    YesOrNo);
            case "PING":
                return Of((on, _) => on.Ping(), (on, _) => on.PingAsync(), Pong);
            default:
                return null;
        }
    }

    /// <summary>Decodes each, and returns the library's own list.</summary>
    private static T[] Each<T>(T[] replies, Func<T, object?> decode)
    {
        foreach (var reply in replies)
        {
            decode(reply);
        }

        return replies;
    }
}
