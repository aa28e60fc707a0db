<?php

declare(strict_types=1);

namespace Respmark\Tests\Scenarios;

use PHPUnit\Framework\TestCase;
use Respmark\Scenarios\Window;

/** @internal */
final class WindowTest extends TestCase
{
    private const S = 1_000_000_000;

    /** @var list<array{int, int}> */
    private array $told = [];

    /** The loop looks up at half, at each second and at the end, whichever comes first. */
    public function testCheckpointsTellHalfProgressAndEnd(): void
    {
        $window = $this->window(3.0);
        $window->open(100);
        self::assertSame(100 + self::S, $window->checkpoint);
        self::assertFalse($window->reached(100 + self::S, 10));
        self::assertSame([[self::S, 10]], $this->told);
        self::assertSame(100 + (int) (1.5 * self::S), $window->checkpoint);
        self::assertNull($window->half);
        self::assertFalse($window->reached(107 + (int) (1.5 * self::S), 16));
        self::assertSame(['units' => 16, 'elapsed_ns' => 7 + (int) (1.5 * self::S)], $window->half);
        self::assertSame(100 + 2 * self::S, $window->checkpoint);
        self::assertFalse($window->reached(100 + 2 * self::S, 20));
        self::assertTrue($window->reached(105 + 3 * self::S, 30));
        self::assertSame(105 + 3 * self::S, $window->ended);
        self::assertSame([[self::S, 10], [2 * self::S, 20]], $this->told);
    }

    /** Seconds that passed within one unit are not made up for. */
    public function testAUnitOfManySecondsTellsProgressOnce(): void
    {
        $window = $this->window(60.0);
        $window->open(0);
        $window->reached(5 * self::S + 1, 1);
        self::assertSame([[5 * self::S + 1, 1]], $this->told);
        self::assertSame(6 * self::S, $window->checkpoint);
    }

    /** When one unit fills the second half there is no half to tell of. */
    public function testAWindowMayHaveNoHalf(): void
    {
        $window = $this->window(1.0);
        $window->open(0);
        self::assertTrue($window->reached(2 * self::S, 1));
        self::assertNull($window->half);
    }

    private function window(float $seconds): Window
    {
        return new Window($seconds, function (int $elapsed, int $units): void {
            $this->told[] = [$elapsed, $units];
        });
    }
}
