using System.Text;
using System.Text.Json.Nodes;

namespace Respmark;

/// <summary>Replies as JSON has them; bytes as base64, a map as its pairs.</summary>
internal sealed class Replies
{
    public JsonArray Json { get; } = [];

    /// <summary>Bytes of the values among them.</summary>
    public long Bytes { get; private set; }

    public void Add(object? reply) => Json.Add(JsonOf(reply));

    private JsonNode? JsonOf(object? reply)
    {
        switch (reply)
        {
            case byte[] bytes:
                Bytes += bytes.Length;
                return new JsonObject { ["bytes"] = Convert.ToBase64String(bytes) };
            case string text:
                Bytes += Encoding.UTF8.GetByteCount(text);
                return text;
            case long number:
                return number;
            case bool isSo:
                return isSo;
            case object?[] list:
                return new JsonArray(Array.ConvertAll(list, JsonOf));
            case KeyValuePair<object?, object?>[] map:
                return new JsonObject
                {
                    ["map"] = new JsonArray(Array.ConvertAll(map, JsonNode? (pair) => new JsonArray(JsonOf(pair.Key), JsonOf(pair.Value)))),
                };
            default:
                return null;
        }
    }
}
