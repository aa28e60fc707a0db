<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** Storage for raw latencies: a packed array, written through before the window, so that the window grows nothing. */
final class Samples
{
    public const BYTES = 16;
    private const LEAST = 1 << 14;
    private const MOST = 1 << 20;
    private const PER_SECOND = 50_000;

    /** Room for every unit of a window, however fast; a long one folds when it is full. */
    public static function capacity(float $seconds): int
    {
        return (int) min(self::MOST, max(self::LEAST, $seconds * self::PER_SECOND));
    }

    /** @return non-empty-list<int> */
    public static function storage(int $capacity): array
    {
        return array_fill(0, max(1, $capacity), 0);
    }
}
