using System.Text.Json;

namespace Respmark.Contract;

/// <summary>Parses the line that the harness wrote to standard input.</summary>
internal static class TrialParser
{
    private static readonly string[] TrialFields =
    [
        "schema_version", "trial_id", "client", "scenario", "shape", "workload", "target", "verify_commands",
    ];

    private static readonly string[] ClientFields = ["library", "version", "options"];
    private static readonly string[] WorkloadFields = ["path", "part", "parts"];
    private static readonly string[] TargetFields =
        ["host", "port", "unix_socket", "database", "username", "password", "tls"];

    private static readonly string[] TlsFields = ["ca_file", "certificate_file", "key_file", "verify"];

    public static Trial Parse(ReadOnlyMemory<byte> line)
    {
        using var document = Fields.Document(
            line, "the trial is not JSON: standard input must start with one JSON object on one line");
        var fields = Fields.Of(document.RootElement, "trial", TrialFields);
        fields.CheckSchemaVersion();
        var scenario = fields.OneOf("scenario", Words.Scenarios);
        return new Trial(
            fields.Text("trial_id"),
            Client(fields.Object("client", ClientFields)),
            ShapeParser.Parse(fields.Object("shape", ShapeParser.Names), scenario),
            Part(fields.Object("workload", WorkloadFields)),
            Target(fields.Object("target", TargetFields)),
            fields.IntegerOr("verify_commands", 100, least: 0));
    }

    private static ClientChoice Client(Fields fields) => new(
        fields.Text("library"), fields.OptionalText("version"), Options(fields));

    private static Dictionary<string, object> Options(Fields client)
    {
        var options = new Dictionary<string, object>(StringComparer.Ordinal);
        if (client.Has("options"))
        {
            var fields = client.Object("options", allowed: null);
            foreach (var name in fields.Names)
            {
                options[name] = Option(fields, name);
            }
        }

        return options;
    }

    private static object Option(Fields fields, string name) => fields.Required(name) switch
    {
        { ValueKind: JsonValueKind.String } value => value.GetString()!,
        { ValueKind: JsonValueKind.True } => true,
        { ValueKind: JsonValueKind.False } => false,
        { ValueKind: JsonValueKind.Number } value when value.TryGetInt32(out var number) => number,
        _ => throw fields.Wrong(name, "a text, an integer, true or false"),
    };

    private static WorkloadPart Part(Fields fields)
    {
        var parts = fields.IntegerOr("parts", 1, least: 1);
        return new WorkloadPart(fields.Text("path"), fields.IntegerOr("part", 0, least: 0, most: parts - 1), parts);
    }

    private static Endpoint Target(Fields fields)
    {
        var (host, port, socket) = (fields.Has("host"), fields.Has("port"), fields.Has("unix_socket"));
        if (socket == host || host != port)
        {
            throw new InvalidInputException("trial.target must have either host and port, or unix_socket");
        }

        return new Endpoint(
            host ? fields.Text("host") : null,
            port ? fields.Integer("port", least: 1, most: 65535) : 0,
            socket ? fields.Text("unix_socket") : null,
            fields.IntegerOr("database", 0, least: 0),
            fields.OptionalText("username"),
            Password(fields),
            fields.Has("tls") ? TlsOf(fields.Object("tls", TlsFields)) : null);
    }

    /// <summary>Like any text, but a wrong value is not repeated in the message.</summary>
    private static string? Password(Fields fields) => !fields.Has("password")
        ? null
        : fields.Required("password") is { ValueKind: JsonValueKind.String } value
            ? value.GetString()
            : throw new InvalidInputException("trial.target.password must be a text or null");

    private static Tls TlsOf(Fields fields) => new(
        fields.OptionalText("ca_file"),
        fields.OptionalText("certificate_file"),
        fields.OptionalText("key_file"),
        fields.Flag("verify", fallback: true));
}
