using System.Net.Sockets;
using System.Security.Authentication;
using Respmark.Contract;
using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>The multiplexers of one trial, connected, with the lanes of its scenario.</summary>
internal sealed class StackExchangeRedisSession : ISession
{
    private static readonly TimeSpan LongestSettling = TimeSpan.FromSeconds(1);
    private static readonly TimeSpan SettlingStep = TimeSpan.FromMilliseconds(5);

    private readonly Endpoint _target;
    private readonly List<ConnectionMultiplexer> _multiplexers = [];
    private readonly ConfigurationOptions _options;

    public StackExchangeRedisSession(Trial trial, CommandTable workload)
    {
        _target = trial.Target;
        _options = Configuration.Of(trial.Target);
        var asText = "strings".Equals(trial.Client.Options.GetValueOrDefault(StackExchangeRedis.Replies));
        DecodesTo = asText ? "text" : "bytes";
        // Before the long part, so that a target that refuses us is noticed at once.
        var connected = trial.Shape.Scenario == Scenario.NewConnection ? 0 : trial.Shape.Connections ?? 1;
        for (var count = 0; count < connected; count++)
        {
            _multiplexers.Add(ConnectionMultiplexer.Connect(_options));
        }

        Lanes = LanesOf(trial.Shape, Commands.Of(workload), new Replies(asText));
    }

    public IReadOnlyList<Lane> Lanes { get; }

    public string DecodesTo { get; }

    public IReadOnlyDictionary<string, object> Settings => new Dictionary<string, object>(StringComparer.Ordinal)
    {
        ["keys_given_as"] = "string",
        ["values_given_as"] = "byte[]",
        ["sync_timeout_ms"] = _options.SyncTimeout,
        ["keep_alive_s"] = _options.KeepAlive,
        ["tie_breaker"] = "off",
        ["multiplexers"] = _multiplexers.Count,
    };

    public bool IsFailure(Exception error) => IsFailureOfLibrary(error);

    /// <summary>What the library raises, or a socket or TLS stream under it.</summary>
    public static bool IsFailureOfLibrary(Exception error) => error is RedisException or RedisCommandException or TimeoutException
        or OperationCanceledException or ObjectDisposedException or SocketException or IOException
        or AuthenticationException;

    public bool IsReply(Exception error) => error is RedisServerException && !Refusals.IsRefusal(error.Message);

    public void Settle()
    {
        var deadline = DateTime.UtcNow + LongestSettling;
        while (!_multiplexers.TrueForAll(multiplexer => multiplexer.IsConnected) && DateTime.UtcNow < deadline)
        {
            Thread.Sleep(SettlingStep);
        }
    }

    public TargetException Explain(Exception error) => Refusals.Explain(error, _target);

    public void Close()
    {
        foreach (var multiplexer in _multiplexers)
        {
            multiplexer.Close(allowCommandsToComplete: false);
        }
    }

    private Lane[] LanesOf(Shape shape, Command[] commands, Replies replies)
    {
        var databases = _multiplexers.ConvertAll(multiplexer => multiplexer.GetDatabase(_target.Database));
        var depth = shape.Depth ?? 1;
        return shape.Scenario switch
        {
            Scenario.Sync => [Lane.Of(new SyncUnit(databases[0], commands, replies))],
            Scenario.Threads => Many(shape.Threads, number =>
                Lane.Of(new SyncUnit(databases[number % databases.Count], commands, replies))),
            Scenario.Pipelining when shape.Window == PipeliningWindow.Burst => Many(shape.Threads, _ =>
                Lane.Of(new BurstUnit(databases[0], depth, commands, replies))),
            Scenario.Pipelining => Many(shape.Threads, _ => Lane.Of(
                [.. Enumerable.Range(0, depth).Select(_ => new CommandUnit(databases[0], commands, replies))])),
            Scenario.Batching => [Lane.Of(new BatchUnit(databases[0], depth, commands, replies))],
            Scenario.Transaction => [Lane.Of(new TransactionUnit(databases[0], depth, commands, replies))],
            Scenario.NewConnection => [Lane.Of(new NewConnectionUnit(_options, _target.Database, commands, replies))],
            _ => throw new UnsupportedException("the library has no form of this scenario"),
        };
    }

    private static Lane[] Many(int? walkers, Func<int, Lane> lane) =>
        [.. Enumerable.Range(0, walkers ?? 1).Select(lane)];
}
