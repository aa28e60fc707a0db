namespace Respmark.Main;

/// <summary>Standard input and output: one JSON object a line.</summary>
internal sealed class Channel(Stream input, Stream output)
{
    /// <summary>
    /// The next line, or null when standard input has ended. Read byte by byte, so that nothing behind the line is taken
    /// away from whoever reads next.
    /// </summary>
    public byte[]? ReadLine()
    {
        var line = new MemoryStream();
        var one = new byte[1];
        while (input.Read(one, 0, 1) == 1)
        {
            if (one[0] == '\n')
            {
                return line.ToArray();
            }

            line.Write(one, 0, 1);
        }

        return line.Length > 0 ? line.ToArray() : null;
    }

    /// <summary>Returns when standard input has ended; what stands on it until then is not read.</summary>
    public void AwaitEnd()
    {
        while (ReadLine() is not null)
        {
            // The harness says nothing after `go`.
        }
    }

    public void Print(ReadOnlyMemory<byte> line)
    {
        output.Write(line.Span);
        output.Flush();
    }
}
