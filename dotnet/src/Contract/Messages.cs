using System.Buffers;
using System.Text.Encodings.Web;
using System.Text.Json;

namespace Respmark.Contract;

/// <summary>Writes each message of the runner as one line of JSON.</summary>
internal static class Messages
{
    private static readonly JsonWriterOptions Options = new() { Encoder = JavaScriptEncoder.UnsafeRelaxedJsonEscaping };

    public static ReadOnlyMemory<byte> Line(LoadedEvent loaded) => Line(json =>
    {
        json.WriteString("event", "loaded");
        json.WriteNumber("schema_version", Words.SchemaVersion);
        json.WriteString("trial_id", loaded.TrialId);
        json.WriteNumber("startup_ns", loaded.StartupNs);
    });

    public static ReadOnlyMemory<byte> Line(ReadyEvent ready) => Line(json =>
    {
        json.WriteString("event", "ready");
        json.WriteString("trial_id", ready.TrialId);
        json.WriteNumber("connect_ns", ready.ConnectNs);
        json.WriteNumber("verified_replies", ready.VerifiedReplies);
    });

    public static ReadOnlyMemory<byte> Line(SliceEvent slice) => Line(json =>
    {
        json.WriteString("event", "slice");
        json.WriteString("trial_id", slice.TrialId);
        json.WriteNumber("slice", slice.Slice);
        WriteMoment(json, "started", slice.Started);
        WriteMoment(json, "measured_from", slice.MeasuredFrom);
        WriteMoment(json, "ended", slice.Ended);
        WriteWork(json, "lead_in", slice.LeadIn);
        WriteWork(json, "measured", slice.Measured);
        WriteSegments(json, slice.Segments);
        WriteMap(json, "errors", slice.Errors);
        json.WriteString("first_error", slice.FirstError);
        json.WriteNull("local_cache");
    });

    public static ReadOnlyMemory<byte> Line(ResultEvent result) => Line(json =>
    {
        json.WriteString("event", "result");
        json.WriteNumber("schema_version", Words.SchemaVersion);
        json.WriteString("trial_id", result.TrialId);
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

    private static void WriteMoment(Utf8JsonWriter json, string name, Moment moment)
    {
        json.WriteStartObject(name);
        json.WriteNumber("at_ns", moment.AtNs);
        json.WriteNumber("cpu_user_ns", moment.CpuUserNs);
        json.WriteNumber("cpu_system_ns", moment.CpuSystemNs);
        json.WriteEndObject();
    }

    private static void WriteWork(Utf8JsonWriter json, string name, Work work)
    {
        json.WriteStartObject(name);
        json.WriteNumber("operations", work.Operations);
        json.WriteNumber("units", work.Units);
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
        json.WriteNumber("protocol", client.Protocol);
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
        WriteList(json, "differences", client.Differences, WriteDifference);
        json.WriteEndObject();
    }

    private static void WriteDifference(Utf8JsonWriter json, Difference difference)
    {
        json.WriteStartObject();
        json.WriteString("setting", difference.Setting);
        json.WriteString("plain", difference.Plain);
        json.WriteString("ours", difference.Ours);
        json.WriteString("why", difference.Why);
        WriteList(json, "scenarios", difference.Scenarios, (writer, scenario) =>
            writer.WriteStringValue(Words.Of(Words.Scenarios, scenario)));
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
