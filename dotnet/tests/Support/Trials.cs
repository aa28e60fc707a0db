using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;
using System.Text.Json.Nodes;

namespace Respmark.Tests.Support;

/// <summary>Trials of a small workload: GET of the keys k00 to k99, every tenth of them SET in its place.</summary>
internal static class Trials
{
    public const int Commands = 100;

    private const string Header =
        """
        {"commands": 100, "key_bytes": 3, "values": [3, 2],
         "kinds": [{"name": "GET", "arguments": ["key"]}, {"name": "SET", "arguments": ["key", "value"]}],
         "steps": [[0], [1, 1]]}
        """;

    private static readonly string s_folder = Folder();

    public static string Key(int index) => $"k{index % Commands:D2}";

    public static Trial Of(string scenario, Shape? shape = null) => new(
        "fake", "Fake", new Dictionary<string, JsonElement>(StringComparer.Ordinal), scenario, shape ?? new Shape(),
        File(), Samples: 1 << 16, new Server("127.0.0.1", 1, null, 0, null, null, null));

    /// <summary>Writes a workload file; every command takes one byte of steps, and the keys follow.</summary>
    public static string File(string? header = null, byte[]? steps = null, string? keys = null, string values = "onetw")
    {
        var path = NewFile("test.workload");
        steps ??= [.. Enumerable.Range(0, Commands).Select(index => (byte)(index % 10 == 0 ? 1 : 0))];
        keys ??= string.Concat(Enumerable.Range(0, Commands).Select(Key));
        System.IO.File.WriteAllBytes(path,
        [
            .. Encoding.ASCII.GetBytes((header ?? Header).ReplaceLineEndings(string.Empty) + "\n"),
            .. steps.SelectMany(step => BitConverter.GetBytes((ushort)step)),
            .. Encoding.ASCII.GetBytes(keys + values),
        ]);
        return path;
    }

    /// <summary>An order of units that are due so many nanoseconds after now.</summary>
    public static GoOn GoOn(int[] first, long until, params long[] due)
    {
        var file = NewFile("test.due");
        System.IO.File.WriteAllBytes(file, MemoryMarshal.AsBytes<long>(due));
        return new(first, new Due(file, Clock.Now), NewFile("test.log"), NewFile("enough"), until);
    }

    public static JsonObject[] LogOf(GoOn order) => !System.IO.File.Exists(order.Log) ? [] :
        [.. System.IO.File.ReadAllLines(order.Log).Select(line => JsonNode.Parse(line)!.AsObject())];

    /// <summary>The units whose lines have a field, in the log's order.</summary>
    public static IEnumerable<int> Units(JsonObject[] log, string field) =>
        log.Where(line => line.ContainsKey(field)).Select(line => (int)line["unit"]!);

    /// <summary>Returns the path of a file that does not exist; it is removed when the tests end.</summary>
    public static string NewFile(string name) => Path.Combine(s_folder, $"{Guid.NewGuid():N}-{name}");

    private static string Folder()
    {
        var folder = Directory.CreateTempSubdirectory("respmark-");
        AppDomain.CurrentDomain.ProcessExit += (_, _) => folder.Delete(recursive: true);
        return folder.FullName;
    }
}
