<?php

declare(strict_types=1);

namespace Respmark;

/**
 * The units of the lead-in or of the measured part of a slice, where they have times at which they are due.
 *
 * @phpstan-type Arrivals array{file: string, at: int, lead_in: int, drain_ns: int, awake_ns?: int}
 */
final readonly class Part
{
    /** A sleep ends so long before what it waits for: most sleepers wake later by less than that. */
    private const MARGIN_NS = 20_000;

    /**
     * @param list<int> $dues  when each is due, in ns since `at`
     * @param int       $close a unit that has not started by then never does
     * @param int       $awake who waits reads the clock for so long before
     */
    private function __construct(
        public array $dues,
        public int $at,
        private int $length,
        public int $close,
        private int $awake,
    ) {}

    /** @return list<int> when the units in a file are due, in ns */
    public static function dues(string $file): array
    {
        /** @var array<int, int> $dues from 1 on */
        $dues = unpack('P*', (string) file_get_contents($file));

        return array_values($dues);
    }

    /**
     * @param Arrivals $arrivals
     *
     * @return array{self, self} those of the lead-in, and those of the measured part
     */
    public static function read(array $arrivals, int $leadInNs, int $ns): array
    {
        ['file' => $file, 'at' => $at, 'lead_in' => $leadIn, 'drain_ns' => $drainNs] = $arrivals;
        $awake = $arrivals['awake_ns'] ?? self::MARGIN_NS;
        [$dues, $end] = [self::dues($file), $leadInNs + $ns];

        return [
            new self(array_slice($dues, 0, $leadIn), $at, $leadInNs, $at + $leadInNs + $drainNs, $awake),
            new self(array_slice($dues, $leadIn), $at, $end, $at + $end + $drainNs, $awake),
        ];
    }

    /**
     * Waits until that many ns after `at`; not at all if that is over.
     * A script has one thread: when it waits for a unit, it is done with the one before it, and nobody else waits.
     */
    public function waitUntil(int $due): void
    {
        while (($left = $due - (\hrtime(true) - $this->at)) > 0) {
            if ($left > $this->awake) {
                usleep(intdiv($left - $this->awake, 1_000));
            }
        }
    }

    public function waitUntilItsEnd(): void
    {
        $this->waitUntil($this->length);
    }
}
