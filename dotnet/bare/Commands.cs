using System.Buffers.Binary;
using System.Globalization;
using System.Text.Json;
using StackExchange.Redis;

namespace Respmark.Bare;

/// <summary>The GETs and SETs of a workload file, materialised beforehand.</summary>
/// <param name="Keys">Key of each command.</param>
/// <param name="Numbers">Number of each command's value; <see cref="Get"/> if it has none.</param>
/// <param name="Values">The distinct values.</param>
internal sealed record Commands(string[] Keys, int[] Numbers, RedisValue[] Values)
{
    public const int Get = -1;

    public static Commands Read(string path)
    {
        var file = File.ReadAllBytes(path);
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
        var (kinds, keyNumbers, sizes, block) = (Offset("kinds"), Offset("keys"), Offset("sizes"), Offset("block"));
        var multiplier = Number("value_multiplier");
        var (keys, numbers) = (new string[count], new int[count]);
        var (known, values) = (new Dictionary<(int Start, int Size), int>(), new List<RedisValue>());
        for (var index = 0; index < count; index++)
        {
            var key = Word(keyNumbers + (index * sizeof(uint)));
            keys[index] = prefix + key.ToString(format, CultureInfo.InvariantCulture);
            numbers[index] = Get;
            if (names[file[kinds + index]] == "SET")
            {
                var (start, size) = (block + (int)((key * multiplier) & mask), (int)Word(sizes + (index * sizeof(uint))));
                if (known.TryAdd((start, size), values.Count))
                {
                    values.Add(file.AsSpan(start, size).ToArray());
                }

                numbers[index] = known[(start, size)];
            }
        }

        return new Commands(keys, numbers, [.. values]);
    }
}
