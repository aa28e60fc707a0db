<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** Memory of this process, the C extensions' share with it. */
final class Memory
{
    /** The peak of what was resident. Linux says it; `getrusage` would tell a parent's where that was larger. */
    public static function peakBytes(): int
    {
        $status = (string) @file_get_contents('/proc/self/status');

        return 1 === preg_match('/^VmHWM:\s+(\d+) kB$/m', $status, $found)
            ? 1_024 * (int) $found[1]
            : memory_get_peak_usage(true);
    }

    /** What ended up as garbage while the trial was loaded is not collected in a slice. */
    public static function tidy(): void
    {
        gc_collect_cycles();
        gc_mem_caches();
    }
}
