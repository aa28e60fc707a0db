using Respmark.Contract;
using Respmark.Workload;

namespace Respmark.Clients;

/// <summary>
/// No client at all: its commands do nothing. A trial of it shows what the loop itself costs every client. It is loaded
/// only by name, and <c>describe</c> does not list it.
/// </summary>
internal sealed class NullLibrary : Library
{
    public const string Called = "null";

    public override string Name => Called;

    public override IReadOnlyDictionary<string, string> Versions =>
        new Dictionary<string, string>(StringComparer.Ordinal) { [Called] = "0" };

    public override ClientDescription Describe() => new(
        Called,
        "0",
        new Dictionary<string, object[]>(StringComparer.Ordinal),
        0,
        new Dictionary<Scenario, ScenarioSupport> { [Scenario.Sync] = ScenarioSupport.Plain },
        []);

    public override string? Objection(Trial trial) => trial.Shape.Scenario == Scenario.Sync ? null : "it has only sync";

    public override ISession Load(Trial trial, CommandTable workload) => new Session(workload);

    private sealed class Session(CommandTable workload) : ISession
    {
        private readonly string[] _keys =
            [.. Enumerable.Range(0, workload.Length).Select(index => workload.Key(workload.KeyNumber(index)))];

        public string DecodesTo => StackExchangeRedis.Bytes;

        public IReadOnlyDictionary<string, object> Settings => new Dictionary<string, object>(StringComparer.Ordinal);

        public IReadOnlyList<Lane> Connect() => [Lane.Of(new NullUnit(_keys))];

        public bool IsFailure(Exception error) => false;

        public bool IsReply(Exception error) => false;

        public Task SettleAsync() => Task.CompletedTask;

        public TargetException Explain(Exception error) => new(error.Message, error);

        public void Close()
        {
            // Nothing is open.
        }
    }

    /// <summary>Takes a command's key, as a client's method would, and does nothing with it.</summary>
    private sealed class NullUnit(string[] keys) : BlockingUnit(1)
    {
        public override void Perform(Walker walker) => Replies[0] = keys[walker.Next()];
    }
}
