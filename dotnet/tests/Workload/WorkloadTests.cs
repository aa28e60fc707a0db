using System.Text;
using System.Text.Json;
using Respmark.Contract;
using Respmark.Tests.Support;
using Respmark.Workload;

namespace Respmark.Tests.Workload;

public class WorkloadTests
{
    private static readonly CommandTable Table = WorkloadFile.Read(Golden.Workload);
    private static readonly JsonElement Written = Golden.Json("workload.json");

    [Theory]
    [InlineData("golden.workload", "workload.json")]
    [InlineData("commands.workload", "commands.json")]
    public void EveryCommandIsAsWrittenOut(string file, string written)
    {
        var table = WorkloadFile.Read(Path.Combine(Golden.Folder, file));
        var commands = Golden.Json(written).GetProperty("commands").EnumerateArray().ToList();
        Assert.Equal(commands.Count, table.Length);
        for (var index = 0; index < commands.Count; index++)
        {
            Assert.Equal(commands[index].EnumerateArray().Select(word => word.GetString()), Words(table, index));
        }
    }

    [Fact]
    public void TheLargestValueOfAKeyIsAsWrittenOut() => Assert.Equal(
        Written.GetProperty("largest_value_of_key_7").GetString(),
        Encoding.ASCII.GetString(Table.Value(7, Table.Header.ValueSizeMax)));

    [Fact]
    public void EveryPartBeginsAtItsCommand()
    {
        foreach (var part in Written.GetProperty("first_command_of_part").EnumerateObject())
        {
            var numbers = part.Name.Split(" of ").Select(int.Parse).ToArray();
            var walker = Walker.Of(Table.Length, new WorkloadPart("", numbers[0], numbers[1]), 1)[0];
            walker.Begin(0);
            Assert.Equal(part.Value.GetInt32(), walker.First);
        }
    }

    [Fact]
    public void WalkersAreSpreadOverTheFileFromTheFirstCommandOnAndGoRound()
    {
        var walkers = Walker.Of(10, new WorkloadPart("", 1, 2), 2);
        Assert.Equal([5, 7], FirstsOf(walkers, 0));
        Assert.Equal([7, 8, 9, 0, 1], Enumerable.Range(0, 5).Select(_ => walkers[1].Next()));
        Assert.Equal([9, 1], FirstsOf(walkers, 4));
        Assert.Equal([1, 2, 3], Enumerable.Range(0, 3).Select(_ => walkers[1].Next()));
        Assert.Equal([6, 8], FirstsOf(walkers, 4_000_000_001));
    }

    [Fact]
    public void WhatIsNoWorkloadFileIsRefused()
    {
        var content = File.ReadAllBytes(Golden.Workload);
        AssertRefused("does not start with RESPMARK", Encoding.ASCII.GetBytes("something else altogether"));
        AssertRefused("cut off", content[..^1000]);
        AssertRefused("its layout is 9", Changed(content, 8, 9));
        AssertRefused("its layout is 1", Changed(content, 8, 1));
        AssertRefused("not JSON", Changed(content, 16, (byte)'x'));
        Assert.Contains(
            "/none",
            Assert.Throws<InvalidInputException>(() => WorkloadFile.Read("/none")).Message,
            StringComparison.Ordinal);
    }

    private static IEnumerable<int> FirstsOf(Walker[] walkers, long firstCommand)
    {
        Array.ForEach(walkers, walker => walker.Begin(firstCommand));
        return walkers.Select(walker => walker.First);
    }

    private static void AssertRefused(string complaint, byte[] content) => Assert.Contains(
        complaint,
        Assert.Throws<InvalidInputException>(() => WorkloadFile.Parse(content)).Message,
        StringComparison.Ordinal);

    private static byte[] Changed(byte[] content, int at, byte value)
    {
        var changed = (byte[])content.Clone();
        changed[at] = value;
        return changed;
    }

    private static IEnumerable<string> Words(CommandTable table, int index) => table.Kind(index).Arguments.Select(argument => argument.Kind switch
    {
        ArgumentKind.Key => table.Key(table.KeyNumber(index) + argument.Offset),
        ArgumentKind.Value => Encoding.ASCII.GetString(table.Value(table.KeyNumber(index) + argument.Offset, table.ValueSize(index))),
        _ => argument.Text,
    }).Prepend(table.Kind(index).Name);
}
