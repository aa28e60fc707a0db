using System.Net.Sockets;
using System.Security.Authentication;
using Respmark.Contract;
using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>The commands of one trial, its multiplexers and the lanes of its scenario.</summary>
internal sealed class StackExchangeRedisSession : ISession
{
    private static readonly TimeSpan LongestSettling = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan SettlingStep = TimeSpan.FromMilliseconds(5);

    private readonly Trial _trial;
    private readonly ConfigurationOptions _options;
    private readonly Commands _commands;
    private readonly bool _isAsync;
    private readonly List<ConnectionMultiplexer> _multiplexers = [];

    public StackExchangeRedisSession(Trial trial, CommandTable workload)
    {
        var asText = StackExchangeRedis.Text.Equals(trial.Client.Options.GetValueOrDefault(StackExchangeRedis.Decode));
        _isAsync = "async".Equals(trial.Client.Options.GetValueOrDefault(StackExchangeRedis.Api));
        DecodesTo = asText ? StackExchangeRedis.Text : StackExchangeRedis.Bytes;
        _trial = trial;
        _options = Configuration.Of(trial.Target);
        _commands = new Commands(workload, asText);
    }

    public string DecodesTo { get; }

    public IReadOnlyDictionary<string, object> Settings => new Dictionary<string, object>(StringComparer.Ordinal)
    {
        ["keys_given_as"] = "string",
        ["values_given_as"] = DecodesTo == StackExchangeRedis.Text ? "string" : "byte[]",
        ["sync_timeout_ms"] = _options.SyncTimeout,
        ["keep_alive_s"] = _options.KeepAlive,
        ["tie_breaker"] = "off",
        ["multiplexers"] = _multiplexers.Count,
        ["distinct_values"] = _commands.DistinctValues,
    };

    public IReadOnlyList<Lane> Connect()
    {
        var connections = _trial.Shape.Scenario == Scenario.NewConnection ? 0 : _trial.Shape.Connections ?? 1;
        for (var count = 0; count < connections; count++)
        {
            _multiplexers.Add(ConnectionMultiplexer.Connect(_options));
        }

        return LanesOf(_trial.Shape);
    }

    /// <summary>Whether the library raises it, or a socket or TLS stream beneath it.</summary>
    public bool IsFailure(Exception error) => error is RedisException or RedisCommandException or TimeoutException
        or OperationCanceledException or ObjectDisposedException or SocketException or IOException
        or AuthenticationException;

    public bool IsReply(Exception error) => error is RedisServerException && !Refusals.IsRefusal(error.Message);

    public async Task SettleAsync()
    {
        var deadline = DateTime.UtcNow + LongestSettling;
        while (!_multiplexers.TrueForAll(multiplexer => multiplexer.IsConnected) && DateTime.UtcNow < deadline)
        {
            await Task.Delay(SettlingStep).ConfigureAwait(false);
        }
    }

    public TargetException Explain(Exception error) => Refusals.Explain(error, _trial.Target);

    public void Close()
    {
        foreach (var multiplexer in _multiplexers)
        {
            multiplexer.Close(allowCommandsToComplete: false);
        }
    }

    private Lane[] LanesOf(Shape shape)
    {
        var number = _trial.Target.Database;
        var databases = _multiplexers.ConvertAll(multiplexer => multiplexer.GetDatabase(number));
        var depth = shape.Depth ?? 1;
        return shape.Scenario switch
        {
            Scenario.Sync => [OneCommand(databases[0])],
            Scenario.Threads => Many(shape.Threads, walker => OneCommand(databases[walker % databases.Count])),
            Scenario.Pipelining when shape.Window == PipeliningWindow.Burst => Many(shape.Threads, _ =>
                Lane.Of(new BurstUnit(databases[0], depth, _commands))),
            Scenario.Pipelining => Many(shape.Threads, _ =>
                Lane.Of(Enumerable.Range(0, depth).Select(PlaceUnit (_) => new CommandUnit(databases[0], _commands)).ToArray())),
            Scenario.Batching => [Lane.Of(new BatchUnit(databases[0], depth, _commands))],
            Scenario.Transaction => [Lane.Of(new TransactionUnit(databases[0], depth, _commands))],
            Scenario.NewConnection when _isAsync => [Lane.Of(new NewAsyncConnectionUnit(_options, number, _commands))],
            Scenario.NewConnection => [Lane.Of(new NewConnectionUnit(_options, number, _commands))],
            _ => throw new UnsupportedException("the library has no form of this scenario"),
        };
    }

    private Lane OneCommand(IDatabase database) => _isAsync
        ? Lane.Of(new CommandUnit(database, _commands))
        : Lane.Of(new SyncUnit(database, _commands));

    private static Lane[] Many(int? walkers, Func<int, Lane> lane) =>
        [.. Enumerable.Range(0, walkers ?? 1).Select(lane)];
}
