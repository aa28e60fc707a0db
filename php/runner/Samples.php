<?php

declare(strict_types=1);

namespace Respmark;

/** Latencies in nanoseconds, in a packed array that is filled beforehand, so that it never grows in a slice. */
final class Samples
{
    /** Behind the room for those that are kept: latencies that are not kept, or do not fit, are written here in turns. */
    private const SPARE = 1_024;

    /** @var non-empty-list<int> */
    public array $storage;

    /** How many are kept, from the start of the storage. */
    public int $count = 0;

    /** @var list<int> how many of each slice */
    private array $counts = [];
    private int $dropped = 0;

    public function __construct(public readonly int $room)
    {
        $this->storage = array_fill(0, max(1, $room) + self::SPARE, 0);
    }

    /** Keeps those of a measured part of so many units, which begin at `count`. */
    public function keep(int $units): void
    {
        $kept = min($units, $this->room - $this->count);
        $this->counts[] = $kept;
        $this->count += $kept;
        $this->dropped += $units - $kept;
    }

    /** @return array{latencies: string, counts: list<int>, dropped: int} */
    public function take(): array
    {
        $packed = '';
        for ($at = 0; $at < $this->count; $at += self::SPARE) {
            $packed .= pack('e*', ...array_slice($this->storage, $at, min(self::SPARE, $this->count - $at)));
        }
        $taken = ['latencies' => base64_encode($packed), 'counts' => $this->counts, 'dropped' => $this->dropped];
        [$this->count, $this->counts, $this->dropped] = [0, [], 0];

        return $taken;
    }
}
