using Respmark.Contract;

namespace Respmark.Main;

/// <summary>Standard input and output: one JSON object per line; an order that is not due is refused.</summary>
internal sealed class Channel(Stream input, Stream output)
{
    /// <summary>The line that holds the trial.</summary>
    public byte[] Trial() => ReadLine() ?? throw new InvalidInputException(
        "standard input is empty: it must start with one trial as JSON on one line");

    /// <summary>The next order, which must be of the type that is due.</summary>
    public T Next<T>(string due)
        where T : Order
    {
        var line = ReadLine()
            ?? throw new RunnerException($"standard input ended before the result; due: {due}");
        return Taken<T>(line, due);
    }

    /// <summary>Returns when standard input has ended; nothing else may follow <c>finish</c>.</summary>
    public void AwaitEnd()
    {
        if (ReadLine() is { } line)
        {
            // No order is of this type.
            Taken<NoOrder>(line, "the end of standard input");
        }
    }

    public void Print(ReadOnlyMemory<byte> line)
    {
        output.Write(line.Span);
        output.Flush();
    }

    /// <summary>The next line, or null if standard input has ended.</summary>
    private byte[]? ReadLine()
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

    private static T Taken<T>(byte[] line, string due)
        where T : Order
    {
        var order = Parsed(line, due);
        return order as T
            ?? throw new InvalidInputException($"the order {order.Name} is not due; due: {due}");
    }

    private static Order Parsed(byte[] line, string due)
    {
        try
        {
            return OrderParser.Parse(line);
        }
        catch (InvalidInputException error)
        {
            throw new InvalidInputException($"{error.Message}; due: {due}");
        }
    }

    private sealed record NoOrder() : Order("none");
}
