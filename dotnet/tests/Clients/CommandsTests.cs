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
}
