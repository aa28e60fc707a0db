using System.Buffers.Binary;
using System.Text.Json;
using Respmark.Contract;

namespace Respmark.Workload;

/// <summary>Reads a workload file; an error in it makes the trial invalid.</summary>
internal static class WorkloadFile
{
    private const int PreambleBytes = 16;

    private static ReadOnlySpan<byte> Magic => "RESPMARK"u8;

    public static CommandTable Read(string path)
    {
        try
        {
            return Parse(File.ReadAllBytes(path));
        }
        catch (Exception error) when (error is IOException or UnauthorizedAccessException)
        {
            throw new InvalidInputException(
                $"trial.workload.path: {path} cannot be read ({error.Message}): make the workload file first");
        }
        catch (InvalidInputException error)
        {
            throw new InvalidInputException($"trial.workload.path: {path}: {error.Message}");
        }
    }

    /// <summary>Parses the bytes of a workload file.</summary>
    public static CommandTable Parse(byte[] content)
    {
        var header = HeaderOf(content);
        return new CommandTable(
            header,
            Cut(content, header.Kinds, header.Commands),
            Cut(content, header.Keys, header.Commands * (long)sizeof(uint)),
            Cut(content, header.Sizes, header.Commands * (long)sizeof(uint)),
            Cut(content, header.Block, 0));
    }

    private static Header HeaderOf(byte[] content)
    {
        if (content.Length < PreambleBytes || !content.AsSpan().StartsWith(Magic))
        {
            throw new InvalidInputException("it is not a workload file: it does not start with RESPMARK");
        }

        var version = BinaryPrimitives.ReadUInt32LittleEndian(content.AsSpan(Magic.Length));
        if (version != Words.SchemaVersion)
        {
            throw new InvalidInputException(
                $"its layout is {version}, and this runner reads {Words.SchemaVersion}: make the workload file again");
        }

        var length = BinaryPrimitives.ReadUInt32LittleEndian(content.AsSpan(Magic.Length + sizeof(uint)));
        return Json(Cut(content, new Section(PreambleBytes, 0), length));
    }

    private static Header Json(ReadOnlyMemory<byte> header)
    {
        try
        {
            using var document = JsonDocument.Parse(header);
            return Header.Parse(document.RootElement);
        }
        catch (JsonException)
        {
            throw new InvalidInputException("its header is not JSON");
        }
    }

    private static ReadOnlyMemory<byte> Cut(byte[] content, Section section, long least)
    {
        var length = Math.Max(section.Length, least);
        return section.Offset + length <= content.Length
            ? content.AsMemory(section.Offset, (int)length)
            : throw new InvalidInputException(
                $"it is cut off: it has {content.Length} bytes, and a column ends at {section.Offset + length}");
    }
}
