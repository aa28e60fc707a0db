<?php

declare(strict_types=1);

namespace Respmark\Tests\Recorder;

use PHPUnit\Framework\TestCase;
use Respmark\Recorder\Moment;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Paths;

/** @internal */
final class MomentTest extends TestCase
{
    /** CPU is that of this process so far, in nanoseconds, and grows with work; so does the time. */
    public function testTimeAndCpuGrow(): void
    {
        $first = Moment::opening()->toJson();
        $limit = microtime(true) + 10;
        do {
            hash('sha256', str_repeat('x', 1 << 16));
            $later = Moment::closing()->toJson();
            $used = $later['cpu_user_ns'] + $later['cpu_system_ns'] - $first['cpu_user_ns'] - $first['cpu_system_ns'];
        } while ($used < 20_000_000 && microtime(true) < $limit);
        self::assertGreaterThanOrEqual(20_000_000, $used);
        self::assertGreaterThanOrEqual($first['at_ns'] + $used, $later['at_ns']);
    }

    /** A moment has the fields that the contract gives it. */
    public function testTheFieldsAreTheContracts(): void
    {
        $golden = Json::map(Paths::text('slice.json'))['started'];
        self::assertIsArray($golden);
        self::assertSame(array_keys($golden), array_keys(Moment::opening()->toJson()));
    }
}
