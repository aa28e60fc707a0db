using Respmark.Tests.Support;

namespace Respmark.Tests;

public class WorkloadTests
{
    private const string Header =
        """
        {"commands": 5, "key_bytes": 2, "values": [3, 2],
         "kinds": [{"name": "MSET", "arguments": ["key", "value", "key", "value"]}, {"name": "PING", "arguments": []},
                   {"name": "ZADD", "arguments": ["key", {"literal": 1.5}, "value"]}],
         "steps": [[0, 1, 0], [1], [2, 1]]}
        """;

    private static readonly string s_path = Trials.File(Header, [0, 1, 2, 0, 2], "aabbccddeeff");

    [Fact]
    public void ACommandIsItsKeyAndItsStep()
    {
        var workload = new Workload(s_path);
        var commands = workload.Bind((name, with) =>
            $"{name} {string.Join(',', with.Values)} {string.Join(',', with.Numbers)} {string.Join(',', with.Texts)}");
        string[] steps = ["MSET 1,0  ", "PING   ", "ZADD 1 1.5 1.5", "MSET 1,0  ", "ZADD 1 1.5 1.5"];
        Assert.Equal(steps, commands.Select(command => command.Step));
        Assert.Equal(["one"u8.ToArray(), "tw"u8.ToArray()], workload.Values);
        Assert.Equal(["aa", "cc", "dd", "ff"], commands.Where((_, index) => index != 1).Select(command => command.Key));
    }

    [Fact]
    public void CommandsThatDifferOnlyInTheirKeyShareAStepButOneOfSeveralKeysIsBoundToThem()
    {
        var commands = new Workload(s_path).Bind((_, with) => new { with.Keys });
        Assert.Same(commands[2].Step, commands[4].Step);
        Assert.Equal(["aa", "bb"], commands[0].Step.Keys);
        Assert.Equal(["dd", "ee"], commands[3].Step.Keys);
    }
}
