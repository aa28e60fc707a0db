using Respmark.Scenarios;

namespace Respmark.Tests.Scenarios;

public class FailuresTests
{
    private readonly Streak _streak = new();
    private int _settled;

    [Fact]
    public void FailuresAreCountedByTheirClassAndTheFirstKeepsItsWords()
    {
        var failures = Of(error => error is TimeoutException);
        Accept(failures, new TimeoutException("no reply\n in time"));
        Accept(failures, new TimeoutException("second"));
        var (counts, first) = failures.Take();
        Assert.Equal(new Dictionary<string, long>(StringComparer.Ordinal) { ["TimeoutException"] = 2 }, counts);
        Assert.Equal("TimeoutException: no reply in time", first);
        Assert.Equal(2, _settled);
        Assert.False(failures.Concerns(new InvalidOperationException()));
    }

    [Fact]
    public void EverySliceHasItsOwnCounts()
    {
        var failures = Of(_ => true);
        Accept(failures, new TimeoutException());
        failures.Take();
        var (counts, first) = failures.Take();
        Assert.Empty(counts);
        Assert.Null(first);
    }

    [Fact]
    public void ALongDiagnosisIsShortened()
    {
        var failures = Of(_ => true);
        Accept(failures, new TimeoutException(new string('x', 900)));
        Assert.Equal(500, failures.Take().First!.Length);
    }

    [Fact]
    public void TwentyFiveInARowLoseTheTarget()
    {
        var failures = Of(_ => true);
        Repeat(24, () => Accept(failures, new TimeoutException()));
        var lost = Assert.Throws<LostException>(() => Accept(failures, new TimeoutException("last")));
        Assert.Equal("25 units in a row failed", lost.Message);
        Assert.Equal("last", lost.InnerException!.Message);
    }

    [Fact]
    public void ASuccessBetweenBeginsANewRow()
    {
        var failures = Of(_ => true);
        Repeat(24, () => Accept(failures, new TimeoutException()));
        _streak.End();
        Repeat(24, () => Accept(failures, new TimeoutException()));
        Assert.Equal(48, failures.Take().Counts["TimeoutException"]);
    }

    private static void Repeat(int times, Action action)
    {
        for (var time = 0; time < times; time++)
        {
            action();
        }
    }

    private void Accept(Failures failures, Exception error) =>
        failures.AcceptAsync(error, _streak).GetAwaiter().GetResult();

    private Failures Of(Func<Exception, bool> isFailure) => new(isFailure, () =>
    {
        _settled++;
        return Task.CompletedTask;
    });
}
