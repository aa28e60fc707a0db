<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** Latencies: raw ones in a packed array, filled beforehand so it never grows in a slice, and their histogram. */
final class Samples
{
    /** Room for dozens of slices of the fastest client, in 4 MiB. */
    public const CAPACITY = 1 << 18;
    public const BYTES = 16;

    /** @var non-empty-list<float|int> nanoseconds, whole where integers have 64 bits */
    public array $storage;

    /** How many samples at the start of the storage are to be kept. */
    public int $count = 0;
    public readonly Histogram $histogram;

    public function __construct(int $capacity = self::CAPACITY)
    {
        $this->storage = array_fill(0, max(1, $capacity), 0);
        $this->histogram = new Histogram();
    }

    /** Folds the samples if they take up more than half of the storage. */
    public function makeRoom(): void
    {
        if (2 * $this->count > count($this->storage)) {
            $this->fold($this->count);
        }
    }

    /** Folds the first `count` samples into the histogram, which empties the storage. */
    public function fold(int $count): void
    {
        $this->histogram->fold($this->storage, $count);
        $this->count = 0;
    }
}
