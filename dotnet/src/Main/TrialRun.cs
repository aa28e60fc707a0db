using System.Diagnostics;
using Respmark.Clients;
using Respmark.Contract;
using Respmark.Recorder;
using Respmark.Scenarios;
using Respmark.Verification;
using Respmark.Workload;

namespace Respmark.Main;

/// <summary>One trial, step by step, as the contract numbers them.</summary>
internal static class TrialRun
{
    public static void Perform(Channel channel)
    {
        var line = channel.ReadLine() ?? throw new InvalidTrialException(
            "standard input is empty: it must start with one trial as JSON on one line");
        var trial = TrialParser.Parse(line);
        Ending.KeepSecret(trial.Target.Password);
        var library = Registry.Find(trial.Client);
        if (library.Objection(trial) is { } objection)
        {
            var scenario = Words.Of(Words.Scenarios, trial.Shape.Scenario);
            throw new UnsupportedException($"{library.Name} cannot do this {scenario}: {objection}");
        }

        Restart.WithCollectorOf(trial, line);
        SetThreadPool(trial.Client);
        var workload = WorkloadFile.Read(trial.Workload.Path);
        var session = library.Load(trial, workload);
        SetAside();
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
        var orders = new Orders(channel);
        orders.Next<ConnectOrder>("connect");
        var course = Connected(trial, workload, session, channel);
        Health? before = null;
        while (orders.Next<WorkOrder>("slice or finish") is SliceOrder order)
        {
            before ??= order.KeepSamples ? Health.Now() : null;
            var slice = Explained(session, trial, () => course.Run(order));
            channel.Print(Messages.Line(slice with { FirstError = Ending.Redacted(slice.FirstError) }));
        }

        var after = Health.Now();
        course.Fold();
        channel.Print(Messages.Line(Result(trial, library, session, course.Histogram, after.Since(before ?? after))));
        // A connection that closes would count as one more read.
        orders.End();
    }

    /// <summary>Connects, verifies and says so; returns the walkers, parked.</summary>
    private static Course Connected(Trial trial, CommandTable workload, ISession session, Channel channel)
    {
        var begin = Clock.Now;
        var lanes = Explained(session, trial, session.Connect);
        var connectNs = Clock.Now - begin;
        var walkers = Walker.Of(workload.Length, trial.Workload, lanes.Count);
        var course = new Course(trial.TrialId, lanes, walkers, new Failures(session.IsFailure, session.SettleAsync));
        var verified = Explained(session, trial, () =>
            new Verifier(workload, session).Verify(lanes[0].First, walkers[0], trial.VerifyCommands));
        channel.Print(Messages.Line(new ReadyEvent(trial.TrialId, connectNs, verified)));
        return course;
    }

    private static ResultEvent Result(
        Trial trial, Library library, ISession session, Histogram histogram, Dictionary<string, object> health) => new()
        {
            TrialId = trial.TrialId,
            Latency = new Latency(Layout.SampleCovers(trial.Shape), histogram.Sparse(), histogram.Max),
            PeakMemoryBytes = Health.PeakMemoryBytes(),
            DecodesTo = session.DecodesTo,
            RuntimeHealth = health,
            RuntimeSettings = new Dictionary<string, object>([.. RuntimeSettings.Now(), .. session.Settings], StringComparer.Ordinal),
            Versions = library.Versions,
        };

    /// <summary>What a library raises becomes the sentence that its target deserves.</summary>
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

    private static void SetThreadPool(ClientChoice client)
    {
        // As installed where the trial says nothing else.
        if (client.Options.GetValueOrDefault(RuntimeOptions.ThreadPoolMinimum) is int threads)
        {
            ThreadPool.SetMinThreads(threads, threads);
        }
    }

    /// <summary>
    /// Lets the collector put the workload's own objects where no young collection walks through them: each collection
    /// moves what survives one generation on.
    /// </summary>
    private static void SetAside()
    {
        for (var generation = 0; generation < GC.MaxGeneration; generation++)
        {
            GC.Collect();
        }
    }

    private static long SinceStart()
    {
        using var process = Process.GetCurrentProcess();
        return Clock.Nanoseconds(DateTime.UtcNow - process.StartTime.ToUniversalTime());
    }
}
