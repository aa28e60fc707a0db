<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

use Respmark\Recorder\Histogram;

/** What a loop has done in a window. */
final class Tally
{
    public int $units = 0;
    public readonly Histogram $histogram;

    public function __construct()
    {
        $this->histogram = new Histogram();
    }

    /**
     * Takes the samples of units that succeeded; the storage is free again.
     *
     * @param array<int, float|int> $samples nanoseconds, whole where integers have 64 bits
     */
    public function fold(array $samples, int $count): void
    {
        $this->histogram->fold($samples, $count);
        $this->units += $count;
    }
}
