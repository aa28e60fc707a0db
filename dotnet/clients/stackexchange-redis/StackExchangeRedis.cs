using System.Reflection;
using System.Text;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>
/// StackExchange.Redis, every version: one multiplexer, commands through its databases' own methods. It finds out by
/// itself whether the server is a node of a cluster, and where the others are.
/// </summary>
internal sealed class StackExchangeRedis : Adapter<IDatabase, IDatabaseAsync>
{
    private static readonly Decoding<bool> YesOrNo = new(null, reply => (bool)reply!);
    private static readonly Decoding<long> Number = new(null, reply => (long)reply!);

    /// <summary>The library checks the reply to PING, and returns how long it took.</summary>
    private static readonly Decoding<TimeSpan> Pong = new(null, _ => "PONG");

    private readonly ConfigurationOptions _options;
    private readonly int _database;

    /// <summary>Which nodes of a cluster are read from.</summary>
    private readonly CommandFlags _reads;
    private readonly Decoding<RedisValue> _value;
    private readonly Decoding<RedisValue[]> _values;
    private readonly Decoding<HashEntry[]> _fields;
    private readonly Decoding<RedisResult> _results;
    private RedisValue[] _given = [];

    public StackExchangeRedis(Trial trial)
        : base(trial)
    {
        _options = Configuration.Of(trial);
        AskForProtocol(trial);
        _database = trial.Server.Database;
        _reads = trial.Has("reads", "replica") ? Enum.Parse<CommandFlags>("PreferReplica") : CommandFlags.None;
        IsBlocking = !trial.Has("api", "async");
        IsText = trial.Has("decode", "text");
        _value = IsText
            ? new(reply => (string?)reply, value => (string?)value)
            : new(reply => (byte[]?)reply, value => Replies.Of((byte[]?)value));
        var decode = _value.Decode!;
        _values = new(replies => Each(replies, decode), All);
        _results = new(replies => Each(((RedisValue[]?)replies)!, decode), All);
        _fields = new(
            entries => Each(entries, entry => (decode(entry.Name), decode(entry.Value)).Item2),
            entries => new JsonObject { ["map"] = new JsonArray([.. ((HashEntry[])entries!).Select(Pair)]) });

        JsonNode? One(RedisValue reply) => _value.Shown(decode(reply));
        JsonNode All(object? replies) => new JsonArray(Array.ConvertAll((RedisValue[])replies!, One));
        JsonArray Pair(HashEntry entry) => new(One(entry.Name), One(entry.Value));
    }

    /// <summary>What is loaded, without the commit that some releases add.</summary>
    protected override string Version => typeof(ConnectionMultiplexer).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    public override JsonObject Settings => new()
    {
        ["protocol"] = Protocol,
        ["keys_given_as"] = "string",
        ["values_given_as"] = IsText ? "string" : "byte[]",
        ["sync_timeout_ms"] = _options.SyncTimeout,
    };

    protected override bool IsBlocking { get; }

    /// <summary>Which RESP version is asked for; null: the library is too old to ask for one.</summary>
    private static PropertyInfo? ProtocolProperty => typeof(ConfigurationOptions).GetProperty("Protocol");

    /// <summary>What the trial asks for. As installed: RESP3, where the library knows it and presumes it.</summary>
    private int Protocol =>
        ProtocolProperty is null || Trial.Has("protocol", "2") ? 2
        : Trial.Has("protocol", "3") || _options.DefaultVersion >= new Version(6, 0) ? 3
        : 2;

    private bool IsText { get; }

    /// <summary>Whether threads wait for what asynchronous methods return.</summary>
    private bool WaitsForTasks => Trial.Has("api", "sync-over-async");

    public override int Prepare(Workload workload)
    {
        _given = Array.ConvertAll<byte[], RedisValue>(
            workload.Values, value => IsText ? Encoding.ASCII.GetString(value) : value);
        return base.Prepare(workload);
    }

