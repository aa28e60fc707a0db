namespace Respmark.Main;

/// <summary>Standard input and output: one JSON object a line.</summary>
/// <param name="input">Where lines come from.</param>
/// <param name="output">Where lines go.</param>
/// <param name="handed">A first line that was read from the input before; null: none was.</param>
internal sealed class Channel(Stream input, Stream output, byte[]? handed = null)
{
    private byte[]? _handed = handed;

    /// <summary>
    /// The next line, or null when standard input has ended. Read byte by byte, so that nothing behind the line is taken
    /// away from whoever reads next.
    /// </summary>
    public byte[]? ReadLine()
    {
        if (_handed is { } first)
        {
            _handed = null;
            return first;
        }

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

    public void Print(ReadOnlyMemory<byte> line)
    {
        output.Write(line.Span);
        output.Flush();
    }
}
