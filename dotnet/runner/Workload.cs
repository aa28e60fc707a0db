using System.Globalization;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using System.Text.Json;

namespace Respmark;

/// <summary>The first line of a workload file.</summary>
internal sealed record Header(int Commands, int KeyBytes, int[] Values, Kind[] Kinds, int[][] Steps);

/// <summary>A kind of command; an argument is <c>"key"</c>, <c>"value"</c> or <c>{"text": …}</c>.</summary>
internal sealed record Kind(string Name, JsonElement[] Arguments)
{
    public int Keys { get; } = Arguments.Count(argument => argument.ValueEquals("key"u8));

    public string[] Texts { get; } =
    [
        .. Arguments.Where(argument => argument.ValueKind == JsonValueKind.Object)
            .Select(argument => argument.GetProperty("text").GetString()!),
    ];
}

/// <summary>What an adapter binds a command to besides its key: the texts as they stand, numbers of the workload's values.</summary>
/// <param name="Keys">Where the kind has several: the keys of this command. Such a command is bound for itself.</param>
/// <param name="Values">For each value, its number.</param>
/// <param name="Texts">The arguments that are the same in every command of the kind.</param>
internal readonly record struct Arguments(string[] Keys, int[] Values, string[] Texts)
{
    /// <summary>The number of the first value; 0 if there is none.</summary>
    public int Value => Values.FirstOrDefault();

    /// <summary>A text that is a number; 0 if there is none.</summary>
    public double Number(int index) => index < Texts.Length ? double.Parse(Texts[index], CultureInfo.InvariantCulture) : 0;
}

/// <summary>One command: its key, and the step that it shares with all others that differ in nothing else.</summary>
internal readonly record struct Command<TStep>(TStep Step, string Key);

/// <summary>A workload file: one line of JSON, then the columns of steps, keys and values.</summary>
internal sealed class Workload
{
    private readonly byte[] _content;
    private readonly Header _header;
    private readonly int _begin;

    public Workload(byte[] content)
    {
        _content = content;
        _begin = content.AsSpan().IndexOf((byte)'\n') + 1;
        _header = JsonSerializer.Deserialize(content.AsSpan(0, _begin), Lines.Default.Header)!;
        var at = content.Length - _header.Values.Sum();
        Values = Array.ConvertAll(_header.Values, size => content[at..(at += size)]);
    }

    /// <summary>The distinct values.</summary>
    public byte[][] Values { get; }

    /// <summary>Makes every command, the keys in memory in the order in which they are walked.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public Command<TStep>[] Bind<TStep>(Func<string, Arguments, TStep> bind)
        where TStep : class
    {
        var numbers = MemoryMarshal.Cast<byte, ushort>(_content.AsSpan(_begin, _header.Commands * sizeof(ushort)));
        var keys = _content.AsSpan(_begin + (_header.Commands * sizeof(ushort)));
        var shared = new TStep?[_header.Steps.Length];
        var commands = new Command<TStep>[_header.Commands];
        for (var index = 0; index < commands.Length; index++)
        {
            var step = _header.Steps[numbers[index]];
            var kind = _header.Kinds[step[0]];
            var names = new string[kind.Keys];
            for (var key = 0; key < names.Length; key++)
            {
                names[key] = Encoding.ASCII.GetString(keys[.._header.KeyBytes]);
                keys = keys[_header.KeyBytes..];
            }

            commands[index] = names.Length > 1
                ? new(bind(kind.Name, new Arguments(names, step[1..], kind.Texts)), names[0])
                : new(shared[numbers[index]] ??= bind(kind.Name, new Arguments([], step[1..], kind.Texts)), names.FirstOrDefault(""));
        }

        return commands;
    }
}
