namespace Respmark;

/// <summary>Takes a library to its first reply, and says how long each stage took.</summary>
internal static class ColdStart
{
    /// <summary>The library connects as it makes the client: there is no stage of its own for that.</summary>
    public static Answer AnswerTo(string line, long main)
    {
        try
        {
            var trial = JsonSerializer.Deserialize(line, Lines.Default.Trial)!;
            var (adapter, load) = Timed(() => Adapter.Of(trial));
            adapter.Prepare(new Workload(trial.Workload));
            var (first, create) = Timed(adapter.OpenOne);
            var (reply, took) = Timed(() =>
            {
                var replies = new Replies();
                first.Send(replies).GetAwaiter().GetResult();
                first.Read(replies);
                return replies.Json[0];
            });
            adapter.Close();
            return new Answer(Started: new Started(main, load, create, took, reply?.DeepClone(), adapter.Versions));
        }
        catch (UnsupportedException error)
        {
            return new Answer(Unsupported: error.Message);
        }
    }

    private static (T Result, long Nanoseconds) Timed<T>(Func<T> stage)
    {
        var began = Clock.Now;
        var result = stage();
        return (result, Clock.Now - began);
    }
}
