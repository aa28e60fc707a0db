using System.Runtime.ExceptionServices;

namespace Respmark.Recorder;

/// <summary>Decides what a failed unit means: in the window it is counted, until there are too many in a row.</summary>
internal sealed class Failures(Func<Exception, bool> isFailure, bool strict)
{
    /// <summary>So many failed units of one thread or task in a row, and the target is lost.</summary>
    public const int LostAfter = 25;

    /// <summary>So is it after so long without a unit that succeeds: a library's timeouts can make 25 last minutes.</summary>
    public static readonly TimeSpan Patience = TimeSpan.FromSeconds(5);

    private const int LongestMessage = 500;

    private readonly Lock _counting = new();
    private readonly Dictionary<string, long> _counts = new(StringComparer.Ordinal);

    /// <summary>Units that failed, by the library's own class names.</summary>
    public IReadOnlyDictionary<string, long> Counts => _counts;

    /// <summary>The first failure, with the library's own diagnosis, shortened.</summary>
    public string? First { get; private set; }

    /// <summary>What was last raised; null while nothing failed.</summary>
    public Exception? Last { get; private set; }

    /// <summary>Whether a loop may catch it; a fault of the runner is none of its business.</summary>
    public bool Concerns(Exception error) => isFailure(error);

    /// <summary>Counts a failed unit; throws where the trial must not go on.</summary>
    public void Accept(Exception error, Streak streak)
    {
        if (strict)
        {
            ExceptionDispatchInfo.Throw(error);
        }

        lock (_counting)
        {
            Last = error;
            var kind = error.GetType().Name;
            _counts[kind] = _counts.GetValueOrDefault(kind) + 1;
            First ??= Shortened($"{kind}: {error.Message}");
        }

        if (streak.Lengthen() is { } complaint)
        {
            throw new LostException(complaint, error);
        }
    }

    private static string Shortened(string text)
    {
        var words = string.Join(' ', text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
        return words.Length > LongestMessage ? words[..LongestMessage] : words;
    }
}

/// <summary>Failures of one thread or task since its last success.</summary>
internal sealed class Streak
{
    private int _length;
    private long _since;

    /// <summary>A unit succeeded.</summary>
    public void End() => _length = 0;

    /// <summary>One more failed; says why the target is lost, if it is.</summary>
    public string? Lengthen()
    {
        if (_length++ == 0)
        {
            _since = Clock.Now;
        }

        var isLost = _length >= Failures.LostAfter || Clock.Now - _since >= Clock.Ticks(Failures.Patience.TotalSeconds);
        return isLost ? $"{_length} units failed in a row" : null;
    }
}

/// <summary>Nothing succeeds any more.</summary>
internal sealed class LostException(string message, Exception? cause = null) : Exception(message, cause);
