using Respmark.Clients;
using Respmark.Contract;
using Respmark.Recorder;
using Respmark.Scenarios;

namespace Respmark.Main;

/// <summary>The <c>result</c> event.</summary>
internal static class Result
{
    public static ResultEvent Of(
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
}
