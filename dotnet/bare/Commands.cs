using System.Buffers.Binary;
using System.Globalization;
using System.Text.Json;
using StackExchange.Redis;

namespace Respmark.Bare;

/// <summary>Keys and values of all commands, made beforehand; a GET has no value.</summary>
internal sealed record Commands(RedisKey[] Keys, RedisValue[] Values, int First)
{
    public static Commands Read(JsonElement workload)
    {
        var file = File.ReadAllBytes(workload.GetProperty("path").GetString()!);
        using var header = JsonDocument.Parse(
            file.AsMemory(16, (int)BinaryPrimitives.ReadUInt32LittleEndian(file.AsSpan(12))));
        long Number(string name) => header.RootElement.GetProperty(name).GetInt64();
        int Offset(string column) => header.RootElement.GetProperty(column).GetProperty("offset").GetInt32();
        uint Word(int offset) => BinaryPrimitives.ReadUInt32LittleEndian(file.AsSpan(offset));

        var names = header.RootElement.GetProperty("mix").EnumerateArray()
            .Select(kind => kind.GetProperty("name").GetString()).ToArray();
        var prefix = header.RootElement.GetProperty("key_prefix").GetString();
        var format = $"D{Number("key_digits")}";
        var mask = (1L << (int)Number("value_modulus_bits")) - 1;
        var count = (int)Number("commands");
        var (kinds, numbers, sizes, block) = (Offset("kinds"), Offset("keys"), Offset("sizes"), Offset("block"));
        var multiplier = Number("value_multiplier");
        var (keys, values) = (new RedisKey[count], new RedisValue[count]);
        for (var index = 0; index < count; index++)
        {
            var key = Word(numbers + (index * sizeof(uint)));
            keys[index] = prefix + key.ToString(format, CultureInfo.InvariantCulture);
            if (names[file[kinds + index]] == "SET")
            {
                var start = block + (int)((key * multiplier) & mask);
                values[index] = file.AsSpan(start, (int)Word(sizes + (index * sizeof(uint)))).ToArray();
            }
        }

        var part = workload.TryGetProperty("part", out var number) ? number.GetInt64() : 0;
        var parts = workload.TryGetProperty("parts", out var all) ? all.GetInt64() : 1;
        return new Commands(keys, values, (int)(part * count / parts));
    }
}
