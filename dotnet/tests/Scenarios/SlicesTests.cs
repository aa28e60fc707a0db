using Respmark.Clients;
using Respmark.Contract;
using Respmark.Scenarios;
using Respmark.Tests.Support;
using Respmark.Workload;

namespace Respmark.Tests.Scenarios;

/// <summary>Slices of units that need no server.</summary>
public class SlicesTests
{
    private const int Commands = 1000;

    private static readonly SliceOrder Short = new(3, 2_000_000, 1_000_000, 600, KeepSamples: true);

    /// <summary>Flows over units that are done at once keep their threads of the pool.</summary>
    static SlicesTests() => ThreadPool.SetMinThreads(64, 64);

    public static TheoryData<string, int> Kinds => new() { { "blocking", 1 }, { "blocking", 3 }, { "flow", 1 }, { "flow", 3 } };

    [Theory]
    [MemberData(nameof(Kinds))]
    public void ASliceClaimsWhatWasPerformed(string kind, int walkers)
    {
        var trial = new Trial(kind, walkers);
        for (var slice = 1; slice <= 5; slice++)
        {
            var before = trial.Performed;
            var claimed = trial.Slices.Run(Short with { Number = slice, FirstCommand = 100 * slice });
            Assert.Equal(slice, claimed.Slice);
            Assert.Equal(trial.Performed - before, claimed.LeadIn.Units + claimed.Measured.Units);
            Assert.True(claimed.LeadIn.Units >= walkers);
            Assert.True(claimed.Measured.Units >= walkers);
            Assert.Equal(claimed.Measured.Units * Trial.PerUnit, claimed.Measured.Operations);
            Assert.Equal(claimed.LeadIn.Operations + claimed.Measured.Operations, claimed.Segments.Sum(segment => segment.Operations));
            Assert.Equal(
                Enumerable.Range(0, walkers).Select(number => ((100 * slice) + (number * Commands / walkers)) % Commands),
                claimed.Segments.Select(segment => segment.FirstCommand));
        }
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void PartsLastAsLongAsOrderedAndFollowOneAnother(string kind, int walkers)
    {
        var claimed = new Trial(kind, walkers).Slices.Run(Short);
        Assert.True(claimed.MeasuredFrom.AtNs - claimed.Started.AtNs >= Short.LeadInNs);
        Assert.True(claimed.Ended.AtNs - claimed.MeasuredFrom.AtNs >= Short.DurationNs);
        Assert.True(claimed.Ended.CpuUserNs >= claimed.Started.CpuUserNs);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void WithoutALeadInThereIsNoWorkBeforeTheMeasuredPart(string kind, int walkers)
    {
        var claimed = new Trial(kind, walkers).Slices.Run(Short with { LeadInNs = 0 });
        Assert.Equal(new Work(0, 0), claimed.LeadIn);
        Assert.True(claimed.MeasuredFrom.AtNs >= claimed.Started.AtNs);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void TheResultHasTheSamplesOfMeasuredPartsThatWereToBeKept(string kind, int walkers)
    {
        var trial = new Trial(kind, walkers);
        trial.Slices.Run(Short with { KeepSamples = false });
        var kept = trial.Slices.Run(Short).Measured.Units;
        trial.Slices.Run(Short with { KeepSamples = false });
        kept += trial.Slices.Run(Short).Measured.Units;
        trial.Slices.Fold();
        Assert.Equal(kept, trial.Slices.Histogram.Sparse().Sum(pair => pair.Count));
    }

    [Fact]
    public void AWalkerGoesOnInTheMeasuredPartWhereTheLeadInStopped()
    {
        var trial = new Trial("blocking", 1);
        trial.Slices.Run(Short);
        var taken = trial.Units[0].Taken;
        Assert.Equal(Enumerable.Range(0, taken.Count).Select(step => (600 + step) % Commands), taken);
    }

    [Fact]
    public void AWalkerKeepsItsThreadFromSliceToSlice()
    {
        var trial = new Trial("blocking", 3);
        trial.Slices.Run(Short);
        trial.Slices.Run(Short);
        Assert.All(trial.Units, unit => Assert.Single(unit.Threads));
        Assert.Equal(3, trial.Units.SelectMany(unit => unit.Threads).Distinct().Count());
        Assert.DoesNotContain(Environment.CurrentManagedThreadId, trial.Units.SelectMany(unit => unit.Threads));
    }

    [Theory]
    [InlineData("blocking")]
    [InlineData("flow")]
    public void BetweenTwoUnitsNothingIsAllocated(string kind)
    {
        var trial = new Trial(kind, 1);
        trial.Slices.Run(Short);
        trial.Units[0].ForgetAllocations();
        var claimed = trial.Slices.Run(Short);
        Assert.True(claimed.Measured.Units > 1);
        Assert.Equal(0, trial.Units[0].AllocatedBetween);
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void AFailedUnitIsAnErrorAndNoOperation(string kind, int walkers)
    {
        var trial = new Trial(kind, walkers, unit => unit.Calls % 2 == 0 ? new TimeoutException("late") : null);
        var claimed = trial.Slices.Run(Short);
        Assert.Equal(trial.Performed, claimed.LeadIn.Units + claimed.Measured.Units);
        Assert.Equal(trial.Units.Sum(unit => unit.Calls) - trial.Performed, Assert.Single(claimed.Errors).Value);
        Assert.Equal("TimeoutException: late", claimed.FirstError);
        Assert.Equal(trial.Performed * Trial.PerUnit, claimed.Segments.Sum(segment => segment.Operations));
    }

    [Theory]
    [MemberData(nameof(Kinds))]
    public void TwentyFiveFailuresOfOneWalkerInARowLoseTheTarget(string kind, int walkers)
    {
        // The others go on until the slice is over, though nobody waits for them any more.
        var trial = new Trial(kind, walkers, unit =>
        {
            Thread.Sleep(unit.Number);
            return unit.Number == 0 ? new TimeoutException("late") : null;
        });
        var lost = Assert.Throws<LostException>(() => trial.Slices.Run(Short with { DurationNs = 10_000_000_000 }));
        Assert.Equal("25 units in a row failed", lost.Message);
        Assert.Equal(25, trial.Units[0].Calls);
    }

    [Fact]
    public void ARowOfFailuresGoesOnInTheNextSlice()
    {
        var trial = new Trial("blocking", 1, _ => new TimeoutException("late"), settle: () => Task.Delay(5));
        var slices = 0;
        Assert.Throws<LostException>(void () =>
        {
            for (; ; )
            {
                trial.Slices.Run(Short);
                slices++;
            }
        });
        Assert.InRange(slices, 1, 24);
        Assert.Equal(25, trial.Units[0].Calls);
    }

    [Theory]
    [InlineData("blocking")]
    [InlineData("flow")]
    public void AFaultOfTheRunnerEndsTheTrialAsItIs(string kind)
    {
        var trial = new Trial(kind, 2, unit => unit.Calls == 2 ? new InvalidOperationException("ours") : null);
        Assert.Throws<InvalidOperationException>(() => trial.Slices.Run(Short));
    }

    [Fact]
    public async Task InAWindowThatSlidesWhicheverCompletesSendsTheNext()
    {
        var places = Enumerable.Range(0, 3).Select(_ => new Place()).ToArray();
        var slices = new Slices(
            "test", [Lane.Of([.. places])], Walker.Of(Commands, new WorkloadPart("", 0, 1), 1), new Failures(_ => false, () => Task.CompletedTask));
        var working = Task.Run(() => slices.Run(new SliceOrder(1, 60_000_000_000, 0, 600, KeepSamples: true)));
        Assert.Equal([600, 601, 602], places.Select(place => place.Sent(1)).Order());
        var oldest = places.Single(place => place.Last == 600);
        var others = places.Where(place => place != oldest).ToArray();
        for (var next = 603; next < 613; next++)
        {
            var place = others[next % 2];
            place.Answer();
            Assert.Equal(next, place.Sent(1 + ((next - 601) / 2)));
        }

        // A fault of the runner ends the part for all, though nobody answers the oldest.
        others[0].Fail(new InvalidOperationException("ours"));
        await Assert.ThrowsAsync<InvalidOperationException>(() => working);
    }

    [Fact]
    public void TheLimitsAreTheContracts()
    {
        var limits = Golden.Json("limits.json");
        Assert.Equal(Limits.FailuresInARow, limits.GetProperty("failures_in_a_row").GetInt32());
        Assert.Equal(Limits.Silence.TotalMilliseconds, limits.GetProperty("silence_ms").GetInt32());
    }

    [Fact]
    public void WhereNothingSucceedsForSoLongTheTargetIsLost()
    {
        var trial = new Trial("silent", 2);
        var lost = Assert.Throws<LostException>(() => trial.Slices.Run(Short));
        Assert.Equal("no unit succeeded for 10 s", lost.Message);
    }

    /// <summary>Slices of units of our own.</summary>
    private sealed class Trial
    {
        public const int PerUnit = 2;

        public Trial(string kind, int walkers, Func<Fake, Exception?>? failure = null, Func<Task>? settle = null)
        {
            Units = [.. Enumerable.Range(0, walkers).Select(number => new Fake(number, failure ?? (_ => null)))];
            var lanes = Units.Select(unit => kind switch
            {
                "blocking" => Lane.Of(new Blocking(unit)),
                "flow" => Lane.Of(new Flow(unit)),
                _ => Lane.Of(new Silent()),
            }).ToList();
            Slices = new Slices(
                "test",
                lanes,
                Walker.Of(Commands, new WorkloadPart("", 0, 1), walkers),
                new Failures(error => error is TimeoutException, settle ?? (() => Task.CompletedTask)));
        }

        public Slices Slices { get; }

        public IReadOnlyList<Fake> Units { get; }

        public long Performed => Units.Sum(unit => unit.Performed);
    }

    /// <summary>What a unit saw. The lists have room for what fits into a slice, so that they allocate nothing either.</summary>
    private sealed class Fake(int number, Func<Fake, Exception?> failure)
    {
        private const int Room = 1 << 18;

        private long _allocated = -1;

        public int Number => number;

        public int Calls { get; private set; }

        public long Performed { get; private set; }

        public List<int> Taken { get; } = new(Room);

        public HashSet<int> Threads { get; } = new(64);

        public long AllocatedBetween { get; private set; }

        public void ForgetAllocations() => (_allocated, AllocatedBetween) = (-1, 0);

        public void Perform(Walker walker)
        {
            var now = GC.GetAllocatedBytesForCurrentThread();
            if (_allocated >= 0)
            {
                AllocatedBetween += now - _allocated;
            }

            Calls++;
            for (var command = 0; command < Trial.PerUnit; command++)
            {
                Taken.Add(walker.Next());
            }

            Threads.Add(Environment.CurrentManagedThreadId);
            if (failure(this) is { } error)
            {
                throw error;
            }

            Performed++;
            _allocated = GC.GetAllocatedBytesForCurrentThread();
        }
    }

    private sealed class Blocking(Fake fake) : BlockingUnit(Trial.PerUnit)
    {
        public override void Perform(Walker walker) => fake.Perform(walker);
    }

    private sealed class Flow(Fake fake) : AsyncUnit(Trial.PerUnit)
    {
        public override Task Send(Walker walker)
        {
            fake.Perform(walker);
            return Task.CompletedTask;
        }

        public override void Read()
        {
        }
    }

    /// <summary>A command that is answered when the test says so.</summary>
    private sealed class Place : PlaceUnit
    {
        private TaskCompletionSource _answered = new();
        private int _sent;

        public int Last { get; private set; }

        public override Task Send(int index)
        {
            Last = index;
            _answered = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            Volatile.Write(ref _sent, _sent + 1);
            return _answered.Task;
        }

        public override void Read()
        {
        }

        public void Answer() => _answered.SetResult();

        public void Fail(Exception error) => _answered.SetException(error);

        /// <summary>What was sent last, when so many commands were.</summary>
        public int Sent(int commands)
        {
            Assert.True(SpinWait.SpinUntil(() => Volatile.Read(ref _sent) == commands, TimeSpan.FromSeconds(20)));
            return Last;
        }
    }

    /// <summary>Is never answered.</summary>
    private sealed class Silent : AsyncUnit
    {
        public Silent()
            : base(1)
        {
        }

        public override Task Send(Walker walker) => new TaskCompletionSource().Task;

        public override void Read()
        {
        }
    }
}
