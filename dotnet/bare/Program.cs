using System.Diagnostics;
using System.Globalization;
using StackExchange.Redis;

namespace Respmark.Bare;

/// <summary>
/// The bare loops that the runner is compared with: what a user would write by hand with StackExchange.Redis, no more.
/// They share nothing with the runner but the workload file, whose GETs and SETs they perform; no latency is recorded.
/// <code>
/// --host H --port P --workload FILE --scenario sync|threads|pipelining|batching [--depth D] [--threads N]
/// </code>
/// Prints <c>ready</c> when connected and warm, and answers each line <c>SECONDS FIRST_COMMAND</c> with
/// <c>OPERATIONS ELAPSED_NS CPU_NS</c>, until its input ends. Pipelining is in bursts.
/// </summary>
internal static class Program
{
    private const double WarmUpSeconds = 2;

    private static void Main(string[] words)
    {
        var options = words.Chunk(2).ToDictionary(pair => pair[0], pair => pair[1], StringComparer.Ordinal);
        int Number(string name) => int.Parse(options.GetValueOrDefault(name, "1"), CultureInfo.InvariantCulture);
        var commands = Commands.Read(options["--workload"]);
        using var multiplexer = ConnectionMultiplexer.Connect(
            new ConfigurationOptions { EndPoints = { { options["--host"], Number("--port") } } });
        var loops = new Loops(multiplexer.GetDatabase(), commands);
        var (depth, threads) = (Number("--depth"), Number("--threads"));
        Func<double, int, long> loop = options["--scenario"] switch
        {
            "sync" => loops.Sync,
            "threads" => (seconds, first) => loops.Threads(seconds, first, threads),
            "batching" => (seconds, first) => loops.BatchingAsync(seconds, first, depth).GetAwaiter().GetResult(),
            "pipelining" => (seconds, first) => loops.BurstAsync(seconds, first, depth).GetAwaiter().GetResult(),
            var scenario => throw new NotSupportedException(
                $"there is no bare loop for {scenario}: use sync, threads, batching or pipelining"),
        };
        loop(WarmUpSeconds, 0);
        GC.Collect();
        Console.WriteLine("ready");
        while (Console.ReadLine()?.Split(' ') is [var seconds, var first])
        {
            Console.WriteLine(Measured(
                loop, double.Parse(seconds, CultureInfo.InvariantCulture), int.Parse(first, CultureInfo.InvariantCulture)));
        }
    }

    /// <summary>Performs the loop once; CPU is that of the whole process.</summary>
    private static string Measured(Func<double, int, long> loop, double seconds, int first)
    {
        var cpu = Environment.CpuUsage.TotalTime;
        var begin = Stopwatch.GetTimestamp();
        var operations = loop(seconds, first);
        var elapsed = Stopwatch.GetElapsedTime(begin);
        var used = Environment.CpuUsage.TotalTime - cpu;
        return string.Create(
            CultureInfo.InvariantCulture,
            $"{operations} {elapsed.Ticks * TimeSpan.NanosecondsPerTick} {used.Ticks * TimeSpan.NanosecondsPerTick}");
    }
}
