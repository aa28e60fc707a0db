using Respmark.Clients;
using Respmark.Tests.Support;
using Respmark.Workload;

namespace Respmark.Tests.Clients;

public class CommandsTests
{
    [Fact]
    public void EqualValuesAreOneObject()
    {
        var table = WorkloadFile.Read(Golden.Workload);
        var sets = Enumerable.Range(0, table.Length).Where(index => table.Kind(index).Name == "SET").ToList();
        var distinct = sets.Select(index => (table.ValueStart(table.KeyNumber(index)), table.ValueSize(index))).Distinct().Count();
        Assert.True(distinct < sets.Count);
        Assert.Equal(distinct, new Commands(table, asText: false).DistinctValues);
    }

    [Theory]
    [InlineData("NOSUCH")]
    [InlineData("EXPIRE")]
    [InlineData("SADD")]
    public void ACommandThatNoMethodSendsIsUnsupported(string name)
    {
        var kind = new CommandKind(name, [new Argument(ArgumentKind.Key, string.Empty)]);
        var refusal = Assert.Throws<UnsupportedException>(() => Typed.Of(kind));
        Assert.Equal(ExitCode.Unsupported, refusal.ExitCode);
        Assert.StartsWith($"the library has no method that sends {name}", refusal.Message, StringComparison.Ordinal);
    }
}
