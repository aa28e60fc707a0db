<?php

declare(strict_types=1);

namespace Respmark\Tests;

use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Respmark\Loop;
use Respmark\Part;

/**
 * The open loop: every unit starts once it is due, none is left out, and what is kept of it adds up.
 */
final class ArrivalsTest extends TestCase
{
    private const MS = 1_000_000;
    private const MINUTE = 60_000_000_000;

    /** @var list<array{int, float|int}> where each unit began, and when */
    private array $begun = [];

    /** @param array{awake_ns?: int} $awake */
    #[TestWith([[]])]
    #[TestWith([['awake_ns' => 0]])]
    public function testAUnitStartsWhenItIsDueAndItsTimesAddUp(array $awake): void
    {
        $at = hrtime(true) + self::MS;
        [$leadIn, $measured] = self::parts([0, 0.5, 1, 2, 2, 2.5], $at, 2, awake: $awake);
        $loop = self::loop();

        self::assertSame(2, $loop->runDue($this->unit(), $leadIn, false));
        self::assertGreaterThanOrEqual($at + self::MS, hrtime(true));
        self::assertSame(4, $loop->runDue($this->unit(), $measured, true));
        self::assertGreaterThanOrEqual($at + 5 * self::MS, hrtime(true));
        [$dues, $lags, $latencies] = self::kept($loop);
        self::assertSame([1e6, 2e6, 2e6, 2.5e6], $dues);
        foreach ($dues as $unit => $due) {
            $moment = $this->begun[2 + $unit][1] - $at - $due;
            self::assertTrue(0 <= $lags[$unit] && $lags[$unit] <= $moment && $moment <= $lags[$unit] + $latencies[$unit]);
        }
        self::assertSame(['latencies' => '', 'due' => '', 'lags' => '', 'counts' => [], 'dropped' => 0], $loop->take());
    }

    public function testLateUnitsStartAtOnceAndNoneIsLeftOut(): void
    {
        $dues = range(1, 4, 0.25);
        [, $measured] = self::parts($dues, hrtime(true) - 1_000 * self::MS, 0);
        $loop = self::loop(depth: 3);

        self::assertSame(13, $loop->runDue($this->unit(), $measured, true));
        [$kept, $lags] = self::kept($loop);
        self::assertSame(array_map(static fn (float|int $ms): float => $ms * self::MS, $dues), $kept);
        self::assertSame(range(0, 36, 3), array_column($this->begun, 0));
        foreach ($kept as $unit => $due) {
            self::assertGreaterThanOrEqual(1_000 * self::MS, $lags[$unit] + $due);
        }
    }

    public function testTheFirstUnitsAreOfTheLeadInTheOthersOfTheMeasuredPart(): void
    {
        [$leadIn, $measured] = self::parts([0.2, 0.8, 1.4], 0, 2);

        self::assertSame([[200_000, 800_000], [1_400_000]], [$leadIn->dues, $measured->dues]);
    }

    public function testWhatHasNotStartedWhenThePartIsClosedNeverDoes(): void
    {
        [$leadIn] = self::parts([0, 0], hrtime(true) - 3 * self::MS, 2, drainNs: self::MS);
        $loop = self::loop();

        self::assertSame(0, $loop->runDue($this->unit(), $leadIn, true));
        self::assertSame([[], 0], [$this->begun, $loop->at]);
        self::assertSame([0], $loop->take()['counts']);
    }

    public function testAFailedUnitIsCountedAsAnErrorAndKeptWithANegativeLatency(): void
    {
        [, $measured] = self::parts([1, 1, 1], hrtime(true), 0);
        $loop = self::loop();
        $unit = $this->unit(fn () => count($this->begun) < 2 ? throw new \RuntimeException('reset by peer') : usleep(1));

        self::assertSame(2, $loop->runDue($unit, $measured, true));
        self::assertSame(['RuntimeException' => 1], $loop->errors);
        $latencies = self::kept($loop)[2];
        self::assertSame([true, false, false], array_map(static fn (float $latency): bool => $latency < 0, $latencies));
    }

    public function testUnitsThatDoNotFitAreCounted(): void
    {
        [, $measured] = self::parts([1, 1, 1], hrtime(true), 0);
        $loop = self::loop(samples: 2);

        self::assertSame(3, $loop->runDue($this->unit(), $measured, true));
        $taken = $loop->take();
        self::assertSame([[2], 1], [$taken['counts'], $taken['dropped']]);
    }

    /**
     * @param array<float|int>      $dues   in ms
     * @param int                   $before how many of them are of the lead-in
     * @param array{awake_ns?: int} $awake
     *
     * @return array{Part, Part} a lead-in of 1 ms and a measured part of 4 ms
     */
    private static function parts(array $dues, int $at, int $before, int $drainNs = self::MINUTE, array $awake = []): array
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'arrivals');
        file_put_contents($file, pack('P*', ...array_map(static fn (float|int $ms): int => (int) ($ms * self::MS), $dues)));
        $read = Part::read(['file' => $file, 'at' => $at, 'lead_in' => $before, 'drain_ns' => $drainNs, ...$awake], self::MS, 4 * self::MS);
        unlink($file);

        return $read;
    }

    /** @return array{list<float>, list<float>, list<float>} due times, lags and latencies */
    private static function kept(Loop $loop): array
    {
        $taken = $loop->take();
        $columns = [];
        foreach ([$taken['due'] ?? '', $taken['lags'] ?? '', $taken['latencies']] as $column) {
            /** @var array<float> $numbers */
            $numbers = unpack('e*', (string) base64_decode($column, true));
            $columns[] = array_values($numbers);
        }

        return $columns;
    }

    /** @return \Closure(int): mixed notes where it begins, and when */
    private function unit(?\Closure $unit = null): \Closure
    {
        return function (int $at) use ($unit): mixed {
            $this->begun[] = [$at, hrtime(true)];

            return null === $unit ? null : $unit();
        };
    }

    private static function loop(int $depth = 1, int $samples = 100): Loop
    {
        return new Loop(static function (): void {}, $depth, 1_000, $samples, true);
    }
}
