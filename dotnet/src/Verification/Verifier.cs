using Respmark.Clients;
using Respmark.Workload;

namespace Respmark.Verification;

/// <summary>Checks replies against the workload, before the first slice.</summary>
internal sealed class Verifier(CommandTable workload, ISession session)
{
    /// <summary>How long a unit may take.</summary>
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(10);

    /// <summary>
    /// Performs whole units until <paramref name="commands"/> are done and checks every reply; returns how many.
    /// These are the units of the measured loop, so what is verified is what is measured.
    /// </summary>
    public int Verify(Unit unit, Walker walker, int commands)
    {
        walker.Begin(0);
        var done = 0;
        while (done < commands)
        {
            var first = (walker.First + done) % workload.Length;
            Perform(unit, walker, first);
            for (var offset = 0; offset < unit.Replies.Length; offset++)
            {
                Check((first + offset) % workload.Length, unit.Replies[offset]);
            }

            done += unit.Replies.Length;
        }

        return done;
    }

    /// <summary>
    /// A command that the server rejects is a wrong reply, unless the server refuses the runner as a whole.
    /// </summary>
    private void Perform(Unit unit, Walker walker, int first)
    {
        try
        {
            var working = Task.Run(() => PerformAsync(unit, walker));
            if (Task.WaitAny([working], Patience) < 0)
            {
                throw new TimeoutException($"nothing was answered for {Patience.TotalSeconds:0} s");
            }

            working.GetAwaiter().GetResult();
        }
        catch (Exception error) when (session.IsReply(error))
        {
            var orOther = unit.Replies.Length == 1 ? string.Empty : ", or one in its unit,";
            throw new WrongReplyException(
                $"{workload.Text(first)}{orOther} failed in verification ({error.Message}): "
                + "the target must know every command of the workload",
                error);
        }
    }

    private static async Task PerformAsync(Unit unit, Walker walker)
    {
        if (unit is not AsyncUnit asynchronous)
        {
            ((BlockingUnit)unit).Perform(walker);
            return;
        }

        await asynchronous.Send(walker).ConfigureAwait(false);
        await asynchronous.Rest().ConfigureAwait(false);
        asynchronous.Read();
    }

    private void Check(int index, object? reply)
    {
        if (Expectation.Mismatch(workload, index, reply, session.DecodesTo) is { } wrong)
        {
            throw new WrongReplyException($"the reply to {workload.Text(index)} {wrong}");
        }
    }
}
