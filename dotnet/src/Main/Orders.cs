using Respmark.Contract;

namespace Respmark.Main;

/// <summary>What the harness says after the trial, in the order in which it is due.</summary>
internal sealed class Orders(Channel channel)
{
    private int _number;

    /// <summary>The next order, which has to be of the type that is due.</summary>
    public T Next<T>(string due)
        where T : Order
    {
        var line = channel.ReadLine()
            ?? throw new RunnerException($"standard input ended before the result: {due} was due; the harness went away");
        return Taken<T>(line, due);
    }

    /// <summary>Returns when standard input ends, as it has to after the result.</summary>
    public void End()
    {
        if (channel.ReadLine() is { } line)
        {
            // No order is of this type.
            Taken<NoOrder>(line, "the end of standard input");
        }
    }

    private T Taken<T>(byte[] line, string due)
        where T : Order
    {
        _number++;
        var order = Parsed(line, due);
        return order as T
            ?? throw new InvalidTrialException($"order {_number}, {order.Name}, came out of turn: {due} was due");
    }

    private Order Parsed(byte[] line, string due)
    {
        try
        {
            return OrderParser.Parse(line);
        }
        catch (InvalidTrialException error)
        {
            throw new InvalidTrialException($"order {_number} is not valid: {error.Message}; {due} was due");
        }
    }

    private sealed record NoOrder() : Order("none");
}
