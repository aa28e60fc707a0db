namespace Respmark;

/// <summary>
/// Where walkers wait for one another: threads block on the task, flows await it (a <see cref="Barrier"/> would block
/// the flows' threads as well). The last one to arrive does what is to be done then, so none waits for another thread.
/// </summary>
internal sealed class Meeting(int walkers, Action whenAllAreHere)
{
    private readonly int _walkers = walkers;
    private TaskCompletionSource _all = New();
    private int _missing = walkers;

    /// <summary>Done when all have arrived the next time.</summary>
    public Task Next => _all.Task;

    public Task Arrive()
    {
        var all = _all;
        if (Interlocked.Decrement(ref _missing) == 0)
        {
            whenAllAreHere();
            (_missing, _all) = (_walkers, New());
            all.SetResult();
        }

        return all.Task;
    }

    private static TaskCompletionSource New() => new(TaskCreationOptions.RunContinuationsAsynchronously);
}
