using System.Diagnostics;
using Respmark.Clients;
using Respmark.Contract;
using Respmark.Recorder;
using Respmark.Scenarios;
using Respmark.Verification;
using Respmark.Workload;

namespace Respmark.Main;

/// <summary>The steps of a trial, as the contract numbers them.</summary>
internal static class Run
{
    public static void Perform(Channel channel)
    {
        var trial = TrialParser.Parse(channel.Trial());
        Ending.KeepSecret(trial.Target.Password);
        var library = Registry.Find(trial.Client);
        if (library.Objection(trial) is { } objection)
        {
            var scenario = Words.Of(Words.Scenarios, trial.Shape.Scenario);
            throw new UnsupportedException($"{library.Name} cannot do this {scenario}: {objection}");
        }

        RuntimeOptions.Apply(trial.Client);
        var workload = WorkloadFile.Read(trial.Workload.Path);
        var session = library.Load(trial, workload);
        Garbage.SetAside();
        channel.Print(Messages.Line(new LoadedEvent(trial.TrialId, SinceStart())));
        try
        {
            Obey(trial, library, workload, session, channel);
        }
        finally
        {
            session.Close();
        }
    }

    private static void Obey(Trial trial, Library library, CommandTable workload, ISession session, Channel channel)
    {
        channel.Next<ConnectOrder>("connect");
        var slices = Connected(trial, workload, session, channel);
        Health? before = null;
        while (channel.Next<WorkOrder>("slice or finish") is SliceOrder order)
        {
            before ??= order.KeepSamples ? Health.Now() : null;
            var slice = Explained(session, trial, () => slices.Run(order));
            channel.Print(Messages.Line(slice with { FirstError = Ending.Redacted(slice.FirstError) }));
        }

        var after = Health.Now();
        slices.Fold();
        channel.Print(Messages.Line(Result.Of(trial, library, session, slices.Histogram, after.Since(before ?? after))));
        // The harness reads the server's counters first: a closing connection would count as one more read.
        channel.AwaitEnd();
    }

    /// <summary>Connects, verifies and prints <c>ready</c>; returns the slices, whose walkers wait.</summary>
    private static Slices Connected(Trial trial, CommandTable workload, ISession session, Channel channel)
    {
        var begin = Clock.Now;
        var lanes = Explained(session, trial, session.Connect);
        var connectNs = Clock.Now - begin;
        var walkers = Walker.Of(workload.Length, trial.Workload, lanes.Count);
        var slices = new Slices(trial.TrialId, lanes, walkers, new Failures(session.IsFailure, session.SettleAsync));
        var verified = Explained(session, trial, () =>
            new Verifier(workload, session).Verify(lanes[0].First, walkers[0], trial.VerifyCommands));
        channel.Print(Messages.Line(new ReadyEvent(trial.TrialId, connectNs, verified)));
        return slices;
    }

    /// <summary>Turns what a library raises into the contract's sentence about the target.</summary>
    private static T Explained<T>(ISession session, Trial trial, Func<T> step)
    {
        try
        {
            return step();
        }
        catch (LostException lost)
        {
            throw Refusals.Lost(lost.Message, lost.InnerException, trial.Target);
        }
        catch (Exception error) when (session.IsFailure(error))
        {
            throw session.Explain(error);
        }
    }

    private static long SinceStart()
    {
        using var process = Process.GetCurrentProcess();
        return Clock.Nanoseconds(DateTime.UtcNow - process.StartTime.ToUniversalTime());
    }
}
