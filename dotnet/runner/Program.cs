namespace Respmark;

/// <summary>The runner: reads JSON, one object a line, and answers each with one line (harness/contract.md).</summary>
internal static class Program
{
    /// <summary>Makes the program one that starts, sends one command and has its reply.</summary>
    private const string ColdStartArgument = "--cold-start";

    private static Session? s_session;

    [SuppressMessage("Design", "CA1031", Justification = "whatever ends the runner is said in one line")]
    private static int Main(string[] arguments)
    {
        var main = Clock.Now;
        try
        {
            using var input = new StreamReader(Console.OpenStandardInput());
            while (input.ReadLine() is { } line)
            {
                var answer = arguments.Contains(ColdStartArgument) ? ColdStart.AnswerTo(line, main) : AnswerTo(line);
                Console.WriteLine(JsonSerializer.Serialize(answer, Lines.Default.Answer));
            }

            s_session?.Close();
            return 0;
        }
        catch (Exception error)
        {
            Console.Error.WriteLine($"{error.GetType().Name}: {error.Message.ReplaceLineEndings(" ")}");
            return 1;
        }
    }

    private static Answer AnswerTo(string line)
    {
        try
        {
            var order = JsonSerializer.Deserialize(line, Lines.Default.Order)!;
            return order.Adapter is null
                ? s_session!.AnswerAsync(order).GetAwaiter().GetResult()
                : Begin(JsonSerializer.Deserialize(line, Lines.Default.Trial)!);
        }
        catch (UnsupportedException error)
        {
            return new Answer(Unsupported: error.Message);
        }
    }

    /// <summary>Begins a trial; of the one before, nothing is left.</summary>
    private static Answer Begin(Trial trial)
    {
        s_session?.Close();
        s_session = null;
        s_session = new Session(trial, Adapter.Of(trial));
        return new Answer(s_session.Loaded);
    }
}
