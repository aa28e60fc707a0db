using Respmark.Contract;
using Respmark.Tests.Support;

namespace Respmark.Tests.Contract;

public class TrialParserTests
{
    public static TheoryData<string> Valid => [.. Golden.Files("trials", "valid")];

    public static TheoryData<string> Invalid => [.. Golden.Files("trials", "invalid")];

    [Theory]
    [MemberData(nameof(Valid))]
    public void EveryValidGoldenTrialIsTaken(string path)
    {
        var trial = TrialParser.Parse(File.ReadAllBytes(path));
        Assert.Equal("golden", trial.TrialId);
        Assert.Equal("a-library", trial.Client.Library);
        Assert.Equal(100, trial.VerifyCommands);
    }

    [Theory]
    [MemberData(nameof(Invalid))]
    public void EveryInvalidGoldenTrialIsRefusedWithItsPlace(string path)
    {
        var refused = Assert.Throws<InvalidInputException>(() => TrialParser.Parse(File.ReadAllBytes(path)));
        Assert.Equal(ExitCode.InvalidInput, refused.ExitCode);
        Assert.StartsWith("trial", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void ATargetIsTakenWhole()
    {
        var path = Golden.Files("trials", "valid").Single(path => path.EndsWith("secured-target.json", StringComparison.Ordinal));
        var target = TrialParser.Parse(File.ReadAllBytes(path)).Target;
        Assert.Equal(
            new Endpoint("redis.example", 6380, null, 2, "bench", "golden-secret", new Tls("/etc/ssl/ca.pem", null, null, true)),
            target);
        Assert.DoesNotContain("golden-secret", target.ToString(), StringComparison.Ordinal);
    }

    [Fact]
    public void WhatIsNoJsonIsNotRepeated()
    {
        var refused = Assert.Throws<InvalidInputException>(() => TrialParser.Parse("a secret"u8.ToArray()));
        Assert.DoesNotContain("secret", refused.Message, StringComparison.Ordinal);
    }
}
