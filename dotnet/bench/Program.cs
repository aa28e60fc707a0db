using System.CommandLine;
using BenchmarkDotNet.Columns;
using BenchmarkDotNet.Configs;
using BenchmarkDotNet.Diagnosers;
using BenchmarkDotNet.Exporters.Json;
using BenchmarkDotNet.Filters;
using BenchmarkDotNet.Jobs;
using BenchmarkDotNet.Loggers;
using BenchmarkDotNet.Running;
using BenchmarkDotNet.Toolchains.InProcess.Emit;

namespace Respmark.Bench;

/// <summary>Runs the benchmarks against a server that the caller started.</summary>
internal static class Program
{
    private static readonly Dictionary<string, Job> Jobs = new(StringComparer.Ordinal)
    {
        ["short"] = Job.ShortRun,
        ["medium"] = Job.MediumRun,
        ["long"] = Job.LongRun,
    };

    private static int Main(string[] arguments)
    {
        var port = new Option<int>("--port") { Description = "the server's port", Required = true };
        var host = new Option<string>("--host")
        {
            Description = "the server's host",
            DefaultValueFactory = _ => "127.0.0.1",
        };
        var passwordFile = new Option<FileInfo?>("--password-file")
        {
            Description = "holds the server's password: among the arguments, whoever lists processes would see it",
        };
        var job = new Option<string>("--job")
        {
            Description = "how long to measure",
            DefaultValueFactory = _ => "short",
        };
        job.AcceptOnlyFromAmong([.. Jobs.Keys]);
        var folder = new Option<DirectoryInfo>("--out")
        {
            Description = "where the export goes",
            DefaultValueFactory = _ => new DirectoryInfo("."),
        };
        var filter = new Option<string>("--filter")
        {
            Description = "which benchmarks, as *.Batching.*",
            DefaultValueFactory = _ => "*",
        };
        var command = new RootCommand("Micro-benchmarks of StackExchange.Redis: time and bytes of one operation.")
        {
            port, host, passwordFile, job, folder, filter,
        };
        command.SetAction(parsed =>
        {
            // The export does not say which version was measured.
            Console.WriteLine($"respmark.library.stackexchange-redis={Server.LibraryVersion}");
            Server.Address = (parsed.GetRequiredValue(host), parsed.GetRequiredValue(port));
            Server.Password = parsed.GetValue(passwordFile) is { } file ? File.ReadAllText(file.FullName) : null;
            var configuration = Configuration(Jobs[parsed.GetRequiredValue(job)], parsed.GetRequiredValue(folder));
            return Run(configuration, parsed.GetRequiredValue(filter));
        });
        return command.Parse(arguments).Invoke();
    }

    private static int Run(IConfig configuration, string filter)
    {
        var summaries = BenchmarkRunner.Run(
            typeof(Program).Assembly, configuration.AddFilter(new GlobFilter([filter])));
        var reports = summaries.SelectMany(summary => summary.Reports).ToList();
        var errors = summaries.SelectMany(summary => summary.ValidationErrors).Where(error => error.IsCritical);
        if (reports.Count > 0 && reports.TrueForAll(report => report.Success) && !errors.Any())
        {
            return 0;
        }

        var failed = reports.Where(report => !report.Success).Select(report => report.BenchmarkCase.DisplayInfo);
        Console.Error.WriteLine(
            reports.Count == 0
                ? $"no benchmark was run: see what {filter} matches"
                : $"benchmarks failed: {string.Join(", ", failed)}: what they said stands above");
        return 1;
    }

    /// <summary>
    /// The benchmarks run in this process: what was built is what is measured, and nothing has to be restored or built
    /// again.
    /// </summary>
    private static ManualConfig Configuration(Job job, DirectoryInfo folder) => ManualConfig.CreateEmpty()
        .AddJob(job.WithToolchain(InProcessEmitToolchain.Instance))
        .AddDiagnoser(MemoryDiagnoser.Default)
        .AddColumnProvider(DefaultColumnProviders.Instance)
        .AddExporter(JsonExporter.Full)
        .AddLogger(ConsoleLogger.Default)
        .WithOptions(ConfigOptions.JoinSummary)
        .WithArtifactsPath(folder.FullName);
}
