namespace Respmark.Recorder;

/// <summary>When the units of a window begin, are half done, and end; ticks of the clock.</summary>
internal sealed class Window(double seconds)
{
    private readonly long _duration = Clock.Ticks(seconds);

    public long Start { get; private set; }

    public long Half { get; private set; }

    public long End { get; private set; }

    /// <summary>Begins now.</summary>
    public void Open()
    {
        Start = Clock.Now;
        Half = Start + (_duration / 2);
        End = Start + _duration;
    }
}
