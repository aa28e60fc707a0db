using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Net.Sockets;
using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Tests.Support;

/// <summary>A server of its own, on a free port, with the golden workload's keys; ended with the test.</summary>
public sealed class Server : IDisposable
{
    private const int Attempts = 5;

    /// <summary>For a busy machine; the runner's own limits are as installed.</summary>
    private const int PatienceMs = 30_000;

    private readonly Process _process;
    private readonly DirectoryInfo _folder;

    private Server(int port, Process process, DirectoryInfo folder, ConnectionMultiplexer control) =>
        (Port, _process, _folder, Control) = (port, process, folder, control);

    public Server()
    {
        // The tests themselves block threads of the pool, which the library needs for its replies.
        ThreadPool.SetMinThreads(64, 64);
        var started = Start();
        (Port, _process, _folder, Control) = (started.Port, started._process, started._folder, started.Control);
        Preload();
    }

    public int Port { get; }

    private ConnectionMultiplexer Control { get; }

    public RedisResult Command(string name, params object[] arguments) => Control.GetDatabase().Execute(name, arguments);

    /// <summary>How often each command was called since the counters were reset.</summary>
    public Dictionary<string, long> Calls() => Command("INFO", "commandstats").ToString()!.Split("\r\n")
        .Where(line => line.StartsWith("cmdstat_", StringComparison.Ordinal))
        .Select(line => line["cmdstat_".Length..].Split(":calls=", 2))
        .ToDictionary(
            parts => parts[0],
            parts => long.Parse(parts[1].Split(',')[0], CultureInfo.InvariantCulture),
            StringComparer.Ordinal);

    /// <summary>Connections received since the counters were reset, and those that are open.</summary>
    public (long Received, long Open) Connections() =>
        (Figure("stats", "total_connections_received"), Figure("clients", "connected_clients"));

    /// <summary>Returns when it has seen some more GETs than now: its own questions are none.</summary>
    public void AwaitWork()
    {
        const int some = 10;
        var from = Gets();
        Assert.True(SpinWait.SpinUntil(() => Gets() >= from + some, TimeSpan.FromMilliseconds(PatienceMs)));

        long Gets() => Calls().GetValueOrDefault("get");
    }

    /// <summary>Writes what the golden workload of commands works on: five keys each of lists, hashes, sets and so on.</summary>
    public void PreloadStructures()
    {
        var workload = WorkloadFile.Read(Golden.Commands);
        var database = Control.GetDatabase();
        for (var number = 0u; number < workload.Header.PreloadKeys; number++)
        {
            RedisKey key = workload.Key(number);
            RedisValue[] values = [.. Enumerable.Range(4, 61).Select(size => (RedisValue)workload.Value(number, size))];
            database.KeyDelete(key);
            switch (number / 5)
            {
                case 0:
                    database.ListRightPush(key, values[..8]);
                    break;
                case 1:
                    database.HashSet(key, [.. values[..4].Select((value, field) => new HashEntry(field, value))]);
                    break;
                case 2:
                    database.SetAdd(key, values);
                    break;
                case 3:
                    database.SortedSetAdd(key, [.. values.Select(value => new SortedSetEntry(value, 1.5))]);
                    break;
                case 4:
                    database.StringSet(key, 0);
                    break;
                default:
                    database.StringSet(key, values[^1]);
                    break;
            }
        }
    }

    /// <summary>Ends it at once, as a crash would.</summary>
    public void Kill()
    {
        if (!_process.HasExited)
        {
            _process.Kill();
            Assert.True(_process.WaitForExit(TimeSpan.FromSeconds(10)));
        }
    }

    /// <summary>Stops it from answering, without closing anything.</summary>
    public void Freeze()
    {
        using var kill = Process.Start("kill", ["-STOP", _process.Id.ToString(CultureInfo.InvariantCulture)]);
        Assert.True(kill.WaitForExit(TimeSpan.FromSeconds(10)));
    }

    public void Dispose()
    {
        Kill();
        Control.Close(allowCommandsToComplete: false);
        Control.Dispose();
        _process.Dispose();
        _folder.Delete(recursive: true);
    }

    /// <summary>A port of the loopback on which nothing listens.</summary>
    public static int FreePort()
    {
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    private long Figure(string section, string name) => Command("INFO", section).ToString()!.Split("\r\n")
        .Where(line => line.StartsWith($"{name}:", StringComparison.Ordinal))
        .Select(line => long.Parse(line[(name.Length + 1)..], CultureInfo.InvariantCulture))
        .Single();

    /// <summary>Another port is tried where somebody took the first one meanwhile.</summary>
    private static Server Start()
    {
        for (var attempt = 1; ; attempt++)
        {
            var port = FreePort();
            var folder = Directory.CreateTempSubdirectory("respmark-dotnet-");
            var process = Process.Start(StartInfo(port, folder))!;
            if (IsUp(process, port))
            {
                var options = new ConfigurationOptions
                {
                    EndPoints = { { "127.0.0.1", port } },
                    TieBreaker = string.Empty,
                    AllowAdmin = true,
                    SyncTimeout = PatienceMs,
                    ConnectTimeout = PatienceMs,
                };
                return new Server(port, process, folder, ConnectionMultiplexer.Connect(options));
            }

            process.Kill();
            folder.Delete(recursive: true);
            Assert.True(attempt < Attempts, "no server can be started");
        }
    }

    private static ProcessStartInfo StartInfo(int port, DirectoryInfo folder)
    {
        var program = Environment.GetEnvironmentVariable("RESPMARK_SERVER") ?? "redis-server";
        string[] words =
        [
            "--port", port.ToString(CultureInfo.InvariantCulture), "--bind", "127.0.0.1", "--save", string.Empty,
            "--dir", folder.FullName,
        ];
        return new ProcessStartInfo(program, words) { RedirectStandardOutput = true };
    }

    private static bool IsUp(Process process, int port)
    {
        var deadline = DateTime.UtcNow + TimeSpan.FromSeconds(10);
        while (!process.HasExited && DateTime.UtcNow < deadline)
        {
            try
            {
                using var client = new TcpClient("127.0.0.1", port);
                return !process.HasExited;
            }
            catch (SocketException)
            {
                Thread.Sleep(20);
            }
        }

        return false;
    }

    private void Preload()
    {
        var workload = WorkloadFile.Read(Golden.Workload);
        for (var key = 0u; key < workload.Header.PreloadKeys; key++)
        {
            Control.GetDatabase().StringSet(workload.Key(key), workload.Value(key, workload.Header.ValueSizeMax));
        }
    }
}
