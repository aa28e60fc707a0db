using Respmark.Clients;
using Respmark.Contract;
using Respmark.Recorder;
using Respmark.Scenarios;

namespace Respmark.Main;

/// <summary>What the result is made of.</summary>
internal sealed record Outcome(
    Trial Trial, Library Library, ISession Session, Course Course, Heat Heat, Health Before, Health After)
{
    private int CommandsPerUnit => Session.Lanes[0].First.Replies.Length;

    /// <summary>The result of a window that is over.</summary>
    public ResultEvent Result()
    {
        foreach (var tally in Heat.Tallies)
        {
            tally.Fold();
        }

        return new ResultEvent
        {
            TrialId = Trial.TrialId,
            Operations = Heat.Units * CommandsPerUnit,
            Units = Heat.Units,
            Segments = Segments(),
            Errors = Heat.Failures.Counts,
            FirstError = Heat.Failures.First is { } first ? Ending.Redacted(first) : null,
            ElapsedNs = Clock.Nanoseconds(Heat.Tallies.Max(tally => tally.Ended) - Heat.Window.Start),
            FirstHalf = Half(),
            CpuUserNs = After.CpuUserNsSince(Before),
            CpuSystemNs = After.CpuSystemNsSince(Before),
            Latency = new Latency(
                Layout.SampleCovers(Trial.Shape), Course.Samples.Histogram.Sparse(), Course.Samples.Histogram.Max),
            PeakMemoryBytes = Health.PeakMemoryBytes(),
            DecodesTo = Session.DecodesTo,
            RuntimeHealth = After.Since(Before),
            RuntimeSettings = Settings(),
            Versions = Library.Versions,
        };
    }

    private Segment[] Segments() =>
    [
        .. Heat.Walkers.Zip(Heat.Tallies, (walker, tally) => new Segment(walker.First, tally.Units * CommandsPerUnit)),
    ];

    private FirstHalf? Half()
    {
        var halves = Heat.Tallies.Select(tally => tally.Half).ToList();
        return halves.Max(half => half.At) is { } latest
            ? new FirstHalf(halves.Sum(half => half.Units) * CommandsPerUnit, Clock.Nanoseconds(latest - Heat.Window.Start))
            : null;
    }

    private Dictionary<string, object> Settings()
    {
        var settings = RuntimeSettings.Now();
        settings["sample_storage_bytes"] = Course.Samples.Bytes;
        settings["lanes"] = Session.Lanes[0].Blocking is null ? "flows on the thread pool" : "threads of their own";
        foreach (var (name, value) in Session.Settings)
        {
            settings[name] = value;
        }

        return settings;
    }
}
