using System.Globalization;
using System.Runtime;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;
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
    public static void WithCollectorOf(Trial trial, ReadOnlyMemory<byte> line)
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

        Replace(isAsked, line);
    }

    /// <summary>The trial that the process before this one handed on, and then what follows on standard input.</summary>
    public static Stream TrialOr(Stream input)
    {
        if (!int.TryParse(Environment.GetEnvironmentVariable(Handle), CultureInfo.InvariantCulture, out var descriptor))
        {
            return input;
        }

        using var pipe = new FileStream(new SafeFileHandle(descriptor, ownsHandle: true), FileAccess.Read, bufferSize: 0);
        var handed = new MemoryStream();
        pipe.CopyTo(handed);
        handed.Position = 0;
        return new Sequel(handed, input);
    }

    private static void Replace(bool server, ReadOnlyMemory<byte> line)
    {
        var ends = new int[2];
        var handed = (byte[])[.. line.Span, (byte)'\n'];
        var isReady = Native.Pipe(ends) == 0
            && Native.Write(ends[1], handed, handed.Length) == handed.Length
            && Native.Close(ends[1]) == 0
            && Native.SetVariable(Collector, server ? "1" : "0", 1) == 0
            && Native.SetVariable(Handle, FormattableString.Invariant($"{ends[0]}"), 1) == 0;
        var words = Encoding.UTF8.GetString(File.ReadAllBytes("/proc/self/cmdline")).TrimEnd('\0').Split('\0');
        if (isReady)
        {
            // Returns only when it failed.
            _ = Native.Execute("/proc/self/exe", [.. words, null]);
        }

        throw new RunnerException($"the process cannot be started anew (error {Marshal.GetLastPInvokeError()})");
    }

    /// <summary>One stream and then another.</summary>
    private sealed class Sequel(Stream first, Stream second) : Stream
    {
        public override bool CanRead => true;

        public override bool CanSeek => false;

        public override bool CanWrite => false;

        public override long Length => throw new NotSupportedException();

        public override long Position
        {
            get => throw new NotSupportedException();
            set => throw new NotSupportedException();
        }

        public override int Read(byte[] buffer, int offset, int count)
        {
            var read = first.Read(buffer, offset, count);
            return read > 0 ? read : second.Read(buffer, offset, count);
        }

        public override void Flush()
        {
        }

        public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

        public override void SetLength(long value) => throw new NotSupportedException();

        public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();
    }

    private static class Native
    {
        [DllImport("libc", EntryPoint = "pipe", SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
        public static extern int Pipe([Out] int[] ends);

        [DllImport("libc", EntryPoint = "write", SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
        public static extern nint Write(int descriptor, byte[] bytes, nint count);

        [DllImport("libc", EntryPoint = "close", SetLastError = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
        public static extern int Close(int descriptor);

        [DllImport("libc", EntryPoint = "setenv", SetLastError = true, CharSet = CharSet.Ansi, BestFitMapping = false,
            ThrowOnUnmappableChar = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
        public static extern int SetVariable(string name, string value, int overwrite);

        [DllImport("libc", EntryPoint = "execv", SetLastError = true, CharSet = CharSet.Ansi, BestFitMapping = false,
            ThrowOnUnmappableChar = true)]
        [DefaultDllImportSearchPaths(DllImportSearchPath.System32)]
        public static extern int Execute(string path, string?[] arguments);
    }
}
