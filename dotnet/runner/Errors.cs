namespace Respmark;

/// <summary>This machine or this server cannot do what the trial asks for.</summary>
internal sealed class UnsupportedException(string reason) : Exception(reason);

/// <summary>Counts failed units by the library's class.</summary>
internal sealed class Errors
{
    private const int LongestText = 500;

    private readonly Lock _counting = new();
    private Dictionary<string, long> _counts = new(StringComparer.Ordinal);
    private string? _first;

    public void Add(Exception error)
    {
        lock (_counting)
        {
            var kind = error.GetType().Name;
            _counts[kind] = _counts.GetValueOrDefault(kind) + 1;
            _first ??= error.Message.Length > LongestText ? error.Message[..LongestText] : error.Message;
        }
    }

    /// <summary>The counts since the last time, and the first error's text.</summary>
    public (IReadOnlyDictionary<string, long> Counts, string? First) Take()
    {
        var taken = (_counts, _first);
        (_counts, _first) = (new Dictionary<string, long>(StringComparer.Ordinal), null);
        return taken;
    }
}
