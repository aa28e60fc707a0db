using System.Text.Json;
using Respmark.Contract;

namespace Respmark.Workload;

/// <summary>What a word of a command is made of.</summary>
internal enum ArgumentKind
{
    Key,
    Value,
    Literal,
}

/// <summary>One word of a command; a key's or value's offset is added to the number of the command's key.</summary>
internal sealed record Argument(ArgumentKind Kind, string Text, uint Offset = 0);

/// <summary>One kind of command; a column of the file holds its index.</summary>
internal sealed record CommandKind(string Name, IReadOnlyList<Argument> Arguments);

/// <summary>Where a column is in the file, in bytes.</summary>
internal readonly record struct Section(int Offset, int Length);

/// <summary>The JSON header of a workload file.</summary>
internal sealed record Header
{
    private static readonly string[] FieldNames =
    [
        "schema_version", "name", "seed", "commands", "preload_keys", "key_prefix", "key_digits", "value_multiplier",
        "value_modulus_bits", "value_size_min", "value_size_max", "hash_fields", "mix", "kinds", "keys", "sizes", "block",
    ];

    private static readonly Dictionary<string, ArgumentKind> ArgumentKinds = new(StringComparer.Ordinal)
    {
        ["key"] = ArgumentKind.Key,
        ["value"] = ArgumentKind.Value,
        ["literal"] = ArgumentKind.Literal,
    };

    /// <summary>Rows in the columns.</summary>
    public required int Commands { get; init; }

    /// <summary>Keys from this number on do not exist.</summary>
    public required long PreloadKeys { get; init; }

    public required string KeyPrefix { get; init; }

    public required int KeyDigits { get; init; }

    public required long ValueMultiplier { get; init; }

    public required int ValueModulusBits { get; init; }

    public required int ValueSizeMin { get; init; }

    public required int ValueSizeMax { get; init; }

    /// <summary>Fields of each preloaded hash.</summary>
    public required int HashFields { get; init; }

    public required IReadOnlyList<CommandKind> Mix { get; init; }

    public required Section Kinds { get; init; }

    public required Section Keys { get; init; }

    public required Section Sizes { get; init; }

    public required Section Block { get; init; }

    /// <summary>Parses the header of a workload file.</summary>
    public static Header Parse(JsonElement json)
    {
        var fields = Fields.Of(json, "workload header", FieldNames);
        fields.CheckSchemaVersion();
        return new Header
        {
            Commands = fields.Integer("commands", least: 1),
            PreloadKeys = fields.Long("preload_keys", least: 1),
            KeyPrefix = fields.OptionalText("key_prefix") ?? string.Empty,
            KeyDigits = fields.Integer("key_digits", least: 1),
            ValueMultiplier = fields.Long("value_multiplier", least: 1),
            ValueModulusBits = fields.Integer("value_modulus_bits", least: 1, most: 62),
            ValueSizeMin = fields.Integer("value_size_min", least: 1),
            ValueSizeMax = fields.Integer("value_size_max", least: 1),
            HashFields = fields.Integer("hash_fields", least: 1),
            Mix = [.. fields.List("mix").Select((kind, index) => Kind(kind, $"{fields.At("mix")}[{index}]"))],
            Kinds = SectionOf(fields, "kinds"),
            Keys = SectionOf(fields, "keys"),
            Sizes = SectionOf(fields, "sizes"),
            Block = SectionOf(fields, "block"),
        };
    }

    private static Section SectionOf(Fields fields, string name)
    {
        var section = fields.Object(name, ["offset", "length"]);
        return new Section(section.Integer("offset", least: 0), section.Integer("length", least: 0));
    }

    private static CommandKind Kind(JsonElement json, string path)
    {
        var fields = Fields.Of(json, path, ["name", "arguments"]);
        var arguments = fields.List("arguments").Select((argument, index) =>
            ArgumentOf(argument, $"{fields.At("arguments")}[{index}]"));
        return new CommandKind(fields.Text("name"), [.. arguments]);
    }

    private static Argument ArgumentOf(JsonElement json, string path)
    {
        var fields = Fields.Of(json, path, ["kind", "text", "offset"]);
        return new Argument(
            fields.OneOf("kind", ArgumentKinds),
            fields.OptionalText("text") ?? string.Empty,
            (uint)(fields.OptionalInteger("offset", least: 0) ?? 0));
    }
}
