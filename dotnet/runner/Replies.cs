namespace Respmark;

/// <summary>Replies as JSON has them.</summary>
internal sealed class Replies
{
    public JsonArray Json { get; } = [];

    /// <summary>What they take as text.</summary>
    public long Bytes { get; private set; }

    public void Add(JsonNode? reply)
    {
        Bytes += reply?.ToJsonString().Length ?? 0;
        Json.Add(reply);
    }

    public static JsonNode? Of(byte[]? bytes) =>
        bytes is null ? null : new JsonObject { ["bytes"] = Convert.ToBase64String(bytes) };
}
