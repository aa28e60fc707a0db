using System.Globalization;
using Respmark.Workload;

namespace Respmark.Clients;

/// <summary>The commands that the library has a method for, in the form in which the method sends them.</summary>
internal enum Form
{
    Get,
    Set,
    Ping,
    GetRange,
    MGet,
    MSet,
    Expire,
    IncrBy,
    LPush,
    LTrim,
    LRange,
    HGetAll,
    SAdd,
    ZAdd,
}

/// <summary>How commands of one kind are sent: the form, and its numbers.</summary>
internal readonly record struct Typed(Form Form, long First, long Second, double Score)
{
    public bool IsOfMany => Form is Form.MGet or Form.MSet;

    public bool HasValue => Form is Form.Set or Form.LPush or Form.SAdd or Form.ZAdd;

    public TimeSpan Expiry => TimeSpan.FromSeconds(First);

    /// <summary>The form of a kind; refuses one for which the library has no method.</summary>
    public static Typed Of(CommandKind kind)
    {
        var form = FormOf(kind.Name, string.Concat(kind.Arguments.Select(LetterOf))) ?? throw new UnsupportedException(
            $"the library has no method that sends {kind.Name} as the workload has it: leave the command out");
        var numbers = kind.Arguments.Where(argument => argument.Kind == ArgumentKind.Literal)
            .Select(argument => double.Parse(argument.Text, CultureInfo.InvariantCulture)).ToList();
        var (first, second) = (numbers.ElementAtOrDefault(0), numbers.ElementAtOrDefault(1));
        return new Typed(form, (long)first, (long)second, first);
    }

    /// <summary>Words: k is a key, v a value, n a whole number, d another number.</summary>
    private static Form? FormOf(string name, string words) => (name, words) switch
    {
        ("GET", "k") => Form.Get,
        ("SET", "kv") => Form.Set,
        ("PING", "") => Form.Ping,
        ("GETRANGE", "knn") => Form.GetRange,
        ("MGET", _) when words.Length > 0 && words.All(word => word == 'k') => Form.MGet,
        ("MSET", _) when words.Length > 2 && words.Replace("kv", string.Empty, StringComparison.Ordinal).Length == 0 => Form.MSet,
        ("EXPIRE", "kn") => Form.Expire,
        ("INCRBY", "kn") => Form.IncrBy,
        ("LPUSH", "kv") => Form.LPush,
        ("LTRIM", "knn") => Form.LTrim,
        ("LRANGE", "knn") => Form.LRange,
        ("HGETALL", "k") => Form.HGetAll,
        ("SADD", "kv") => Form.SAdd,
        ("ZADD", "knv" or "kdv") => Form.ZAdd,
        _ => null,
    };

    private static char LetterOf(Argument argument) => argument.Kind switch
    {
        ArgumentKind.Key => 'k',
        ArgumentKind.Value => 'v',
        _ when long.TryParse(argument.Text, CultureInfo.InvariantCulture, out _) => 'n',
        _ when double.TryParse(argument.Text, CultureInfo.InvariantCulture, out _) => 'd',
        _ => 'x',
    };
}
