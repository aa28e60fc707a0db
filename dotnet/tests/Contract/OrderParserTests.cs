using Respmark.Contract;
using Respmark.Tests.Support;

namespace Respmark.Tests.Contract;

public class OrderParserTests
{
    private static readonly Dictionary<string, Order> Valid = new(StringComparer.Ordinal)
    {
        ["connect.json"] = new ConnectOrder(),
        ["finish.json"] = new FinishOrder(),
        ["slice.json"] = new SliceOrder(1, 100_000_000, 50_000_000, 60, KeepSamples: true),
        ["slice-of-warm-up.json"] = new SliceOrder(1, 100_000_000, 50_000_000, 60, KeepSamples: false),
        ["slice-without-lead-in.json"] = new SliceOrder(1, 100_000_000, 0, 60, KeepSamples: true),
    };

    public static TheoryData<string> Invalid => [.. Golden.Files("orders", "invalid")];

    [Fact]
    public void EveryValidGoldenOrderIsTakenAsItIs() => Assert.Equal(
        Valid.OrderBy(order => order.Key, StringComparer.Ordinal),
        Golden.Files("orders", "valid").Select(path =>
            KeyValuePair.Create(Path.GetFileName(path), OrderParser.Parse(File.ReadAllBytes(path)))));

    [Theory]
    [MemberData(nameof(Invalid))]
    public void EveryInvalidGoldenOrderIsRefused(string path) =>
        Assert.Throws<InvalidInputException>(() => OrderParser.Parse(File.ReadAllBytes(path)));

    [Fact]
    public void ALeadInThatIsNotNamedIsNone() => Assert.Equal(
        new SliceOrder(7, 1, 0, 0, KeepSamples: true),
        OrderParser.Parse("""{"order":"slice","slice":7,"duration_ns":1,"first_command":0,"keep_samples":true}"""u8.ToArray()));
}
