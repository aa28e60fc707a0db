<?php

declare(strict_types=1);

namespace Respmark\Tests;

use PHPUnit\Framework\TestCase;
use Respmark\Loop;

final class LoopTest extends TestCase
{
    /** @var list<int> */
    private array $begun = [];

    public function testAUnitThatIsOverAfterTheTimeIsTheLast(): void
    {
        self::assertSame(1, self::loop()->run($this->unit(), 0, false));
    }

    public function testEveryUnitBeginsWhereTheOneBeforeItEnded(): void
    {
        $loop = self::loop(depth: 3, commands: 10);
        $loop->at = 4;
        foreach (range(1, 5) as $_) {
            $loop->run($this->unit(), 0, false);
        }

        self::assertSame([4, 7, 0, 3, 6], $this->begun);
        self::assertSame(9, $loop->at);
    }

    public function testAFailedUnitCountsByItsClassAndNotAsAUnit(): void
    {
        $recovered = 0;
        $unit = $this->unit(fn () => count($this->begun) < 3 ? throw new \RuntimeException('reset by peer') : null);
        $loop = self::loop(static function () use (&$recovered): void {
            ++$recovered;
        });

        self::assertSame([0, 0, 1], [$loop->run($unit, 0, false), $loop->run($unit, 0, false), $loop->run($unit, 0, false)]);
        self::assertSame(['RuntimeException' => 2], $loop->errors);
        self::assertSame('reset by peer', $loop->firstError);
        self::assertSame(2, $recovered);
        self::assertSame([0, 1, 2], $this->begun);
    }

    public function testAnErrorOfTheProgramEndsIt(): void
    {
        $this->expectException(\TypeError::class);

        // @phpstan-ignore argument.type (the loop calls it with a number: an error of the loop's own)
        self::loop()->run(strrev(...), 0, false);
    }

    public function testLatenciesThatDoNotFitAreCountedAndTheUnitsStillAre(): void
    {
        $loop = self::loop(samples: 10);
        while (count($this->begun) < 5_000) {
            $loop->run($this->unit(), hrtime(true) + 1_000_000, true);
        }
        $taken = $loop->take();

        self::assertSame(10, array_sum($taken['counts']));
        self::assertSame(10 * 8, strlen((string) base64_decode($taken['latencies'], true)));
        self::assertSame(count($this->begun), 10 + $taken['dropped']);
        self::assertSame(['latencies' => '', 'counts' => [], 'dropped' => 0], $loop->take());
    }

    public function testLatenciesOfEachSliceFollowThoseOfTheOneBefore(): void
    {
        $loop = self::loop();
        $unit = $this->unit(static fn () => usleep(100));
        $first = $loop->run($unit, 0, true);
        $loop->run($unit, 0, false); // not kept: overwritten by the next
        $second = $loop->run($unit, hrtime(true) + 500_000, true);
        $taken = $loop->take();
        $latencies = unpack('e*', (string) base64_decode($taken['latencies'], true));

        self::assertSame([$first, $second], $taken['counts']);
        self::assertIsArray($latencies);
        self::assertCount($first + $second, $latencies);
        self::assertSame([], array_filter($latencies, static fn (mixed $latency): bool => $latency < 100_000));
    }

    /** @return \Closure(int): mixed notes where it begins */
    private function unit(?\Closure $unit = null): \Closure
    {
        return function (int $at) use ($unit): mixed {
            $this->begun[] = $at;

            return null === $unit ? null : $unit();
        };
    }

    /** @param null|\Closure(\Throwable):void $recover */
    private static function loop(?\Closure $recover = null, int $depth = 1, int $commands = 1_000_000, int $samples = 100_000): Loop
    {
        return new Loop($recover ?? static function (): void {}, $depth, $commands, $samples);
    }
}
