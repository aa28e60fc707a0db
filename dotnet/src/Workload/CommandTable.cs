using System.Buffers.Binary;
using System.Globalization;
using System.Runtime.CompilerServices;

namespace Respmark.Workload;

/// <summary>The commands of a workload file, and what their replies consist of.</summary>
internal sealed class CommandTable(
    Header header,
    ReadOnlyMemory<byte> kinds,
    ReadOnlyMemory<byte> keys,
    ReadOnlyMemory<byte> sizes,
    ReadOnlyMemory<byte> block)
{
    private readonly long _modulusMask = (1L << header.ValueModulusBits) - 1;

    public Header Header => header;

    /// <summary>How many commands it has.</summary>
    public int Length => header.Commands;

    /// <summary>Index of the command's kind in the mix.</summary>
    public int KindNumber(int index)
    {
        var kind = kinds.Span[index];
        return kind < header.Mix.Count
            ? kind
            : throw new InvalidInputException($"its command {index} is of kind {kind}, which its mix does not have");
    }

    /// <summary>The command's kind.</summary>
    public CommandKind Kind(int index) => header.Mix[KindNumber(index)];

    /// <summary>Number of the command's key.</summary>
    public uint KeyNumber(int index) => At(keys, index);

    /// <summary>Size of the command's value.</summary>
    public int ValueSize(int index) => checked((int)At(sizes, index));

    /// <summary>The key with this number, as it is sent.</summary>
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public string Key(uint number)
    {
        Span<char> digits = stackalloc char[10];
        number.TryFormat(digits, out var written, default, CultureInfo.InvariantCulture);
        var zeros = Math.Max(0, header.KeyDigits - written);
        return string.Create(
            header.KeyPrefix.Length + zeros + written,
            new KeyParts(header.KeyPrefix, zeros, digits[..written]),
            static (text, parts) =>
            {
                parts.Prefix.CopyTo(text);
                text.Slice(parts.Prefix.Length, parts.Zeros).Fill('0');
                parts.Digits.CopyTo(text[(parts.Prefix.Length + parts.Zeros)..]);
            });
    }

    /// <summary>Where the value of a key begins in the block: keys with equal starts have equal values.</summary>
    public long ValueStart(uint key) => (key * header.ValueMultiplier) & _modulusMask;

    /// <summary>A copy of the first <paramref name="size"/> bytes of the value of a key.</summary>
    public byte[] Value(uint key, int size)
    {
        var start = ValueStart(key);
        return start + size <= block.Length
            ? block.Slice((int)start, size).ToArray()
            : throw new InvalidInputException($"its block is too short for a value of {size} bytes of key {key}");
    }

    /// <summary>The command as people write it, long values shortened.</summary>
    public string Text(int index)
    {
        const int longest = 60;
        var words = Kind(index).Arguments.Select(argument => argument.Kind switch
        {
            ArgumentKind.Key => Key(KeyNumber(index) + argument.Offset),
            ArgumentKind.Value => $"({ValueSize(index)} bytes)",
            _ => argument.Text.Length > longest ? $"{argument.Text[..longest]}…" : argument.Text,
        });
        return $"command {index} of the workload, {string.Join(' ', words.Prepend(Kind(index).Name))}";
    }

    private static uint At(ReadOnlyMemory<byte> column, int index) =>
        BinaryPrimitives.ReadUInt32LittleEndian(column.Span[(index * sizeof(uint))..]);

    private readonly ref struct KeyParts(string prefix, int zeros, ReadOnlySpan<char> digits)
    {
        public readonly string Prefix = prefix;
        public readonly int Zeros = zeros;
        public readonly ReadOnlySpan<char> Digits = digits;
    }
}
