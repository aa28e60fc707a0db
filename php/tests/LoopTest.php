<?php

declare(strict_types=1);

namespace Respmark\Tests;

use PHPUnit\Framework\TestCase;
use Respmark\Loop;
use Respmark\Samples;

final class LoopTest extends TestCase
{
    /** @var list<int> */
    private array $begun = [];

    public function testAUnitThatIsOverAfterTheTimeIsTheLast(): void
    {
        $loop = $this->loop(static function (): void {});

        self::assertSame(1, $loop->run(0));
    }

    public function testEveryUnitBeginsWhereTheOneBeforeItEnded(): void
    {
        $loop = $this->loop(static function (): void {}, step: 3, length: 10);
        $loop->at = 4;
        foreach (range(1, 5) as $_) {
            $loop->run(0);
        }

        self::assertSame([4, 7, 0, 3, 6], $this->begun);
        self::assertSame(9, $loop->at);
    }

    public function testAFailedUnitCountsByItsClassAndNotAsAUnit(): void
    {
        $recovered = 0;
        $unit = fn () => count($this->begun) < 3 ? throw new \RuntimeException('reset by peer') : null;
        $loop = $this->loop($unit, recover: static function () use (&$recovered): void {
            ++$recovered;
        });

        self::assertSame([0, 0, 1], [$loop->run(0), $loop->run(0), $loop->run(0)]);
        self::assertSame(['RuntimeException' => 2], $loop->errors);
        self::assertSame('reset by peer', $loop->firstError);
        self::assertSame(2, $recovered);
        self::assertSame([0, 1, 2], $this->begun);
    }

    public function testAnErrorOfTheProgramEndsIt(): void
    {
        $this->expectException(\TypeError::class);

        $this->loop(static fn (): never => throw new \TypeError())->run(0);
    }

    public function testLatenciesThatDoNotFitAreCountedAndTheUnitsStillAre(): void
    {
        $samples = new Samples(10);
        $loop = $this->loop(static function (): void {}, samples: $samples);
        while (count($this->begun) < 5_000) {
            $samples->keep($loop->run(hrtime(true) + 1_000_000));
        }
        $taken = $samples->take();

        self::assertSame(10, array_sum($taken['counts']));
        self::assertSame(10 * 8, strlen((string) base64_decode($taken['latencies'], true)));
        self::assertSame(count($this->begun), 10 + $taken['dropped']);
        self::assertSame(['latencies' => '', 'counts' => [], 'dropped' => 0], $samples->take());
    }

    public function testLatenciesOfEachSliceFollowThoseOfTheOneBefore(): void
    {
        $samples = new Samples(1_000);
        $loop = $this->loop(static fn () => usleep(100), samples: $samples);
        $first = $loop->run(0);
        $samples->keep($first);
        $loop->run(0); // not kept: overwritten by the next
        $second = $loop->run(hrtime(true) + 500_000);
        $samples->keep($second);
        $taken = $samples->take();
        $latencies = unpack('e*', (string) base64_decode($taken['latencies'], true));

        self::assertSame([$first, $second], $taken['counts']);
        self::assertIsArray($latencies);
        self::assertCount($first + $second, $latencies);
        self::assertSame([], array_filter($latencies, static fn (mixed $latency): bool => $latency < 100_000));
    }

    /**
     * @param \Closure(): mixed              $unit
     * @param null|\Closure(\Exception):void $recover
     */
    private function loop(
        \Closure $unit,
        ?\Closure $recover = null,
        int $step = 1,
        int $length = 1_000_000,
        Samples $samples = new Samples(100_000),
    ): Loop {
        $perform = function (int $at) use ($unit): mixed {
            $this->begun[] = $at;

            return $unit();
        };

        return new Loop($perform, $recover ?? static function (): void {}, $step, $length, $samples);
    }
}
