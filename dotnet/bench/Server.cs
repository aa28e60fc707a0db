using System.Globalization;
using System.Reflection;
using System.Text;
using StackExchange.Redis;

namespace Respmark.Bench;

/// <summary>The server that the benchmarks are run against, and what they find there.</summary>
internal static class Server
{
    /// <summary>Keys that exist before a benchmark runs.</summary>
    public const int Keys = 1000;

    /// <summary>Bytes of every value: the mean of the workload that trials send.</summary>
    private const int ValueBytes = 1024;

    /// <summary>The library's version that is actually loaded, without the commit that some releases add.</summary>
    public static string LibraryVersion => typeof(ConnectionMultiplexer).Assembly
        .GetCustomAttribute<AssemblyInformationalVersionAttribute>()!.InformationalVersion.Split('+')[0];

    public static (string Host, int Port) Address { get; set; }

    public static string? Password { get; set; }

    public static ConnectionMultiplexer Connect() => ConnectionMultiplexer.Connect(new ConfigurationOptions
    {
        EndPoints = { { Address.Host, Address.Port } },
        Password = Password,
    });

    /// <summary>Key number <paramref name="number"/> and its value, which starts with the key.</summary>
    public static (RedisKey Key, RedisValue Value) Entry(int number)
    {
        var key = string.Create(CultureInfo.InvariantCulture, $"respmark-bench:{number:D6}");
        return (key, Encoding.ASCII.GetBytes(key.PadRight(ValueBytes, '.')));
    }
}
