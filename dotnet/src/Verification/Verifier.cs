using Respmark.Clients;
using Respmark.Workload;

namespace Respmark.Verification;

/// <summary>Checks replies against the workload, outside the measured window.</summary>
internal sealed class Verifier(CommandTable workload, ISession session)
{
    /// <summary>
    /// Performs whole units until so many commands are done and checks every reply; returns how many it checked.
    /// These are the units of the measured loop, so what is verified is what is measured.
    /// </summary>
    public int Verify(Walker walker, int commands, Action<Unit, Walker> perform)
    {
        var unit = session.Lanes[0].First;
        var done = 0;
        while (done < commands)
        {
            var first = walker.Position;
            Perform(unit, walker, first, perform);
            for (var offset = 0; offset < unit.Replies.Length; offset++)
            {
                Check((first + offset) % workload.Length, unit.Replies[offset]);
            }

            done += unit.Replies.Length;
        }

        return done;
    }

    /// <summary>A command that the server rejects is a wrong reply, unless the server refuses us altogether.</summary>
    private void Perform(Unit unit, Walker walker, int first, Action<Unit, Walker> perform)
    {
        try
        {
            perform(unit, walker);
        }
        catch (Exception error) when (session.IsReply(error))
        {
            var where = unit.Replies.Length == 1 ? string.Empty : $"one of {unit.Replies.Length} commands from ";
            throw new WrongReplyException(
                $"wrong reply to {where}{workload.Text(first)}: expected no error, got {error.Message}", error);
        }
    }

    private void Check(int index, object? reply)
    {
        if (Expectation.Mismatch(workload, index, reply) is { } wrong)
        {
            throw new WrongReplyException(
                $"wrong reply to {workload.Text(index)}: {wrong}; see whether the keys were preloaded");
        }
    }
}
