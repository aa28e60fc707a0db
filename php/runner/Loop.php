<?php

declare(strict_types=1);

namespace Respmark;

/** Performs units one after the other for a given time. */
final class Loop
{
    private const LONGEST_MESSAGE = 500;

    /** The first command of the next unit. */
    public int $at = 0;

    /** @var array<string, int> how many units failed, by the library's class */
    public array $errors = [];
    public ?string $firstError = null;

    /**
     * @param \Closure(int): mixed       $unit    performs the unit that begins at a command
     * @param \Closure(\Exception): void $recover makes the client ready again
     * @param int                        $step    commands of a unit
     * @param int                        $length  commands of the workload
     */
    public function __construct(
        private readonly \Closure $unit,
        private readonly \Closure $recover,
        private readonly int $step,
        private readonly int $length,
        private readonly Samples $samples,
    ) {}

    /**
     * Performs units until the time `until`, at least one; returns how many succeeded. Their latencies lie behind those
     * that are kept.
     *
     * This is the measured loop: the client is charged for everything in the inner one. One clock reading ends a unit,
     * starts the next, and decides whether there is a next.
     */
    public function run(int $until): int
    {
        [$unit, $at, $step, $length] = [$this->unit, $this->at, $this->step, $this->length];
        $storage = &$this->samples->storage;
        [$end, $begun, $units] = [count($storage), $this->samples->count, 0];
        $count = $begun;
        $start = \hrtime(true);
        do {
            try {
                do {
                    $unit($at);

                    $now = \hrtime(true);
                    $storage[$count] = $now - $start;
                    $start = $now;
                    $at = ($at + $step) % $length;
                } while (++$count < $end && $now < $until);
            } catch (\Exception $error) {
                $this->failed($error);
                $at = ($at + $step) % $length;
                $start = \hrtime(true);
            }
            if ($count === $end) {
                // What did not fit is counted and overwritten.
                $units += $count - $begun;
                $count = $begun = $this->samples->room;
            }
        } while ($start < $until);
        $this->at = $at;

        return $units + $count - $begun;
    }

    private function failed(\Exception $error): void
    {
        $kind = (new \ReflectionClass($error))->getShortName();
        $this->errors[$kind] = ($this->errors[$kind] ?? 0) + 1;
        $this->firstError ??= substr($error->getMessage(), 0, self::LONGEST_MESSAGE);
        ($this->recover)($error);
    }
}
