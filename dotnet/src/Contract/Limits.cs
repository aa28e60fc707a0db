namespace Respmark.Contract;

/// <summary>The contract's limits, the same in every language, except for pools: no library here has one.</summary>
internal static class Limits
{
    /// <summary>The target is lost after this many failed units of one thread or task in a row.</summary>
    public const int FailuresInARow = 25;

    /// <summary>The target is lost after this long in slices without a successful unit.</summary>
    public static readonly TimeSpan Silence = TimeSpan.FromSeconds(10);
}
