<?php

declare(strict_types=1);

namespace Respmark;

/** Performs units one after the other for a given time, and keeps how long they took. */
final class Loop
{
    /** The first command of the next unit. */
    public int $at = 0;

    /** @var array<string, int> how many units failed, by the library's class */
    public array $errors = [];
    public ?string $firstError = null;

    /** @var list<int> latencies in nanoseconds, a packed array that is filled beforehand, so that it never grows in a slice */
    private array $latencies;

    /** How many of them are kept, from the start. */
    private int $kept = 0;

    /** @var list<int> how many of each slice */
    private array $counts = [];
    private int $dropped = 0;

    /** @param \Closure(\Throwable): void $recover makes the client ready again */
    public function __construct(
        private readonly \Closure $recover,
        public readonly int $depth,
        public readonly int $commands,
        int $samples,
    ) {
        $this->latencies = array_fill(0, $samples, 0);
    }

    /**
     * Performs units until the time `until`, at least one; returns how many succeeded.
     * This is the measured loop: the client is charged for everything in the inner one. One clock reading ends a unit,
     * starts the next, and decides whether there is a next.
     *
     * @param \Closure(int): mixed $unit performs the unit that begins at a command
     */
    public function run(\Closure $unit, int $until, bool $keep): int
    {
        [$at, $depth, $commands] = [$this->at, $this->depth, $this->commands];
        $latencies = &$this->latencies;
        [$room, $count] = [count($latencies), $this->kept];
        $start = \hrtime(true);
        do {
            try {
                do {
                    $unit($at);
                    $now = \hrtime(true);
                    if ($count < $room) {
                        $latencies[$count] = $now - $start;
                    }
                    ++$count;
                    $start = $now;
                    $at = ($at + $depth) % $commands;
                } while ($now < $until);
            } catch (\Throwable $error) {
                $this->failed($error);
                $at = ($at + $depth) % $commands;
                $start = \hrtime(true);
            }
        } while ($start < $until);
        $this->at = $at;
        $units = $count - $this->kept;
        if ($keep) {
            $this->counts[] = $kept = min($units, $room - $this->kept);
            $this->kept += $kept;
            $this->dropped += $units - $kept;
        }

        return $units;
    }

    /** @return array{latencies: string, counts: list<int>, dropped: int} what was kept since the last time */
    public function take(): array
    {
        $latencies = base64_encode(pack('e*', ...array_slice($this->latencies, 0, $this->kept)));
        $taken = ['latencies' => $latencies, 'counts' => $this->counts, 'dropped' => $this->dropped];
        [$this->kept, $this->counts, $this->dropped] = [0, [], 0];

        return $taken;
    }

    private function failed(\Throwable $error): void
    {
        $error instanceof \Error && str_starts_with($error->getFile(), __DIR__) && throw $error; // all others are the library's
        $kind = (new \ReflectionClass($error))->getShortName();
        $this->errors[$kind] = ($this->errors[$kind] ?? 0) + 1;
        $this->firstError ??= substr($error->getMessage(), 0, 500);
        ($this->recover)($error);
    }
}