    [SuppressMessage("Performance", "CA1849", Justification = "the blocking API is what is measured")]
    protected override async Task<IDatabase> OpenAsync()
    {
        var multiplexer = IsBlocking
            ? ConnectionMultiplexer.Connect(_options)
            : await ConnectionMultiplexer.ConnectAsync(_options).ConfigureAwait(false);
        return multiplexer.GetDatabase(_database);
    }

    protected override async Task CloseAsync(IDatabase client)
    {
        if (!IsBlocking)
        {
            await client.Multiplexer.CloseAsync().ConfigureAwait(false);
        }

        client.Multiplexer.Dispose();
    }

    protected override (IDatabaseAsync Target, Func<Task> Flush) TargetOf(IDatabase client)
    {
        switch (Trial.Scenario)
        {
            case "batching":
                var batch = client.CreateBatch();
                return (batch, () => Flush(batch));
            case "transaction":
                var transaction = client.CreateTransaction();
                return (transaction, () => transaction.ExecuteAsync());
            default:
                return base.TargetOf(client);
        }
    }

    protected override Step? Bind(string name, Arguments with)
    {
        var step = StepOf(name, with);
        return WaitsForTasks && step is not null ? Waiting(step) : step;
    }

    /// <summary>Sends as asynchronous callers do, and waits as the library lets them.</summary>
    private static Step Waiting(Step step) => step with
    {
        Perform = (client, key, shown) =>
        {
            var sent = step.Send!(client, key);
            client.Wait(sent);
            step.Read!(sent, shown);
        },
    };

    private Step? StepOf(string name, Arguments with)
    {
        var value = _given.ElementAtOrDefault(with.Values.FirstOrDefault());
        var (number, second) = (with.Numbers.ElementAtOrDefault(0), (long)with.Numbers.ElementAtOrDefault(1));
        var (first, expiry) = ((long)number, TimeSpan.FromSeconds(number));
        return name switch
        {
            "GET" => Of((on, key) => on.StringGet(key, _reads), (on, key) => on.StringGetAsync(key, _reads), _value),
            "SET" => Of((on, key) => on.StringSet(key, value), (on, key) => on.StringSetAsync(key, value), YesOrNo),
            "SETEX" => Of(
                (on, key) => on.StringSet(key, value, expiry),
                (on, key) => on.StringSetAsync(key, value, expiry),
                YesOrNo),
            "GETRANGE" => Of(
                (on, key) => on.StringGetRange(key, first, second, _reads),
                (on, key) => on.StringGetRangeAsync(key, first, second, _reads),
                _value),
            "MGET" => OfKeys(KeysOf(with)),
            "MSET" => OfPairs([.. with.Keys.Zip(with.Values, (key, given) => Pair(key, _given[given]))]),
            "EXPIRE" => Of(
                (on, key) => on.KeyExpire(key, expiry), (on, key) => on.KeyExpireAsync(key, expiry), YesOrNo),
            "INCRBY" => Of(
                (on, key) => on.StringIncrement(key, first),
                (on, key) => on.StringIncrementAsync(key, first),
                Number),
            "LPUSH" => Of(
                (on, key) => on.ListLeftPush(key, value),
                (on, key) => on.ListLeftPushAsync(key, value),
                Number),
            "LTRIM" => OfTrim(first, second),
            "LRANGE" => Of(
                (on, key) => on.ListRange(key, first, second, _reads),
                (on, key) => on.ListRangeAsync(key, first, second, _reads),
                _values),
            "HGETALL" => Of(
                (on, key) => on.HashGetAll(key, _reads), (on, key) => on.HashGetAllAsync(key, _reads), _fields),
            "SADD" => Of((on, key) => on.SetAdd(key, value), (on, key) => on.SetAddAsync(key, value), YesOrNo),
            "ZADD" => Of(
                (on, key) => on.SortedSetAdd(key, value, number),
                (on, key) => on.SortedSetAddAsync(key, value, number),
                YesOrNo),
            "HSET" when with.Texts.Length == 1 => OfField(with.Texts[0], value),
            "LPOP" when with.Texts.Length == 0 => Of(
                (on, key) => on.ListLeftPop(key), (on, key) => on.ListLeftPopAsync(key), _value),
            "RPOP" when with.Texts.Length == 0 => Of(
                (on, key) => on.ListRightPop(key), (on, key) => on.ListRightPopAsync(key), _value),
            "RPUSH" => Of(
                (on, key) => on.ListRightPush(key, value),
                (on, key) => on.ListRightPushAsync(key, value),
                Number),
            "SPOP" when with.Texts.Length == 0 => Of(
                (on, key) => on.SetPop(key), (on, key) => on.SetPopAsync(key), _value),
            "EVALSHA" when HasKeysAlone(with) => OfHash(Convert.FromHexString(with.Texts[0]), KeysOf(with)),
#if !STACKEXCHANGE_REDIS_WITHOUT_EVAL
            "EVAL" when HasKeysAlone(with) => OfScript(with.Texts[0], KeysOf(with)),
#endif
            "PING" => Of((on, _) => on.Ping(), (on, _) => on.PingAsync(), Pong),
            _ => null,
        };
    }

