// StackExchange.Redis as its documentation uses it: `stackexchange_redis HOST PORT sync|batching|threads KEY_PREFIX`; in
// `threads`, ten threads share the multiplexer. The first line of input is the password, perhaps empty; each of the others
// is a turn, in seconds.
using System.Diagnostics;
using StackExchange.Redis;

const int Batch = 100;
const int Threads = 10;
var (host, port, scenario, prefix) = (args[0], args[1], args[2], args[3]);
using var redis = ConnectionMultiplexer.Connect($"{host}:{port},password={Console.ReadLine()}");
var db = redis.GetDatabase();
var groups = Made(prefix);
var at = Enumerable.Range(0, Threads).Select(i => i * groups.Length / Threads).ToArray();
Console.WriteLine("ready");
while (Console.ReadLine() is { } line)
{
    var (operations, watch) = (0L, Stopwatch.StartNew());
    var turn = TimeSpan.FromSeconds(double.Parse(line));
    if (scenario == "threads")
    {
        var tasks = Enumerable.Range(0, Threads).Select(i =>
            Task.Factory.StartNew(() => Turn(i, watch, turn), TaskCreationOptions.LongRunning));
        operations = (await Task.WhenAll(tasks)).Sum();
    }
    else if (scenario == "sync")
    {
        operations = Turn(0, watch, turn);
    }
    else
    {
        while (watch.Elapsed < turn)
        {
            await Batching(db, Next(0));
            operations += Batch;
        }
    }

    Console.WriteLine($"{operations} {watch.Elapsed.Ticks * TimeSpan.NanosecondsPerTick}");
}

long Turn(int thread, Stopwatch watch, TimeSpan turn)
{
    var operations = 0L;
    while (watch.Elapsed < turn)
    {
        Sync(db, Next(thread));
        operations += Batch;
    }

    return operations;
}

(string Key, byte[]? Value)[] Next(int thread) => groups[at[thread] = (at[thread] + 1) % groups.Length];

static void Sync(IDatabase db, (string Key, byte[]? Value)[] group)
{
    foreach (var (key, value) in group)
    {
        if (value is null)
        {
            byte[]? reply = db.StringGet(key);
        }
        else
        {
            db.StringSet(key, value);
        }
    }
}

static async Task Batching(IDatabase db, (string Key, byte[]? Value)[] group)
{
    var batch = db.CreateBatch();
    var gets = new List<Task<RedisValue>>(Batch);
    var sets = new List<Task<bool>>(Batch);
    foreach (var (key, value) in group)
    {
        if (value is null)
        {
            gets.Add(batch.StringGetAsync(key));
        }
        else
        {
            sets.Add(batch.StringSetAsync(key, value));
        }
    }

    batch.Execute();
    foreach (byte[]? reply in await Task.WhenAll(gets))
    {
    }

    await Task.WhenAll(sets);
}

// 1,000 groups of commands: four in five are GETs, which have no value.
static (string Key, byte[]? Value)[][] Made(string prefix)
{
    var draw = new Random(1);
    var values = Enumerable.Range(0, 500).Select(_ => new byte[(int)Math.Clamp(Gauss(draw), 4, 2048)]).ToArray();
    return
    [
        .. Enumerable.Range(0, 1_000).Select(_ => Enumerable.Range(0, Batch).Select(_ =>
            draw.Next(5) > 0
                ? (Name(37_500), null)
                : (Name(30_000), (byte[]?)values[draw.Next(values.Length)])).ToArray()),
    ];

    string Name(int keys) => $"{prefix}{draw.Next(keys):D7}";
}

static double Gauss(Random draw) =>
    1024 + (262.7 * Math.Sqrt(-2 * Math.Log(1 - draw.NextDouble())) * Math.Cos(2 * Math.PI * draw.NextDouble()));
