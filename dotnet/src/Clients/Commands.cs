using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>
/// The workload's commands as the library takes them, materialised beforehand: keys as strings, in memory in the order
/// in which they are walked; values as bytes or strings, one object for all equal values. Every command goes through
/// its own method. The type of a reply follows from its command, so no reply has to be inspected.
/// </summary>
internal sealed class Commands
{
    /// <summary>The code of GET. From 0 on: SET with the value of that number; below GET's: other kinds.</summary>
    private const int Get = -1;

    private readonly int[] _codes;
    private readonly string[] _keys;
    private readonly RedisValue[] _values;
    private readonly Typed[] _kinds;

    /// <summary>Numbers of the values, for commands other than GET and SET; empty if there are none.</summary>
    private readonly int[] _valueNumbers;
    private readonly RedisKey[][] _keyLists;
    private readonly KeyValuePair<RedisKey, RedisValue>[][] _pairLists;
    private readonly Replies _replies;

    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public Commands(CommandTable workload, bool asText)
    {
        var values = new Values(workload, asText);
        _kinds = [.. workload.Header.Mix.Select(Typed.Of)];
        _codes = new int[workload.Length];
        _keys = new string[workload.Length];
        _valueNumbers = new int[Length(kind => kind.Method is not (Method.Get or Method.Set))];
        _keyLists = new RedisKey[Length(kind => kind.Method == Method.MGet)][];
        _pairLists = new KeyValuePair<RedisKey, RedisValue>[Length(kind => kind.Method == Method.MSet)][];
        for (var index = 0; index < _codes.Length; index++)
        {
            var number = workload.KindNumber(index);
            var kind = _kinds[number];
            var value = kind.HasValue ? values.NumberOf(index, 0) : 0;
            _codes[index] = kind.Method == Method.Get ? Get : kind.Method == Method.Set ? value : CodeOf(number);
            if (_valueNumbers.Length > 0)
            {
                _valueNumbers[index] = value;
            }

            if (kind.IsOfMany)
            {
                AddMany(workload, index, kind.Method, values);
            }
            else
            {
                _keys[index] = workload.Key(workload.KeyNumber(index));
            }
        }

        _values = values.Distinct;
        _replies = new Replies(asText);

        int Length(Predicate<Typed> isThere) => Array.Exists(_kinds, isThere) ? workload.Length : 0;
    }

    /// <summary>How many distinct values there are.</summary>
    public int DistinctValues => _values.Length;

    /// <summary>Sends a command through the library's synchronous API and reads the reply.</summary>
    public object? Perform(IDatabase database, int index)
    {
        var code = _codes[index];
        return code == Get ? _replies.Of(database.StringGet(_keys[index]))
            : code >= 0 ? Replies.Of(database.StringSet(_keys[index], _values[code]))
            : PerformOther(database, index, in _kinds[CodeOf(code)]);
    }

    /// <summary>Sends a command through the library's asynchronous API.</summary>
    public Task Send(IDatabaseAsync target, int index)
    {
        var code = _codes[index];
        return code == Get ? target.StringGetAsync(_keys[index])
            : code >= 0 ? target.StringSetAsync(_keys[index], _values[code])
            : SendOther(target, index, in _kinds[CodeOf(code)]);
    }

    /// <summary>The reply to a command that was sent and answered.</summary>
    public object? Read(Task answered, int index)
    {
        var code = _codes[index];
        return code == Get ? _replies.Of(((Task<RedisValue>)answered).Result)
            : code >= 0 ? Replies.Of(((Task<bool>)answered).Result)
            : ReadOther(answered, _kinds[CodeOf(code)].Method);
    }

