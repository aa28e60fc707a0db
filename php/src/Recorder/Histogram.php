<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** Counts of samples on the HdrHistogram scale with 3 significant digits. */
final class Histogram
{
    private const EXACT_BITS = 11;

    public int $maxNs = 0;

    /** @var array<int, int> */
    private array $counts = [];

    /** The lowest value of the bucket that a value falls into. */
    public static function bucket(int $value): int
    {
        $shift = max(0, strlen(decbin($value)) - self::EXACT_BITS);

        return $value >> $shift << $shift;
    }

    /**
     * Counts the first `count` samples.
     *
     * @param array<int, float|int> $samples nanoseconds, whole where integers have 64 bits
     */
    public function fold(array $samples, int $count): void
    {
        for ($index = 0; $index < $count; ++$index) {
            $sample = (int) $samples[$index];
            $bucket = self::bucket($sample);
            $this->counts[$bucket] = ($this->counts[$bucket] ?? 0) + 1;
            if ($sample > $this->maxNs) {
                $this->maxNs = $sample;
            }
        }
    }

    /** @return list<array{int, int}> sparse `[value_ns, count]`, ascending */
    public function pairs(): array
    {
        ksort($this->counts);

        $pairs = [];
        foreach ($this->counts as $value => $count) {
            $pairs[] = [$value, $count];
        }

        return $pairs;
    }
}
