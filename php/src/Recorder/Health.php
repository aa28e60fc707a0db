<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** PHP's cycle collector since a moment, and the memory that the process took. */
final readonly class Health
{
    private function __construct(private int $runs) {}

    public static function start(): self
    {
        return new self(gc_status()['runs']);
    }

    /** @return array<string, int> */
    public function stop(): array
    {
        return ['gc_collections' => gc_status()['runs'] - $this->runs];
    }

    /**
     * The peak of what was resident, the C extensions' share with it. Linux says it; `getrusage` would tell a parent's
     * peak where that was higher.
     */
    public static function peakMemoryBytes(): int
    {
        $status = (string) @file_get_contents('/proc/self/status');
        $isLinux = 1 === preg_match('/^VmHWM:\s+(\d+) kB$/m', $status, $found);

        return $isLinux ? 1_024 * (int) $found[1] : memory_get_peak_usage(true);
    }
}
