using Respmark.Contract;

namespace Respmark.Scenarios;

/// <summary>Counts a slice's failed units, by the library's class names, until there are too many in a row.</summary>
/// <param name="isFailure">Whether this is an error that a failed unit raises; a fault of the runner is not.</param>
/// <param name="settle">Waits for the library to reconnect, if it has to, but not for long.</param>
internal sealed class Failures(Func<Exception, bool> isFailure, Func<Task> settle)
{
    private const int LongestMessage = 500;

    private readonly Lock _counting = new();
    private Dictionary<string, long> _counts = new(StringComparer.Ordinal);
    private string? _first;

    /// <summary>The last failure; null if there was none.</summary>
    public Exception? Last { get; private set; }

    /// <summary>Whether a loop may catch the error.</summary>
    public bool Concerns(Exception error) => isFailure(error);

    /// <summary>Counts a failed unit, and settles before the next one; throws if the trial must not go on.</summary>
    public Task AcceptAsync(Exception error, Streak streak)
    {
        lock (_counting)
        {
            Last = error;
            var kind = error.GetType().Name;
            _counts[kind] = _counts.GetValueOrDefault(kind) + 1;
            _first ??= Shortened($"{kind}: {error.Message}");
        }

        return streak.Lengthen() < Limits.FailuresInARow ? settle() : throw new LostException($"{Limits.FailuresInARow} units in a row failed", error);
    }

    /// <summary>The counts since they were last taken, and the first failure's message, shortened.</summary>
    public (IReadOnlyDictionary<string, long> Counts, string? First) Take()
    {
        var taken = (_counts, _first);
        (_counts, _first) = (new Dictionary<string, long>(StringComparer.Ordinal), null);
        return taken;
    }

    private static string Shortened(string text)
    {
        var words = string.Join(' ', text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
        return words.Length > LongestMessage ? words[..LongestMessage] : words;
    }
}

/// <summary>How many units of one thread or task have failed since its last success.</summary>
internal sealed class Streak
{
    private int _length;

    /// <summary>A unit succeeded.</summary>
    public void End() => _length = 0;

    /// <summary>One more failed.</summary>
    public int Lengthen() => ++_length;
}

/// <summary>The target is lost: nothing succeeds any more.</summary>
internal sealed class LostException(string message, Exception? cause = null) : Exception(message, cause);
