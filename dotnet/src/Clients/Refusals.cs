using System.Text.RegularExpressions;
using Respmark.Contract;

namespace Respmark.Clients;

/// <summary>Says in one sentence what a refusal means and what to do; knows servers' replies, but no library.</summary>
internal static partial class Refusals
{
    private const int Longest = 200;

    /// <summary>What servers reply when they refuse the runner as a whole, with the contract's sentences.</summary>
    private static readonly (Regex Pattern, string Meaning, string Advice)[] Answers =
    [
        (Authentication(), "refused the user or the password", "check the target's username and password"),
        (Permission(), "refused a command of the workload", "let the user run the workload's commands on its keys (ACL SETUSER)"),
        (Loading(), "is still loading its data set", "wait until it has loaded and try again"),
        (ReadOnly(), Finding.Replica.Meaning, Finding.Replica.Advice),
        (Saving(), "refuses writes because it cannot save its data set to disk", "repair its persistence or set stop-writes-on-bgsave-error to no"),
        (Clients(), "accepts no more clients", "raise its maxclients or close other clients"),
        (Memory(), "has no memory left", "raise its maxmemory or choose a smaller workload"),
        (Protected(), "is in protected mode", "set a password or turn protected mode off"),
        (Cluster(), "is part of a cluster that does not serve the workload's keys here", "name a server that holds all keys"),
        (Unavailable(), "cannot serve now", "see its log"),
        (Database(), "refused the database", "check the target's database"),
    ];

    /// <summary>Every meaning with its advice.</summary>
    public static IEnumerable<(string Meaning, string Advice)> Sentences =>
        Answers.Select(answer => (answer.Meaning, answer.Advice)).Concat(Finding.All.Select(found => (found.Meaning, found.Advice)));

    /// <summary>Whether the server refuses the runner as a whole, rather than one command of the workload.</summary>
    public static bool IsRefusal(string message) => Array.Exists(Answers, answer => answer.Pattern.IsMatch(message));

    /// <summary>The sentence for an error that ends the trial: what failed, where, and what to do.</summary>
    public static TargetException Explain(Exception error, Endpoint target)
    {
        var message = Cut(error.Message);
        if (Known(message) is { } answer)
        {
            return Sentence(target, answer.Meaning, message, answer.Advice, error);
        }

        // The library reports that it has no connection, but seldom why, so the target is asked.
        var heard = Inquiry.Ask(target);
        return heard.Answer is { } said && Known(said) is { } refusal
            ? Sentence(target, refusal.Meaning, Cut(said), refusal.Advice, error)
            : Sentence(target, heard.Meaning, $"{error.GetType().Name}: {message}", heard.Advice, error);
    }

    /// <summary>The sentence for a lost target, with the last failure, if any.</summary>
    public static TargetException Lost(string complaint, Exception? last, Endpoint target)
    {
        var heard = last is null ? string.Empty : $" ({last.GetType().Name}: {Cut(last.Message)})";
        return new TargetException(
            $"{target.Address} was lost: {complaint}{heard}: see whether it still runs, then run again", last);
    }

    private static (string Meaning, string Advice)? Known(string message)
    {
        var found = Array.Find(Answers, answer => answer.Pattern.IsMatch(message));
        return found.Meaning is null ? null : (found.Meaning, found.Advice);
    }

    private static TargetException Sentence(
        Endpoint target, string meaning, string detail, string advice, Exception cause) =>
        new($"{target.Address} {meaning} ({detail}): {advice}", cause);

    private static string Cut(string text)
    {
        var words = string.Join(' ', text.Split((char[]?)null, StringSplitOptions.RemoveEmptyEntries));
        return words.Length > Longest ? $"{words[..Longest]}…" : words;
    }

    [GeneratedRegex(@"WRONGPASS|NOAUTH|ERR AUTH|invalid password|invalid username|AuthenticationFailure", RegexOptions.None, 1000)]
    private static partial Regex Authentication();

    [GeneratedRegex(@"NOPERM", RegexOptions.None, 1000)]
    private static partial Regex Permission();

    [GeneratedRegex(@"\bLOADING\b", RegexOptions.None, 1000)]
    private static partial Regex Loading();

    [GeneratedRegex(@"\bREADONLY\b", RegexOptions.None, 1000)]
    private static partial Regex ReadOnly();

    [GeneratedRegex(@"\bMISCONF\b", RegexOptions.None, 1000)]
    private static partial Regex Saving();

    [GeneratedRegex(@"max number of clients", RegexOptions.None, 1000)]
    private static partial Regex Clients();

    [GeneratedRegex(@"\bOOM\b", RegexOptions.None, 1000)]
    private static partial Regex Memory();

    [GeneratedRegex(@"\bDENIED\b", RegexOptions.None, 1000)]
    private static partial Regex Protected();

    [GeneratedRegex(@"\b(?:MOVED|ASK|CLUSTERDOWN|TRYAGAIN|CROSSSLOT)\b", RegexOptions.None, 1000)]
    private static partial Regex Cluster();

    [GeneratedRegex(@"MASTERDOWN|NOREPLICAS|\bBUSY\b|UNKILLABLE", RegexOptions.None, 1000)]
    private static partial Regex Unavailable();

    [GeneratedRegex(@"DB index", RegexOptions.None, 1000)]
    private static partial Regex Database();
}
