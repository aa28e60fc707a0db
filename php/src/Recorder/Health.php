<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** The runs of PHP's cycle collector since `start`, and the process's peak memory. */
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
     * The peak resident set of this process, C extensions included, as Linux reports it: `getrusage` would report its
     * parent's peak if that was higher. Elsewhere it is the peak of PHP's own memory.
     */
    public static function peakMemoryBytes(): int
    {
        $status = (string) @file_get_contents('/proc/self/status');
        $isLinux = 1 === preg_match('/^VmHWM:\s+(\d+) kB$/m', $status, $found);

        return $isLinux ? 1_024 * (int) $found[1] : memory_get_peak_usage(true);
    }
}