    private Step OfKeys(RedisKey[] keys) =>
        Of((on, _) => on.StringGet(keys, _reads), (on, _) => on.StringGetAsync(keys, _reads), _values);

    private static Step OfPairs(KeyValuePair<RedisKey, RedisValue>[] pairs) =>
        Of((on, _) => on.StringSet(pairs), (on, _) => on.StringSetAsync(pairs), YesOrNo);

    private static Step OfField(RedisValue field, RedisValue value) => Of(
        (on, key) => on.HashSet(key, field, value), (on, key) => on.HashSetAsync(key, field, value), YesOrNo);

    private static RedisKey[] KeysOf(Arguments with) => Array.ConvertAll(with.Keys, key => (RedisKey)key);

    /// <summary>Whether a script has several keys, and no other arguments than their number.</summary>
    private static bool HasKeysAlone(Arguments with) => with is { Keys.Length: > 1, Values: [], Texts: [_, _] };

    private Step OfHash(byte[] hash, RedisKey[] keys) => Of(
        (on, _) => on.ScriptEvaluate(hash, keys), (on, _) => on.ScriptEvaluateAsync(hash, keys), _results);

#if !STACKEXCHANGE_REDIS_WITHOUT_EVAL
    /// <summary>Without this flag, the library sends EVALSHA, whatever the script.</summary>
    private Step OfScript(string script, RedisKey[] keys) => Of(
        (on, _) => on.ScriptEvaluate(script, keys, null, CommandFlags.NoScriptCache),
        (on, _) => on.ScriptEvaluateAsync(script, keys, null, CommandFlags.NoScriptCache),
        _results);
#endif

    /// <summary>The library has no reply to it.</summary>
    private static Step OfTrim(long first, long last) => new(
        (on, key, shown) =>
        {
            on.ListTrim(key, first, last);
            shown?.Add(null);
        },
        (on, key) => on.ListTrimAsync(key, first, last),
        (_, shown) => shown?.Add(null));

    private static KeyValuePair<RedisKey, RedisValue> Pair(RedisKey key, RedisValue value) => new(key, value);

    private void AskForProtocol(Trial trial)
    {
        if (ProtocolProperty is { } property && !trial.Has("protocol", "installed"))
        {
            var type = Nullable.GetUnderlyingType(property.PropertyType)!;
            property.SetValue(_options, Enum.Parse(type, trial.Has("protocol", "3") ? "Resp3" : "Resp2"));
        }
    }

    private static Task Flush(IBatch batch)
    {
        batch.Execute();
        return Task.CompletedTask;
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