    private object? PerformOther(IDatabase database, int index, in Typed kind)
    {
        var key = _keys[index];
        switch (kind.Method)
        {
            case Method.Ping:
                database.Ping();
                return Replies.Pong;
            case Method.GetRange:
                return _replies.Of(database.StringGetRange(key, kind.First, kind.Second));
            case Method.MGet:
                return _replies.Of(database.StringGet(_keyLists[index]));
            case Method.MSet:
                return Replies.Of(database.StringSet(_pairLists[index]));
            case Method.Expire:
                return Replies.Of(database.KeyExpire(key, kind.Expiry));
            case Method.IncrBy:
                return database.StringIncrement(key, kind.First);
            case Method.LPush:
                return database.ListLeftPush(key, _values[_valueNumbers[index]]);
            case Method.LTrim:
                database.ListTrim(key, kind.First, kind.Second);
                return Replies.Ok;
            case Method.LRange:
                return _replies.Of(database.ListRange(key, kind.First, kind.Second));
            case Method.HGetAll:
                return _replies.Of(database.HashGetAll(key));
            case Method.SAdd:
                return Replies.Of(database.SetAdd(key, _values[_valueNumbers[index]]));
            case Method.ZAdd:
                return Replies.Of(database.SortedSetAdd(key, _values[_valueNumbers[index]], kind.Score));
            default:
                throw new InvalidOperationException($"{kind.Method} is sent elsewhere");
        }
    }

    private Task SendOther(IDatabaseAsync target, int index, in Typed kind) => kind.Method switch
    {
        Method.Ping => target.PingAsync(),
        Method.GetRange => target.StringGetRangeAsync(_keys[index], kind.First, kind.Second),
        Method.MGet => target.StringGetAsync(_keyLists[index]),
        Method.MSet => target.StringSetAsync(_pairLists[index]),
        Method.Expire => target.KeyExpireAsync(_keys[index], kind.Expiry),
        Method.IncrBy => target.StringIncrementAsync(_keys[index], kind.First),
        Method.LPush => target.ListLeftPushAsync(_keys[index], _values[_valueNumbers[index]]),
        Method.LTrim => target.ListTrimAsync(_keys[index], kind.First, kind.Second),
        Method.LRange => target.ListRangeAsync(_keys[index], kind.First, kind.Second),
        Method.HGetAll => target.HashGetAllAsync(_keys[index]),
        Method.SAdd => target.SetAddAsync(_keys[index], _values[_valueNumbers[index]]),
        Method.ZAdd => target.SortedSetAddAsync(_keys[index], _values[_valueNumbers[index]], kind.Score),
        _ => throw new InvalidOperationException($"{kind.Method} is sent elsewhere"),
    };

    private object? ReadOther(Task answered, Method method)
    {
        switch (method)
        {
            case Method.GetRange:
                return _replies.Of(((Task<RedisValue>)answered).Result);
            case Method.MGet or Method.LRange:
                return _replies.Of(((Task<RedisValue[]>)answered).Result);
            case Method.HGetAll:
                return _replies.Of(((Task<HashEntry[]>)answered).Result);
            case Method.IncrBy or Method.LPush:
                return ((Task<long>)answered).Result;
            case Method.MSet or Method.Expire or Method.SAdd or Method.ZAdd:
                return Replies.Of(((Task<bool>)answered).Result);
            default:
                // Raises the reply, if it was an error.
                answered.GetAwaiter().GetResult();
                return method == Method.Ping ? Replies.Pong : Replies.Ok;
        }
    }

    private void AddMany(CommandTable workload, int index, Method method, Values values)
    {
        var words = workload.Kind(index).Arguments;
        var first = workload.KeyNumber(index);
        if (method == Method.MGet)
        {
            _keyLists[index] = [.. words.Select(word => (RedisKey)workload.Key(first + word.Offset))];
            return;
        }

        _pairLists[index] =
        [
            .. words.Chunk(2).Select(pair => KeyValuePair.Create(
                (RedisKey)workload.Key(first + pair[0].Offset), values.Of(index, pair[1].Offset))),
        ];
    }

    /// <summary>Turns the number of a kind other than GET and SET into its code, and back.</summary>
    private static int CodeOf(int kind) => Get - 1 - kind;

    /// <summary>Values with equal start and size are one object.</summary>
    private sealed class Values(CommandTable workload, bool asText)
    {
        private readonly Dictionary<(long Start, int Size), int> _numbers = [];
        private readonly List<RedisValue> _distinct = [];

        public RedisValue[] Distinct => [.. _distinct];

        public RedisValue Of(int index, uint offset) => _distinct[NumberOf(index, offset)];

        /// <summary>The number of a value; the offset is added to the number of the command's key.</summary>
        public int NumberOf(int index, uint offset)
        {
            var (key, size) = (workload.KeyNumber(index) + offset, workload.ValueSize(index));
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
