namespace Respmark.Contract;

/// <summary>When a runner gives up: the contract's limits, the same in every language. No library here has a pool to wait for.</summary>
internal static class Limits
{
    /// <summary>So many failed units of one thread or task in a row, and the target is lost.</summary>
    public const int FailuresInARow = 25;

    /// <summary>So long without a unit that succeeds, and the target is lost.</summary>
    public static readonly TimeSpan Silence = TimeSpan.FromSeconds(10);
}
