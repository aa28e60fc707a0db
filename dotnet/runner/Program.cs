using System.Diagnostics.CodeAnalysis;
using System.Text;
using System.Text.Json;

namespace Respmark;

/// <summary>The runner: reads JSON, one object a line, and answers each with one line (harness/contract.md).</summary>
internal static class Program
{
    [SuppressMessage("Design", "CA1031", Justification = "whatever ends the runner is said in one line, with exit code 1")]
    private static int Main()
    {
        using var input = new StreamReader(Console.OpenStandardInput(), Encoding.UTF8);
        using var output = Console.OpenStandardOutput();
        try
        {
            if (input.ReadLine() is { } trial)
            {
                Run(JsonSerializer.Deserialize(trial, Lines.Default.Trial)!, input, output);
            }

            return 0;
        }
        catch (UnsupportedException error)
        {
            Print(output, new Answer { Unsupported = error.Message });
            return 0;
        }
        catch (Exception error)
        {
            Console.Error.WriteLine($"{error.GetType().Name}: {error.Message}");
            return 1;
        }
    }

    private static void Run(Trial trial, StreamReader input, Stream output)
    {
        var session = new Session(trial);
        Print(output, new Answer { Loaded = session.Loaded });
        while (input.ReadLine() is { } line)
        {
            Print(output, Answered(session, JsonSerializer.Deserialize(line, Lines.Default.Order)!));
        }

        session.Close();
    }

    private static Answer Answered(Session session, Order order) => order switch
    {
        { Connect: not null } => new Answer { Connected = session.Connect() },
        { Echo: { } echo } => new Answer { Replies = session.Echo(echo) },
        { Work: { } work } => new Answer { Worked = session.Work(work) },
        { Bare: { } bare } => new Answer { Bared = session.Bare(bare) },
        _ => new Answer { Samples = session.HandOver() },
    };

    private static void Print(Stream output, Answer answer)
    {
        JsonSerializer.Serialize(output, answer, Lines.Default.Answer);
        output.WriteByte((byte)'\n');
        output.Flush();
    }
}
