using System.Runtime;
using Respmark.Contract;

namespace Respmark.Clients;

/// <summary>Options that every .NET library has, because they are the runtime's.</summary>
internal static class RuntimeOptions
{
    public const string ServerGc = "server-gc";
    public const string ThreadPoolMinimum = "thread-pool-minimum";

    /// <summary>The pool starts this many threads without delay: no work of a trial waits for it to grow.</summary>
    public const int Threads = 64;

    /// <summary>Configures the runtime as the trial asks; everything else stays as installed.</summary>
    /// <exception cref="UnsupportedException">The process was started with another garbage collector.</exception>
    public static void Apply(ClientChoice client)
    {
        // The kind of collector is fixed when a process starts: the harness sets it, as the runner's spec says.
        if ((client.Options.GetValueOrDefault(ServerGc) is true) != GCSettings.IsServerGC)
        {
            throw new UnsupportedException(
                $"this process has the {(GCSettings.IsServerGC ? "server" : "workstation")} collector, the option "
                + $"{ServerGc} asks for the other: set DOTNET_gcServer before it starts, on more than one processor");
        }

        if (client.Options.GetValueOrDefault(ThreadPoolMinimum) is int threads)
        {
            ThreadPool.SetMinThreads(threads, threads);
        }
    }
}
