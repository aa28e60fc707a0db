<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

use Respmark\Recorder\Histogram;

/** What a loop has done in a window. */
final class Tally
{
    public int $units = 0;
    private readonly Histogram $histogram;

    /** @var array<int, float|int> */
    private array $samples = [];
    private int $count = 0;

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

    /**
     * Takes the last samples, with their storage, to fold them when they are asked for: after the window.
     *
     * @param array<int, float|int> $samples
     */
    public function keep(array $samples, int $count): void
    {
        $this->samples = $samples;
        $this->count = $count;
        $this->units += $count;
    }

    /** Every sample. */
    public function histogram(): Histogram
    {
        $this->histogram->fold($this->samples, $this->count);
        [$this->samples, $this->count] = [[], 0];

        return $this->histogram;
    }
}
