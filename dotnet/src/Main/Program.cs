using System.Diagnostics.CodeAnalysis;
using Respmark.Clients;
using Respmark.Contract;

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
        var channel = new Channel(
            Console.OpenStandardInput(), Console.OpenStandardOutput(), Restart.HandedTrial());
        switch (arguments)
        {
            case ["describe"]:
                channel.Print(Messages.Line(Describe()));
                break;
            case ["run"]:
                TrialRun.Perform(channel);
                break;
            default:
                throw new InvalidTrialException(Usage);
        }
    }

    private static Description Describe()
    {
        var (clients, missing) = Registry.Survey();
        return new Description(Environment.Version.ToString(), clients, missing);
    }
}
