<?php

declare(strict_types=1);

namespace Respmark;

/** Performs units, for a given time or when they are due, and keeps how long they took. */
final class Loop
{
    /** The first command of the next unit. */
    public int $at = 0;

    /** @var array<string, int> how many units failed, by the library's class */
    public array $errors = [];
    public ?string $firstError = null;

    /** @var list<int> latencies in nanoseconds, a packed array that is filled beforehand, so that it never grows in a slice */
    private array $latencies;

    /** @var list<int> of the units of an open loop, when they were due */
    private array $dues;

    /** @var list<int> and how late they started */
    private array $lags;

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
        private readonly bool $isOpen = false,
    ) {
        $this->latencies = array_fill(0, $samples, 0);
        $this->dues = $this->lags = [];
        if ($isOpen) {
            [$this->dues, $this->lags] = [array_fill(0, $samples, 0), array_fill(0, $samples, 0)];
        }
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

        return $this->ended($count, $keep);
    }

    /**
     * Performs the units of a part, each when it is due; returns how many succeeded. One clock reading ends a unit,
     * another, after waiting, starts the next. A unit that failed has a negative latency.
     *
     * @param \Closure(int): mixed $unit performs the unit that begins at a command
     */
    public function runDue(\Closure $unit, Part $part, bool $keep): int
    {
        [$at, $depth, $commands, $zero, $close] = [$this->at, $this->depth, $this->commands, $part->at, $part->close];
        $latencies = &$this->latencies;
        $dues = &$this->dues;
        $lags = &$this->lags;
        [$room, $count, $failed] = [count($latencies), $this->kept, 0];
        foreach ($part->dues as $due) {
            $part->waitUntil($due);
            $start = \hrtime(true);
            if ($start >= $close) {
                break;
            }

            try {
                $unit($at);
                $latency = \hrtime(true) - $start;
            } catch (\Throwable $error) {
                $latency = $start - \hrtime(true);
                $this->failed($error);
                ++$failed;
            }
            if ($count < $room) {
                $latencies[$count] = $latency;
                $dues[$count] = $due;
                $lags[$count] = $start - $zero - $due;
            }
            ++$count;
            $at = ($at + $depth) % $commands;
        }
        $this->at = $at;
        $part->waitUntilItsEnd();

        return $this->ended($count, $keep) - $failed;
    }

    /** Keeps or forgets the part that has just ended; returns how many units it had. */
    private function ended(int $count, bool $keep): int
    {
        $units = $count - $this->kept;
        if ($keep) {
            $this->counts[] = $kept = min($units, count($this->latencies) - $this->kept);
            $this->kept += $kept;
            $this->dropped += $units - $kept;
        }

        return $units;
    }

    /** @return array{latencies: string, due?: string, lags?: string, counts: list<int>, dropped: int} what was kept since the last time */
    public function take(): array
    {
        $encoded = fn (array $column): string => base64_encode(pack('e*', ...array_slice($column, 0, $this->kept)));
        $ofOpenLoop = $this->isOpen ? ['due' => $encoded($this->dues), 'lags' => $encoded($this->lags)] : [];
        $taken = ['latencies' => $encoded($this->latencies), ...$ofOpenLoop, 'counts' => $this->counts, 'dropped' => $this->dropped];
        [$this->kept, $this->counts, $this->dropped] = [0, [], 0];

        return $taken;
    }

    private function failed(\Throwable $error): void
    {
        ['error' => $kind, 'text' => $text] = self::told($error);
        $this->errors[$kind] = ($this->errors[$kind] ?? 0) + 1;
        $this->firstError ??= $text;
        ($this->recover)($error);
    }

    /** @return array{error: string, text: string} an error's class, and what it says; those of the runner end it */
    public static function told(\Throwable $error): array
    {
        $error instanceof \Error && str_starts_with($error->getFile(), __DIR__) && throw $error; // all others are the library's

        return ['error' => (new \ReflectionClass($error))->getShortName(), 'text' => substr($error->getMessage(), 0, 500)];
    }
}
