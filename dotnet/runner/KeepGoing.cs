using System.ComponentModel;

namespace Respmark;

/// <summary>
/// Work that goes on while something breaks: units have times at which they are due, errors end nothing, and a log has a
/// line when a unit begins and another when it ends. What hangs has begun and not ended.
/// </summary>
internal sealed class KeepGoing(GoOn order)
{
    /// <summary>Whoever waits looks so often whether it is over.</summary>
    private const long Look = 50_000_000;

    /// <summary>Whoever hangs is waited for until so long after the end.</summary>
    private const long Grace = 100_000_000;

    private readonly long[] _due = Part.DueOf(order.Due.File);
    private readonly Log _log = new(order.Log);
    private int _taken;

    private bool IsOver => Clock.Now >= order.Until || File.Exists(order.Enough);

    /// <summary>Lets every walker go on from its first command; returns when all are done, or at the end.</summary>
    public void Perform(Loop[] loops)
    {
        var flows = loops.Select((loop, number) => loop.KeepGoingAsync(this, number, order.First[number])).ToArray();
        var left = Math.Max(0, order.Until + Grace - Clock.Now);
        Task.WaitAll(flows, TimeSpan.FromTicks(left / TimeSpan.NanosecondsPerTick));
    }

    /// <summary>Closes the client, or tries to; the log's last line says how that went.</summary>
    [SuppressMessage("Design", "CA1031", Justification = "whatever closing raises goes into the log")]
    public void Close(Action close)
    {
        var line = new JsonObject();
        try
        {
            close();
        }
        catch (Exception error)
        {
            Tell(line, error);
        }

        line["closed"] = Clock.Now;
        _log.End(line);
    }

    /// <summary>A walker's flow: its next command for each unit.</summary>
    /// <param name="pause">Waits so many nanoseconds, on the flow's thread if that is its own.</param>
    [SuppressMessage("Design", "CA1031", Justification = "whatever a unit raises goes into the log")]
    public async Task PerformAsync(Unit unit, int walker, Func<long, Task> pause)
    {
        while (await TakeAsync(pause).ConfigureAwait(false) is { } number)
        {
            _log.Append(new JsonObject { ["unit"] = number, ["walker"] = walker, ["began"] = Clock.Now });
            var line = new JsonObject { ["unit"] = number, ["walker"] = walker };
            try
            {
                var replies = new Replies();
                await unit.Send(replies).ConfigureAwait(false);
                unit.Read(replies);
                line["ended"] = Clock.Now;
                line["reply"] = replies.Json[0]?.DeepClone();
            }
            catch (Exception error)
            {
                line["ended"] = Clock.Now;
                Tell(line, error);
            }

            _log.Append(line);
        }
    }

    private static void Tell(JsonObject line, Exception error)
    {
        line["error"] = error.GetType().Name;
        line["text"] = Errors.TextOf(error);
    }

    /// <summary>Takes the next unit and waits until it is due; null if there is none, or it is over.</summary>
    private async Task<int?> TakeAsync(Func<long, Task> pause)
    {
        var unit = Interlocked.Increment(ref _taken) - 1;
        if (unit >= _due.Length)
        {
            return null;
        }

        var due = order.Due.At + _due[unit];
        for (var now = Clock.Now; now < due && !IsOver; now = Clock.Now)
        {
            await pause(Math.Min(due - now, Look)).ConfigureAwait(false);
        }

        return IsOver ? null : unit;
    }
}

/// <summary>Lines that are there when the process is killed: each is one write to the end of the file.</summary>
internal sealed class Log(string path)
{
    private const int WriteOnly = 0x1;
    private const int Create = 0x40;
    private const int ToTheEnd = 0x400;

    private readonly Lock _writing = new();
    private readonly int _file = Checked(Open(path, WriteOnly | Create | ToTheEnd, 0x1A4));
    private bool _isOver;

    /// <summary>Adds a line, unless the last one is there.</summary>
    public void Append(JsonObject line)
    {
        var bytes = JsonSerializer.SerializeToUtf8Bytes(line, Lines.Default.JsonObject);
        lock (_writing)
        {
            if (!_isOver)
            {
                Checked((int)Write(_file, [.. bytes, (byte)'\n'], bytes.Length + 1));
            }
        }
    }

    /// <summary>Adds the last line.</summary>
    public void End(JsonObject line)
    {
        lock (_writing)
        {
            Append(line);
            _isOver = true;
        }
    }

    private static int Checked(int result) => result < 0 ? throw new Win32Exception() : result;

    [DllImport("libc", EntryPoint = "open", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern int Open([MarshalAs(UnmanagedType.LPUTF8Str)] string path, int flags, int mode);

    [DllImport("libc", EntryPoint = "write", SetLastError = true)]
    [DefaultDllImportSearchPaths(DllImportSearchPath.SafeDirectories)]
    private static extern nint Write(int file, byte[] bytes, nint count);
}
