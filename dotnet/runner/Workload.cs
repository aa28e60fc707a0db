using System.Text;

namespace Respmark;

/// <summary>The first line of a workload file.</summary>
internal sealed record Header(int Commands, int KeyBytes, int[] Values, Kind[] Kinds, int[][] Steps);

/// <summary>A kind of command; an argument is <c>"key"</c>, <c>"value"</c> or <c>{"literal": …}</c>.</summary>
internal sealed record Kind(string Name, JsonElement[] Arguments)
{
    public int Keys { get; } = Arguments.Count(argument => argument.ToString() == "key");

    public double[] Numbers { get; } =
    [
        .. Arguments.Where(argument => argument.ValueKind == JsonValueKind.Object)
            .Select(argument => argument.GetProperty("literal"))
            .Select(literal => literal.ValueKind == JsonValueKind.Number ? literal.GetDouble() : 0),
    ];

    public string[] Texts { get; } =
    [
        .. Arguments.Where(argument => argument.ValueKind == JsonValueKind.Object)
            .Select(argument => argument.GetProperty("literal").ToString()),
    ];
}

/// <summary>What an adapter binds a command to.</summary>
/// <param name="Keys">Its keys, if it has several: then it is bound for itself. A single one is given later.</param>
/// <param name="Values">The number of each of its values.</param>
/// <param name="Numbers">Its other arguments, 0 where they are text.</param>
/// <param name="Texts">The same as text.</param>
internal readonly record struct Arguments(string[] Keys, int[] Values, double[] Numbers, string[] Texts);

/// <summary>One command: its key, and the step that it shares with all others that differ in nothing else.</summary>
internal readonly record struct Command<TStep>(TStep Step, string Key);

/// <summary>A workload file: a line of JSON, then the columns of steps, keys and values.</summary>
internal sealed class Workload
{
    private readonly (string Path, int Begin) _steps;
    private readonly Header _header;

    public Workload(string path)
    {
        var line = File.ReadLines(path).First();
        _steps = (path, line.Length + 1);
        _header = JsonSerializer.Deserialize(line, Lines.Default.Header)!;
        using var file = File.OpenRead(path);
        file.Position = file.Length - _header.Values.Sum();
        Values = Array.ConvertAll(_header.Values, size => Bytes(file, size));
    }

    /// <summary>The distinct values.</summary>
    public byte[][] Values { get; }

    /// <summary>Makes every command, the keys in memory in the order in which they are walked.</summary>
    public Command<TStep>[] Bind<TStep>(Func<string, Arguments, TStep> bind)
        where TStep : class
    {
        using var file = File.OpenRead(_steps.Path);
        file.Position = _steps.Begin;
        var numbers = MemoryMarshal.Cast<byte, ushort>(Bytes(file, _header.Commands * sizeof(ushort)));
        var steps = new TStep?[_header.Steps.Length];
        var commands = new Command<TStep>[_header.Commands];
        var (key, only) = (new byte[_header.KeyBytes], new[] { string.Empty });
        for (var index = 0; index < commands.Length; index++)
        {
            var fields = _header.Steps[numbers[index]];
            var kind = _header.Kinds[fields[0]];
            var keys = kind.Keys > 1 ? new string[kind.Keys] : only;
            for (var place = 0; place < kind.Keys; place++)
            {
                file.ReadExactly(key);
                keys[place] = Encoding.ASCII.GetString(key);
            }

            ref var step = ref steps[numbers[index]];
            if (step is null || keys.Length > 1)
            {
                step = bind(kind.Name, new Arguments(keys, fields[1..], kind.Numbers, kind.Texts));
            }

            commands[index] = new(step, keys[0]);
        }

        return commands;
    }

    private static byte[] Bytes(FileStream file, int size)
    {
        var bytes = new byte[size];
        file.ReadExactly(bytes);
        return bytes;
    }
}
