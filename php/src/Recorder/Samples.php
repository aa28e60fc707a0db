<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** Storage for raw latencies: a packed array, written through before the window, so that the window grows nothing. */
final class Samples
{
    /** 16 MiB at 16 bytes an entry: twenty seconds and more of the fastest scenario. */
    public const CAPACITY = 1 << 20;

    /** @return non-empty-list<int> */
    public static function storage(int $capacity): array
    {
        return array_fill(0, max(1, $capacity), 0);
    }
}
