using System.Diagnostics.CodeAnalysis;

namespace Respmark.Main;

/// <summary>The commands <c>describe</c> and <c>run</c>, and their exit codes.</summary>
internal static class Program
{
    private const string Usage = "usage: dotnet respmark.dll describe|run";

    [SuppressMessage("Design", "CA1031", Justification = "the last resort: every end has one sentence and an exit code")]
    private static int Main(string[] arguments)
    {
        try
        {
            CarryOut(arguments);
            return (int)ExitCode.Done;
        }
        catch (RunnerException error)
        {
            return Ending.Fail(error, error.Message, error.ExitCode);
        }
        catch (Exception error)
        {
            var sentence = $"internal error: {error.GetType().Name}: {error.Message}: set {Ending.Debug}=1 to see where";
            return Ending.Fail(error, sentence, ExitCode.Other);
        }
    }

    private static void CarryOut(string[] arguments)
    {
        var channel = new Channel(Console.OpenStandardInput(), Console.OpenStandardOutput());
        switch (arguments)
        {
            case ["describe"]:
                Describe.Print(channel);
                break;
            case ["run"]:
                Run.Perform(channel);
                break;
            default:
                throw new InvalidInputException(Usage);
        }
    }
}
