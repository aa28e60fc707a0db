using System.Globalization;
using Respmark.Workload;

namespace Respmark.Clients;

/// <summary>The methods that the library has for commands.</summary>
internal enum Method
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

/// <summary>How commands of one kind are sent: by which method, and with which numbers.</summary>
internal readonly record struct Typed(Method Method, long First, long Second, double Score)
{
    public bool IsOfMany => Method is Method.MGet or Method.MSet;

    public bool HasValue => Method is Method.Set or Method.LPush or Method.SAdd or Method.ZAdd;

    public TimeSpan Expiry => TimeSpan.FromSeconds(First);

    /// <summary>How commands of a kind are sent; refuses a kind for which the library has no method.</summary>
    public static Typed Of(CommandKind kind)
    {
        var method = MethodOf(kind.Name, string.Concat(kind.Arguments.Select(LetterOf))) ?? throw new UnsupportedException(
            $"the library has no method that sends {kind.Name} as the workload has it: leave the command out");
        var numbers = kind.Arguments.Where(argument => argument.Kind == ArgumentKind.Literal)
            .Select(argument => double.Parse(argument.Text, CultureInfo.InvariantCulture)).ToList();
        var (first, second) = (numbers.ElementAtOrDefault(0), numbers.ElementAtOrDefault(1));
        return new Typed(method, (long)first, (long)second, first);
    }

    /// <summary>In the words, k is a key, v a value, n a whole number, d another number.</summary>
    private static Method? MethodOf(string name, string words) => (name, words) switch
    {
        ("GET", "k") => Method.Get,
        ("SET", "kv") => Method.Set,
        ("PING", "") => Method.Ping,
        ("GETRANGE", "knn") => Method.GetRange,
        ("MGET", _) when words.Length > 0 && words.All(word => word == 'k') => Method.MGet,
        ("MSET", _) when words.Length > 2 && words.Replace("kv", string.Empty, StringComparison.Ordinal).Length == 0 => Method.MSet,
        ("EXPIRE", "kn") => Method.Expire,
        ("INCRBY", "kn") => Method.IncrBy,
        ("LPUSH", "kv") => Method.LPush,
        ("LTRIM", "knn") => Method.LTrim,
        ("LRANGE", "knn") => Method.LRange,
        ("HGETALL", "k") => Method.HGetAll,
        ("SADD", "kv") => Method.SAdd,
        ("ZADD", "knv" or "kdv") => Method.ZAdd,
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
