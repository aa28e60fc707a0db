using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Respmark.Contract;

/// <summary>Writes what the runner says as one line of JSON.</summary>
internal static class Messages
{
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static ReadOnlyMemory<byte> Line(ReadyEvent ready) => Line(json =>
    {
        json.WriteString("event", "ready");
        json.WriteNumber("schema_version", Words.SchemaVersion);
        json.WriteString("trial_id", ready.TrialId);
        json.WriteNumber("startup_ns", ready.StartupNs);
        json.WriteNumber("verified_replies", ready.VerifiedReplies);
        json.WriteNumber("warmup_operations", ready.WarmupOperations);
    });

    public static ReadOnlyMemory<byte> Line(ProgressEvent progress) => Line(json =>
    {
        json.WriteString("event", "progress");
        json.WriteString("trial_id", progress.TrialId);
        json.WriteNumber("elapsed_ns", progress.ElapsedNs);
        json.WriteNumber("operations", progress.Operations);
    });

    public static ReadOnlyMemory<byte> Line(ResultEvent result) => Line(json =>
    {
        json.WriteString("event", "result");
        json.WriteNumber("schema_version", Words.SchemaVersion);
        json.WriteString("trial_id", result.TrialId);
        json.WriteNumber("operations", result.Operations);
        json.WriteNumber("units", result.Units);
        WriteSegments(json, result.Segments);
        WriteMap(json, "errors", result.Errors);
        json.WriteString("first_error", result.FirstError);
        json.WriteNumber("elapsed_ns", result.ElapsedNs);
        WriteHalf(json, result.FirstHalf);
        json.WriteNumber("cpu_user_ns", result.CpuUserNs);
        json.WriteNumber("cpu_system_ns", result.CpuSystemNs);
        WriteLatency(json, result.Latency);
        json.WriteNumber("peak_memory_bytes", result.PeakMemoryBytes);
        json.WriteString("decodes_to", result.DecodesTo);
        WriteMap(json, "runtime_health", result.RuntimeHealth);
        WriteMap(json, "runtime_settings", result.RuntimeSettings);
        WriteMap(json, "versions", result.Versions);
    });

    public static ReadOnlyMemory<byte> Line(Description description) => Line(json =>
    {
        json.WriteNumber("schema_version", Words.SchemaVersion);
        json.WriteString("runner", "dotnet");
        json.WriteString("runtime", ".NET");
        json.WriteString("runtime_version", description.RuntimeVersion);
        WriteList(json, "clients", description.Clients, WriteClient);
        WriteList(json, "missing", description.Missing, (writer, client) =>
        {
            writer.WriteStartObject();
            writer.WriteString("library", client.Library);
            writer.WriteString("reason", client.Reason);
            writer.WriteString("advice", client.Advice);
            writer.WriteEndObject();
        });
    });

    private static ReadOnlyMemory<byte> Line(Action<Utf8JsonWriter> fill)
    {
        var buffer = new ArrayBufferWriter<byte>();
        using (var json = new Utf8JsonWriter(buffer, Options))
        {
            json.WriteStartObject();
            fill(json);
            json.WriteEndObject();
        }

        buffer.Write("\n"u8);
        return buffer.WrittenMemory;
    }

    private static void WriteSegments(Utf8JsonWriter json, IReadOnlyList<Segment> segments) =>
        WriteList(json, "segments", segments, (writer, segment) =>
        {
            writer.WriteStartObject();
            writer.WriteNumber("first_command", segment.FirstCommand);
            writer.WriteNumber("operations", segment.Operations);
            writer.WriteEndObject();
        });

    private static void WriteHalf(Utf8JsonWriter json, FirstHalf? half)
    {
        if (half is null)
        {
            json.WriteNull("first_half");
            return;
        }

        json.WriteStartObject("first_half");
        json.WriteNumber("operations", half.Operations);
        json.WriteNumber("elapsed_ns", half.ElapsedNs);
        json.WriteEndObject();
    }

    private static void WriteLatency(Utf8JsonWriter json, Latency latency)
    {
        json.WriteStartObject("latency");
        json.WriteString("sample_covers", latency.SampleCovers);
        WriteList(json, "histogram", latency.Histogram, (writer, pair) =>
        {
            writer.WriteStartArray();
            writer.WriteNumberValue(pair.Value);
            writer.WriteNumberValue(pair.Count);
            writer.WriteEndArray();
        });
        json.WriteNumber("max_ns", latency.MaxNs);
        json.WriteEndObject();
    }

    private static void WriteClient(Utf8JsonWriter json, ClientDescription client)
    {
        json.WriteStartObject();
        json.WriteString("library", client.Library);
        json.WriteString("version", client.Version);
        json.WriteStartObject("options");
        foreach (var (name, values) in client.Options)
        {
            WriteList(json, name, values, WriteValue);
        }

        json.WriteEndObject();
        json.WriteStartObject("scenarios");
        foreach (var (scenario, support) in client.Scenarios)
        {
            json.WriteStartObject(Words.Of(Words.Scenarios, scenario));
            WriteList(json, "windows", support.Windows, (writer, window) =>
                writer.WriteStringValue(Words.Of(Words.Windows, window)));
            WriteList(json, "forms", support.Forms, (writer, form) =>
                writer.WriteStringValue(Words.Of(Words.Forms, form)));
            json.WriteEndObject();
        }

        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static void WriteList<T>(
        Utf8JsonWriter json, string name, IEnumerable<T> items, Action<Utf8JsonWriter, T> write)
    {
        json.WriteStartArray(name);
        foreach (var item in items)
        {
            write(json, item);
        }

        json.WriteEndArray();
    }

    private static void WriteMap<T>(Utf8JsonWriter json, string name, IReadOnlyDictionary<string, T> map)
        where T : notnull
    {
        json.WriteStartObject(name);
        foreach (var (key, value) in map)
        {
            json.WritePropertyName(key);
            WriteValue(json, value);
        }

        json.WriteEndObject();
    }

    private static void WriteValue(Utf8JsonWriter json, object value)
    {
        switch (value)
        {
            case string text:
                json.WriteStringValue(text);
                break;
            case bool flag:
                json.WriteBooleanValue(flag);
                break;
            case double number:
                json.WriteNumberValue(number);
                break;
            default:
                json.WriteNumberValue(Convert.ToInt64(value, System.Globalization.CultureInfo.InvariantCulture));
                break;
        }
    }
}
