using Respmark.Recorder;

namespace Respmark.Tests.Recorder;

public class FailuresTests
{
    [Fact]
    public void FailuresAreCountedByTheirClassAndTheFirstKeepsItsWords()
    {
        var failures = new Failures(error => error is TimeoutException, strict: false);
        var streak = new Streak();
        failures.Accept(new TimeoutException("no reply\n in time"), streak);
        failures.Accept(new TimeoutException("second"), streak);
        Assert.Equal(new Dictionary<string, long>(StringComparer.Ordinal) { ["TimeoutException"] = 2 }, failures.Counts);
        Assert.Equal("TimeoutException: no reply in time", failures.First);
        Assert.False(failures.Concerns(new InvalidOperationException()));
    }

    [Fact]
    public void ALongDiagnosisIsShortened()
    {
        var failures = new Failures(_ => true, strict: false);
        failures.Accept(new TimeoutException(new string('x', 900)), new Streak());
        Assert.Equal(500, failures.First!.Length);
    }

    [Fact]
    public void TwentyFiveInARowLoseTheTarget()
    {
        var failures = new Failures(_ => true, strict: false);
        var streak = new Streak();
        Repeat(24, () => failures.Accept(new TimeoutException(), streak));
        var lost = Assert.Throws<LostException>(() => failures.Accept(new TimeoutException("last"), streak));
        Assert.Equal("25 units failed in a row", lost.Message);
        Assert.Equal("last", lost.InnerException!.Message);
    }

    [Fact]
    public void ASuccessBetweenBeginsANewRow()
    {
        var failures = new Failures(_ => true, strict: false);
        var streak = new Streak();
        Repeat(24, () => failures.Accept(new TimeoutException(), streak));
        streak.End();
        Repeat(24, () => failures.Accept(new TimeoutException(), streak));
        Assert.Equal(48, failures.Counts["TimeoutException"]);
    }

    [Fact]
    public void BeforeTheWindowAFailureEndsTheTrial()
    {
        var failures = new Failures(_ => true, strict: true);
        Assert.Throws<TimeoutException>(() => failures.Accept(new TimeoutException(), new Streak()));
    }

    private static void Repeat(int times, Action action)
    {
        for (var time = 0; time < times; time++)
        {
            action();
        }
    }
}
