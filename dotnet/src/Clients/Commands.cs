using System.Runtime.CompilerServices;
using System.Text;
using Respmark.Workload;
using StackExchange.Redis;

namespace Respmark.Clients;

/// <summary>How a command is called.</summary>
internal enum Form : byte
{
    Get,
    Set,

    /// <summary>Through Execute, the library's way to send any command.</summary>
    Any,
}

/// <summary>A command as the library takes it, ready made.</summary>
internal readonly struct Command(Form form, RedisKey key, RedisValue value, string name, object[] arguments)
{
    public readonly Form Form = form;
    public readonly RedisKey Key = key;
    public readonly RedisValue Value = value;
    public readonly string Name = name;
    public readonly object[] Arguments = arguments;
}

/// <summary>
/// The workload's commands with keys as strings and values as bytes, made before the clock starts. GET and SET go through
/// their own methods, every other command through Execute.
/// </summary>
internal static class Commands
{
    [MethodImpl(MethodImplOptions.AggressiveOptimization)]
    public static Command[] Of(CommandTable workload)
    {
        var commands = new Command[workload.Length];
        for (var index = 0; index < commands.Length; index++)
        {
            commands[index] = Of(workload, index);
        }

        return commands;
    }

    private static Command Of(CommandTable workload, int index)
    {
        var kind = workload.Kind(index);
        switch (FormOf(kind))
        {
            case Form.Get:
                return new Command(Form.Get, KeyOf(workload, index), default, kind.Name, []);
            case Form.Set:
                return new Command(Form.Set, KeyOf(workload, index), ValueOf(workload, index), kind.Name, []);
            default:
                var arguments = kind.Arguments.Select(argument => ArgumentOf(workload, index, argument));
                return new Command(Form.Any, default, default, kind.Name, [.. arguments]);
        }
    }

    private static Form FormOf(CommandKind kind) => kind switch
    {
        { Name: "GET", Arguments: [{ Kind: ArgumentKind.Key }] } => Form.Get,
        { Name: "SET", Arguments: [{ Kind: ArgumentKind.Key }, { Kind: ArgumentKind.Value }] } => Form.Set,
        _ => Form.Any,
    };

    private static object ArgumentOf(CommandTable workload, int index, Argument argument) => argument.Kind switch
    {
        ArgumentKind.Key => KeyOf(workload, index),
        ArgumentKind.Value => ValueOf(workload, index),
        _ => (RedisValue)Encoding.UTF8.GetBytes(argument.Text),
    };

    private static RedisKey KeyOf(CommandTable workload, int index) => workload.Key(workload.KeyNumber(index));

    private static RedisValue ValueOf(CommandTable workload, int index) =>
        workload.Value(workload.KeyNumber(index), workload.ValueSize(index));
}
