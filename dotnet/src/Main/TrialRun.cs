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
    /// <summary>How long nothing at all may be answered before the window, and in it.</summary>
    private static readonly TimeSpan SilenceAtStart = TimeSpan.FromSeconds(10);

    private static readonly TimeSpan SilenceInWindow = TimeSpan.FromSeconds(20);

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
        Conduct(trial, library, WorkloadFile.Read(trial.Workload.Path), channel);
    }

    private static void Conduct(Trial trial, Library library, CommandTable workload, Channel channel)
    {
        var session = library.Open(trial, workload);
        var course = new Course(session, workload, trial.Workload);
        var verified = Explained(session, trial, () => Verified(trial, workload, session, course));
        var (warmed, warmedNs) = Explained(session, trial, () => WarmUp(trial, session, course));
        var failures = new Failures(session.IsFailure, strict: false);
        var heat = course.Arm(trial.MeasureSeconds, failures);
        SetAside();
        channel.Print(Messages.Line(new ReadyEvent(trial.TrialId, SinceStart() - warmedNs, verified, warmed)));
        GoEvent.Check(channel.ReadLine());
        var result = Measured(trial, library, session, course, heat, channel);
        channel.Print(Messages.Line(result));
        // The harness reads the server's counters first: a connection that closes counts there.
        channel.AwaitEnd();
        session.Close();
    }

    private static int Verified(Trial trial, CommandTable workload, ISession session, Course course) =>
        new Verifier(workload, session).Verify(
            course.Walkers()[0],
            trial.VerifyCommands,
            (unit, walker) => Course.Perform(unit, walker, SilenceAtStart));

    /// <summary>
    /// Runs the scenario itself for a while, so that the window meets code that is compiled and connections that are warm;
    /// returns how many commands that were and how long it took.
    /// </summary>
    private static (long Operations, long Ns) WarmUp(Trial trial, ISession session, Course course)
    {
        if (trial.WarmupSeconds is 0)
        {
            return (0, 0);
        }

        var begin = Clock.Now;
        var heat = course.Arm(trial.WarmupSeconds, new Failures(session.IsFailure, strict: true));
        Course.Run(heat, SilenceAtStart, onSecond: null);
        return (heat.Units * CommandsPerUnit(session), Clock.Nanoseconds(Clock.Now - begin));
    }

    private static ResultEvent Measured(
        Trial trial, Library library, ISession session, Course course, Heat heat, Channel channel)
    {
        var perUnit = CommandsPerUnit(session);
        var before = Health.Now();
        Explained(session, trial, () =>
        {
            Course.Run(heat, SilenceInWindow, (elapsed, units) => channel.Print(
                Messages.Line(new ProgressEvent(trial.TrialId, Clock.Nanoseconds(elapsed), units * perUnit))));
            return true;
        });
        var after = Health.Now();
        return new Outcome(trial, library, session, course, heat, before, after).Result();
    }

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

    private static int CommandsPerUnit(ISession session) => session.Lanes[0].First.Replies.Length;

    private static void SetThreadPool(ClientChoice client)
    {
        // As installed where the trial says nothing else.
        var asked = client.Options.GetValueOrDefault(RuntimeOptions.ThreadPoolMinimum, RuntimeOptions.Threads);
        if (asked is int threads)
        {
            ThreadPool.SetMinThreads(threads, threads);
        }
    }

    /// <summary>
    /// Lets the collector put the workload's own objects where no young collection walks through them, as after a while it
    /// would by itself.
    /// </summary>
    private static void SetAside() => GC.Collect(GC.MaxGeneration, GCCollectionMode.Forced, blocking: true, compacting: true);

    private static long SinceStart()
    {
        using var process = Process.GetCurrentProcess();
        return Clock.Nanoseconds(DateTime.UtcNow - process.StartTime.ToUniversalTime());
    }
}
