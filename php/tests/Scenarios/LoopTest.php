<?php

declare(strict_types=1);

namespace Respmark\Tests\Scenarios;

use PHPUnit\Framework\TestCase;
use Respmark\Contract\Limits;
use Respmark\Recorder\Samples;
use Respmark\Scenarios\Failures;
use Respmark\Scenarios\Loop;
use Respmark\Scenarios\Lost;

/** @internal */
final class LoopTest extends TestCase
{
    private const MS = 1_000_000;

    /** @var list<int> where the units began */
    private array $performed = [];
    private Samples $samples;
    private Failures $failures;

    protected function setUp(): void
    {
        $this->samples = new Samples(1 << 10);
    }

    /** Each unit that succeeds is counted once and has one sample; the walk goes on from unit to unit and goes round. */
    public function testEveryUnitIsOneSample(): void
    {
        $loop = $this->loop($this->note(...), step: 3);
        $loop->goTo(7);
        $units = $this->part($loop);
        self::assertGreaterThan(3, $units);
        self::assertCount($units, $this->performed);
        self::assertSame([7, 0, 3, 6, 9], array_slice($this->performed, 0, 5));
        self::assertSame($units, $this->samples->count);
        self::assertSame($units, $this->folded());
    }

    /** The measured part goes on where the lead-in stopped, and only its own samples are kept. */
    public function testTheSecondPartGoesOnWhereTheFirstStopped(): void
    {
        $loop = $this->loop($this->note(...));
        $leadIn = $this->part($loop, keep: false);
        self::assertSame(0, $this->samples->count);
        $measured = $this->part($loop);
        self::assertSame($measured, $this->samples->count);
        self::assertSame(array_map(static fn (int $unit): int => $unit % 10, range(0, $leadIn + $measured - 1)), $this->performed);
    }

    /** A part whose time is over before it begins has one unit all the same. */
    public function testAPartHasOneUnitAtLeast(): void
    {
        self::assertSame(1, $this->loop($this->note(...))->run(0, keep: true));
    }

    /** A part that outgrows the storage loses no sample that is to be kept, and keeps none of the others. */
    public function testASmallStorageLosesNothing(): void
    {
        $this->samples = new Samples(7);
        $loop = $this->loop($this->note(...));
        $kept = 0;
        for ($slice = 0; $slice < 3; ++$slice) {
            self::assertGreaterThan(7, $this->part($loop, keep: false));
            $units = $this->part($loop);
            self::assertGreaterThan(7, $units);
            $kept += $units;
            $this->samples->makeRoom();
        }
        self::assertSame($kept, $this->folded());
    }

    /** The loop writes to the storage that there is: no part makes another. Units are slow enough not to fill it. */
    public function testNothingGrowsInAPart(): void
    {
        $this->samples = new Samples();
        $loop = $this->loop(static function (): void { usleep(20); });
        $loop->run(0, keep: true);
        memory_reset_peak_usage();
        $before = memory_get_peak_usage();
        $this->part($loop, keep: false);
        $this->part($loop);
        self::assertLessThan(1 << 12, memory_get_peak_usage() - $before);
    }

    /** A unit that fails adds to the errors, by its kind, and to nothing else; the walk goes on after it. */
    public function testAUnitThatFailsCountsAsAnErrorOnly(): void
    {
        $session = new FakeSession(function (int $at): void {
            $this->note($at);
            if (2 === count($this->performed)) {
                throw new \DomainException('no reply');
            }
        });
        $units = $this->part($this->loopOf($session));
        self::assertSame(['LibraryError' => 1], $this->failures->counts);
        self::assertSame('LibraryError: no reply', $this->failures->first);
        self::assertCount($units + 1, $this->performed);
        self::assertSame($units, $this->samples->count);
        self::assertSame([0, 1, 2], array_slice($this->performed, 0, 3));
        self::assertCount(1, $session->settled);
    }

    /** The 25th failed unit in a row ends the trial, in whichever part of whichever slice it is. */
    public function testTheTargetIsLostAfter25FailuresInARow(): void
    {
        $loop = $this->loop(function (int $at): void {
            $this->note($at);

            throw new \DomainException('gone');
        });

        try {
            for ($slice = 0; $slice < 100; ++$slice) {
                $this->failures->beginSlice();
                $loop->run(0, keep: false);
                $loop->run(0, keep: true);
            }
            self::fail('the loop went on');
        } catch (Lost $lost) {
            self::assertCount(Limits::FAILURES_IN_A_ROW, $this->performed);
            self::assertSame(['LibraryError' => 1], $this->failures->counts);
            self::assertSame('gone', $lost->getPrevious()?->getMessage());
        }
    }

    /** Failures with successes between them do not lose the target, wherever the parts end. */
    public function testASuccessInBetweenIsPatienceRenewed(): void
    {
        $loop = $this->loop(function (int $at): void {
            $this->note($at);
            if (0 !== count($this->performed) % 20) {
                throw new \DomainException('again');
            }
        });
        for ($part = 0; $part < 5 * Limits::FAILURES_IN_A_ROW; ++$part) {
            $loop->run(0, keep: true);
        }
        self::assertCount(5 * Limits::FAILURES_IN_A_ROW, $this->performed);
        self::assertGreaterThan(Limits::FAILURES_IN_A_ROW, $this->failures->counts['LibraryError']);
    }

    /** What is not the library's own is not counted away. */
    public function testWhatTheLibraryDoesNotThrowIsAFault(): void
    {
        $this->expectExceptionMessage('ours');
        $this->part($this->loop(static fn (): never => throw new \LogicException('ours')));
    }

    private function note(int $at): void
    {
        $this->performed[] = $at;
        usleep(200);
    }

    private function part(Loop $loop, bool $keep = true): int
    {
        return $loop->run(hrtime(true) + 20 * self::MS, $keep);
    }

    /** @param \Closure(int): mixed $perform */
    private function loop(\Closure $perform, int $step = 1): Loop
    {
        return $this->loopOf(new FakeSession($perform), $step);
    }

    private function loopOf(FakeSession $session, int $step = 1): Loop
    {
        $this->failures = new Failures($session, static fn (): int => hrtime(true));

        return new Loop($session, $step, 10, $this->failures, $this->samples);
    }

    private function folded(): int
    {
        $this->samples->fold($this->samples->count);

        return array_sum(array_column($this->samples->histogram->pairs(), 1));
    }
}
