using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>
/// The workload's commands as the library takes them, made beforehand: keys as strings, which lie in memory as they are
/// walked; values as bytes or strings, one object for all that are equal. GET and SET go through their own methods, every other
/// command through Execute. What a command is says what its reply is, so that nobody has to look.
/// </summary>
internal sealed class Commands
{
    /// <summary>A command's code: that of GET; from 0 on a SET with the value of that number; below, the other kinds.</summary>
    private const int Get = -1;

    private readonly int[] _codes;
    private readonly string[] _keys;
    private readonly RedisValue[] _values;
    private readonly string[] _names;
    private readonly object[][] _arguments;
    private readonly Replies _replies;

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public Commands(CommandTable workload, bool asText)
    {
        var values = new Values(workload, asText);
        var forms = workload.Header.Mix.Select(FormOf).ToArray();
        _codes = new int[workload.Length];
        _keys = new string[workload.Length];
        _arguments = new object[Array.TrueForAll(forms, form => form != Form.Any) ? 0 : workload.Length][];
        for (var index = 0; index < _codes.Length; index++)
        {
            var kind = workload.KindNumber(index);
            if (forms[kind] == Form.Any)
            {
                _codes[index] = CodeOf(kind);
                _arguments[index] = [.. workload.Kind(index).Arguments.Select(word => ArgumentOf(workload, index, word, values))];
                continue;
            }

            _codes[index] = forms[kind] == Form.Get ? Get : values.NumberOf(index);
            _keys[index] = workload.Key(workload.KeyNumber(index));
        }

        _names = [.. workload.Header.Mix.Select(kind => kind.Name)];
        _values = values.Distinct;
        _replies = new Replies(asText);
    }

    private enum Form
    {
        Get,
        Set,
        Any,
    }

    /// <summary>How many objects its values are.</summary>
    public int DistinctValues => _values.Length;

    /// <summary>Sends a command through the library's synchronous API and reads the reply.</summary>
    public object? Perform(IDatabase database, int index)
    {
        var code = _codes[index];
        return code == Get ? _replies.Of(database.StringGet(_keys[index]))
            : code >= 0 ? Replies.Of(database.StringSet(_keys[index], _values[code]))
            : Replies.Of(database.Execute(_names[CodeOf(code)], _arguments[index]));
    }

    /// <summary>Sends a command through the library's asynchronous API.</summary>
    public Task Send(IDatabaseAsync target, int index)
    {
        var code = _codes[index];
        return code == Get ? target.StringGetAsync(_keys[index])
            : code >= 0 ? target.StringSetAsync(_keys[index], _values[code])
            : target.ExecuteAsync(_names[CodeOf(code)], _arguments[index]);
    }

    /// <summary>The reply of a command that was sent and is answered.</summary>
    public object? Read(Task answered, int index)
    {
        var code = _codes[index];
        return code == Get ? _replies.Of(((Task<RedisValue>)answered).Result)
            : code >= 0 ? Replies.Of(((Task<bool>)answered).Result)
            : Replies.Of(((Task<RedisResult>)answered).Result);
    }

    /// <summary>The code of a kind that is neither GET nor SET; and back.</summary>
    private static int CodeOf(int kind) => Get - 1 - kind;

    private static Form FormOf(CommandKind kind) => kind switch
    {
        { Name: "GET", Arguments: [{ Kind: ArgumentKind.Key }] } => Form.Get,
        { Name: "SET", Arguments: [{ Kind: ArgumentKind.Key }, { Kind: ArgumentKind.Value }] } => Form.Set,
        _ => Form.Any,
    };

    private static object ArgumentOf(CommandTable workload, int index, Argument argument, Values values) =>
        argument.Kind switch
        {
            ArgumentKind.Key => (RedisKey)workload.Key(workload.KeyNumber(index)),
            ArgumentKind.Value => values.Of(index),
            _ => (RedisValue)Encoding.UTF8.GetBytes(argument.Text),
        };

    /// <summary>Values of equal start and size are one.</summary>
    private sealed class Values(CommandTable workload, bool asText)
    {
        private readonly Dictionary<(long Start, int Size), int> _numbers = [];
        private readonly List<RedisValue> _distinct = [];

        public RedisValue[] Distinct => [.. _distinct];

        public RedisValue Of(int index) => _distinct[NumberOf(index)];

        public int NumberOf(int index)
        {
            var (key, size) = (workload.KeyNumber(index), workload.ValueSize(index));
            ref var number = ref CollectionsMarshal.GetValueRefOrAddDefault(
                _numbers, (workload.ValueStart(key), size), out var isKnown);
            if (!isKnown)
            {
                number = _distinct.Count;
                var value = workload.Value(key, size);
                _distinct.Add(asText ? Encoding.UTF8.GetString(value) : value);
            }

            return number;
        }
    }
}
