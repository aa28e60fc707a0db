namespace Respmark.Clients;

/// <summary>Options that every .NET library has, for they are the runtime's.</summary>
internal static class RuntimeOptions
{
    public const string ServerGc = "server-gc";
    public const string ThreadPoolMinimum = "thread-pool-minimum";

    /// <summary>So many threads start at once: no work of a trial waits for the pool to grow.</summary>
    public const int Threads = 64;
}
