<?php

declare(strict_types=1);

namespace Respmark\Tests\Recorder;

use PHPUnit\Framework\TestCase;
use Respmark\Recorder\Cpu;

/** @internal */
final class CpuTest extends TestCase
{
    /** CPU time is that of this process, and grows with work. */
    public function testWorkIsCounted(): void
    {
        $before = Cpu::now();
        $limit = microtime(true) + 10;
        do {
            hash('sha256', str_repeat('x', 1 << 16));
            $used = Cpu::now()->since($before);
        } while ($used->userNs + $used->systemNs < 20_000_000 && microtime(true) < $limit);
        self::assertGreaterThanOrEqual(20_000_000, $used->userNs + $used->systemNs);
    }

    /** The peak is some megabytes at least, in bytes. */
    public function testPeakMemoryIsInBytes(): void
    {
        self::assertGreaterThan(memory_get_peak_usage(), Cpu::peakMemoryBytes());
    }
}
