using System.Globalization;
using System.Text.Json;

namespace Respmark.Contract;

/// <summary>A JSON object whose fields are all known, and where it is.</summary>
internal sealed class Fields
{
    private const int LongestShown = 60;

    private readonly JsonElement _value;
    private readonly string _path;

    private Fields(JsonElement value, string path) => (_value, _path) = (value, path);

    /// <summary>Takes an object that has no fields other than <paramref name="allowed"/>; null: any.</summary>
    public static Fields Of(JsonElement value, string path, IReadOnlyCollection<string>? allowed)
    {
        if (value.ValueKind != JsonValueKind.Object)
        {
            throw new InvalidInputException($"{path} must be a JSON object, not {Shown(value)}");
        }

        var unknown = value.EnumerateObject().Select(member => member.Name)
            .FirstOrDefault(name => allowed?.Contains(name, StringComparer.Ordinal) == false);
        return unknown is null
            ? new Fields(value, path)
            : throw new InvalidInputException(
                $"{path} has no field {Quoted(unknown)}: its fields are {string.Join(", ", allowed!)}");
    }

    /// <summary>
    /// Parses a line of JSON. The parser's own message repeats the input, which may hold a password, so it is left out.
    /// </summary>
    public static JsonDocument Document(ReadOnlyMemory<byte> line, string complaint)
    {
        try
        {
            return JsonDocument.Parse(line);
        }
        catch (JsonException)
        {
            throw new InvalidInputException(complaint);
        }
    }

    /// <summary>The names of all fields.</summary>
    public IEnumerable<string> Names => _value.EnumerateObject().Select(member => member.Name);

    /// <summary>Where a field is.</summary>
    public string At(string name) => $"{_path}.{name}";

    /// <summary>Whether the field is present and not null.</summary>
    public bool Has(string name) => Find(name) is { ValueKind: not JsonValueKind.Null };

    public JsonElement Required(string name) =>
        Find(name) ?? throw new InvalidInputException($"{At(name)} is missing");

    public Fields Object(string name, IReadOnlyCollection<string>? allowed) => Of(Required(name), At(name), allowed);

    public IEnumerable<JsonElement> List(string name) => Required(name) is { ValueKind: JsonValueKind.Array } list
        ? list.EnumerateArray()
        : throw Wrong(name, "a list");

    /// <summary>Text that is not empty.</summary>
    public string Text(string name) =>
        Required(name) is { ValueKind: JsonValueKind.String } value && value.GetString() is { Length: > 0 } text
            ? text
            : throw Wrong(name, "a text that is not empty");

    /// <summary>Text that may be empty, null or absent.</summary>
    public string? OptionalText(string name) => Find(name) switch
    {
        null or { ValueKind: JsonValueKind.Null } => null,
        { ValueKind: JsonValueKind.String } value => value.GetString(),
        _ => throw Wrong(name, "a text or null"),
    };

    public int Integer(string name, int least, int most = int.MaxValue)
    {
        var number = Long(name, least, most);
        return (int)number;
    }

    public long Long(string name, long least, long most = long.MaxValue)
    {
        var value = Required(name);
        var isWithin = value.ValueKind == JsonValueKind.Number && value.TryGetInt64(out var number)
            && number >= least && number <= most;
        return isWithin ? value.GetInt64() : throw Wrong(name, $"an integer{Range(least, most)}");
    }

    /// <summary>An integer within bounds; absent: <paramref name="fallback"/>.</summary>
    public int IntegerOr(string name, int fallback, int least, int most = int.MaxValue) =>
        Find(name) is null ? fallback : Integer(name, least, most);

    public long LongOr(string name, long fallback, long least) => Find(name) is null ? fallback : Long(name, least);

    /// <summary>An integer within bounds, or null if it is null or absent.</summary>
    public int? OptionalInteger(string name, int least) => Has(name) ? Integer(name, least) : null;

    /// <summary>True or false; absent: <paramref name="fallback"/>, if there is one.</summary>
    public bool Flag(string name, bool? fallback) => Find(name)?.ValueKind switch
    {
        null when fallback is { } flag => flag,
        JsonValueKind.True => true,
        JsonValueKind.False => false,
        _ => throw Wrong(name, "true or false"),
    };

    /// <summary>What one of the allowed words stands for.</summary>
    public T OneOf<T>(string name, IReadOnlyDictionary<string, T> words) =>
        Required(name) is { ValueKind: JsonValueKind.String } value && words.TryGetValue(value.GetString()!, out var found)
            ? found
            : throw Wrong(name, $"one of {string.Join(", ", words.Keys)}");

    /// <summary>Refuses any version of the format but this runner's.</summary>
    public void CheckSchemaVersion()
    {
        var version = Integer("schema_version", 1);
        if (version != Words.SchemaVersion)
        {
            throw new InvalidInputException(
                $"{At("schema_version")} is {version}, and this runner speaks {Words.SchemaVersion}: "
                + $"update the {(version > Words.SchemaVersion ? "runner" : "harness, or make the file again")}");
        }
    }

    /// <summary>The complaint about one field: what it must be and what it is.</summary>
    public InvalidInputException Wrong(string name, string expected) =>
        new($"{At(name)} must be {expected}, not {(Find(name) is { } value ? Shown(value) : "absent")}");

    private static string Range(long least, long most) => (least, most) switch
    {
        (_, < int.MaxValue) => string.Create(CultureInfo.InvariantCulture, $" from {least} to {most}"),
        _ => string.Create(CultureInfo.InvariantCulture, $", {least} or more"),
    };

    private static string Shown(JsonElement value)
    {
        var json = value.GetRawText();
        return json.Length > LongestShown ? $"{json[..LongestShown]}…" : json;
    }

    private static string Quoted(string text) => $"\"{text}\"";

    private JsonElement? Find(string name) => _value.TryGetProperty(name, out var value) ? value : null;
}
