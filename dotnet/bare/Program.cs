using System.Diagnostics;
using System.Globalization;
using System.Text.Json;
using StackExchange.Redis;

namespace Respmark.Bare;

/// <summary>
/// The bare loops that the runner is judged by: what a user would write by hand with StackExchange.Redis, and no more.
/// Reads the same trial as the runner (one line on standard input), performs `sync`, `threads`, `batching` or bursts of
/// `pipelining` with the GETs and SETs of the workload file, and shares nothing with the runner but that file. No latency
/// is recorded. Prints {"event":"ready"} when warm, waits for a line, measures, and prints what it did.
/// </summary>
internal static class Program
{
    private const int ThreadPoolMinimum = 64;

    private static void Main()
    {
        using var document = JsonDocument.Parse(Console.In.ReadLine() ?? "null");
        var trial = document.RootElement;
        ThreadPool.SetMinThreads(ThreadPoolMinimum, ThreadPoolMinimum);
        using var multiplexer = ConnectionMultiplexer.Connect(OptionsOf(trial.GetProperty("target")));
        var commands = Commands.Read(trial.GetProperty("workload"));
        var loop = LoopFor(trial, new Loops(multiplexer.GetDatabase(), commands));
        loop(trial.GetProperty("warmup_s").GetDouble());
        GC.Collect();
        Console.WriteLine("""{"event":"ready"}""");
        Console.In.ReadLine();

        var cpu = Environment.CpuUsage.TotalTime;
        var begin = Stopwatch.GetTimestamp();
        var operations = loop(trial.GetProperty("measure_s").GetDouble());
        var elapsed = Stopwatch.GetElapsedTime(begin);
        var used = Environment.CpuUsage.TotalTime - cpu;
        Console.WriteLine(string.Create(
            CultureInfo.InvariantCulture,
            $$"""{"operations": {{operations}}, "elapsed_ns": {{elapsed.Ticks * 100}}, "cpu_ns": {{used.Ticks * 100}}}"""));
    }

    private static Func<double, long> LoopFor(JsonElement trial, Loops loops)
    {
        var shape = trial.GetProperty("shape");
        return trial.GetProperty("scenario").GetString() switch
        {
            "sync" => loops.Sync,
            "threads" => seconds => loops.Threads(seconds, Number(shape, "threads")),
            "batching" => seconds => loops.BatchingAsync(seconds, Number(shape, "depth")).GetAwaiter().GetResult(),
            "pipelining" when shape.GetProperty("window").ValueEquals("burst") =>
                seconds => loops.BurstAsync(seconds, Number(shape, "depth")).GetAwaiter().GetResult(),
            var scenario => throw new NotSupportedException(
                $"there is no bare loop for {scenario}: use sync, threads, batching or pipelining in bursts"),
        };
    }

    private static int Number(JsonElement shape, string name) => shape.GetProperty(name).GetInt32();

    private static ConfigurationOptions OptionsOf(JsonElement target) => new()
    {
        EndPoints = { { target.GetProperty("host").GetString()!, target.GetProperty("port").GetInt32() } },
        Password = target.GetProperty("password").GetString(),
    };
}
