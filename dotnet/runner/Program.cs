namespace Respmark;

/// <summary>The runner: reads JSON, one object a line, and answers each with one line (harness/contract.md).</summary>
internal static class Program
{
    [SuppressMessage("Design", "CA1031", Justification = "whatever ends the runner is said in one line")]
    private static int Main()
    {
        try
        {
            using var input = new StreamReader(Console.OpenStandardInput());
            var trial = JsonSerializer.Deserialize(input.ReadLine() ?? string.Empty, Lines.Default.Trial)!;
            var session = new Session(trial, Adapter.Of(trial));
            Print(new Answer(session.Loaded));
            while (input.ReadLine() is { } line)
            {
                var order = JsonSerializer.Deserialize(line, Lines.Default.Order)!;
                Print(session.AnswerAsync(order).GetAwaiter().GetResult());
            }

            session.Close();
            return 0;
        }
        catch (UnsupportedException error)
        {
            Print(new Answer(Unsupported: error.Message));
            return 0;
        }
        catch (Exception error)
        {
            Console.Error.WriteLine($"{error.GetType().Name}: {error.Message.ReplaceLineEndings(" ")}");
            return 1;
        }
    }

    private static void Print(Answer line) => Console.WriteLine(JsonSerializer.Serialize(line, Lines.Default.Answer));
}
