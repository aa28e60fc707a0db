using System.Diagnostics.CodeAnalysis;

namespace Respmark.Main;

/// <summary>Says on standard error, in one sentence and without secrets, what was wrong.</summary>
internal static class Ending
{
    public const string Debug = "RESPMARK_DEBUG";
    private const string NotPrinted = "…";

    private static string? s_secret;

    /// <summary>From now on, <paramref name="secret"/> is left out of every message.</summary>
    public static void KeepSecret(string? secret) => s_secret = string.IsNullOrEmpty(secret) ? null : secret;

    /// <summary>The text without secrets.</summary>
    [return: NotNullIfNotNull(nameof(text))]
    public static string? Redacted(string? text) =>
        s_secret is null ? text : text?.Replace(s_secret, NotPrinted, StringComparison.Ordinal);

    public static int Fail(Exception error, string sentence, ExitCode exitCode)
    {
        if (Environment.GetEnvironmentVariable(Debug) == "1")
        {
            Console.Error.WriteLine(Redacted(error.ToString()));
        }

        var words = sentence.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries);
        Console.Error.WriteLine(Redacted(string.Join(' ', words)));
        return (int)exitCode;
    }
}
