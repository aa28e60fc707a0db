using System.Collections;
using System.IO.Pipes;
using System.Runtime;
using System.Runtime.InteropServices;
using System.Text;
using Respmark.Clients;
using Respmark.Contract;

namespace Respmark.Main;

/// <summary>
/// The garbage collector's kind is settled when a process starts, before it can read what its trial asks for. So the
/// process becomes another one in place, with the same number and the same streams, and hands the trial on through a pipe:
/// not through the environment, for it may hold a password.
/// </summary>
internal static class Restart
{
    private const string Collector = "DOTNET_gcServer";
    private const string Handle = "RESPMARK_TRIAL_HANDLE";

    /// <summary>Starts anew when the trial asks for the other collector; returns when it need not.</summary>
    public static void WithCollectorOf(Trial trial, byte[] line)
    {
        var isAsked = trial.Client.Options.GetValueOrDefault(RuntimeOptions.ServerGc) is true;
        if (isAsked == GCSettings.IsServerGC)
        {
            return;
        }

        if (!OperatingSystem.IsLinux() || Environment.GetEnvironmentVariable(Handle) is not null)
        {
            throw new UnsupportedException(
                $"the option {RuntimeOptions.ServerGc} cannot be set here: set {Collector} yourself, where this system "
                + "knows it and has more than one processor");
        }

        // Its writing end closes when the process becomes the other one: that ends what the other one reads.
        using var pipe = new AnonymousPipeServerStream(PipeDirection.Out, HandleInheritability.Inheritable);
        pipe.Write(line);
        Replace($"{Collector}={(isAsked ? 1 : 0)}", $"{Handle}={pipe.GetClientHandleAsString()}");
    }

    /// <summary>The trial that the process before this one handed on; null: there was none.</summary>
    public static byte[]? HandedTrial()
    {
        if (Environment.GetEnvironmentVariable(Handle) is not { } handle)
        {
            return null;
        }

        using var pipe = new AnonymousPipeClientStream(PipeDirection.In, handle);
        var handed = new MemoryStream();
        pipe.CopyTo(handed);
        return handed.ToArray();
    }

    private static void Replace(params IEnumerable<string> settings)
    {
        var words = Encoding.UTF8.GetString(File.ReadAllBytes("/proc/self/cmdline")).TrimEnd('\0').Split('\0');
        var inherited = Environment.GetEnvironmentVariables().Cast<DictionaryEntry>()
            .Where(variable => variable.Key is not Collector)
            .Select(variable => $"{variable.Key}={variable.Value}");
        // Returns only when it failed.
        _ = Execute("/proc/self/exe", [.. words, null], [.. inherited, .. settings, null]);
        throw new RunnerException($"the process cannot be started anew (error {Marshal.GetLastPInvokeError()})");
    }

    [DllImport("libc", EntryPoint = "execve", SetLastError = true, CharSet = CharSet.Ansi, BestFitMapping = false,
        ThrowOnUnmappableChar = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
    private static extern int Execute(string path, string?[] arguments, string?[] environment);
}
