<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** Latencies: raw ones in a packed array, written through beforehand so that a slice grows nothing, and their histogram. */
final class Samples
{
    /** Room for dozens of slices of the fastest client, in 4 MiB. */
    public const CAPACITY = 1 << 18;
    public const BYTES = 16;

    /** @var non-empty-list<float|int> nanoseconds, whole where integers have 64 bits */
    public array $storage;

    /** So many at the beginning of the storage are to be kept. */
    public int $count = 0;
    public readonly Histogram $histogram;

    public function __construct(int $capacity = self::CAPACITY)
    {
        $this->storage = array_fill(0, max(1, $capacity), 0);
        $this->histogram = new Histogram();
    }

    /** Between slices: makes room before it is short. */
    public function makeRoom(): void
    {
        if (2 * $this->count > count($this->storage)) {
            $this->fold($this->count);
        }
    }

    /** Counts the first samples in the histogram; the storage is free again. */
    public function fold(int $count): void
    {
        $this->histogram->fold($this->storage, $count);
        $this->count = 0;
    }
}
