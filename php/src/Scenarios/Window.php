<?php

declare(strict_types=1);

namespace Respmark\Scenarios;

/** The time in which units are performed. The loop compares the clock with `checkpoint` and calls `reached` beyond it. */
final class Window
{
    private const SECOND_NS = 1_000_000_000;

    public int $begin = 0;

    /** When to stop and think: at a report, at half time, at the end. */
    public int $checkpoint = 0;

    /** When the last unit ended. */
    public int $ended = 0;

    /** @var null|array{units: int, elapsed_ns: int} */
    public ?array $half = null;
    private int $halfway = 0;
    private int $end = 0;
    private int $nextReport = PHP_INT_MAX;

    /** @param null|\Closure(int, int): void $onProgress hears elapsed nanoseconds and units */
    public function __construct(
        public readonly float $seconds,
        private readonly ?\Closure $onProgress = null,
    ) {}

    public function open(int $now): void
    {
        $length = (int) round($this->seconds * self::SECOND_NS);
        $this->begin = $now;
        $this->halfway = $now + intdiv($length, 2);
        $this->end = $now + $length;
        $this->nextReport = null === $this->onProgress ? PHP_INT_MAX : $now + self::SECOND_NS;
        $this->checkpoint = min($this->halfway, $this->nextReport, $this->end);
    }

    /** Does what is due at `now`, and says whether the window is over. */
    public function reached(int $now, int $units): bool
    {
        if ($now >= $this->end) {
            $this->ended = $now;

            return true;
        }
        if (null === $this->half && $now >= $this->halfway) {
            $this->half = ['units' => $units, 'elapsed_ns' => $now - $this->begin];
        }
        $this->report($now, $units);
        $this->checkpoint = min(null === $this->half ? $this->halfway : $this->end, $this->nextReport, $this->end);

        return false;
    }

    /** Seconds that passed within one unit are not made up for. */
    private function report(int $now, int $units): void
    {
        if ($now < $this->nextReport || null === $this->onProgress) {
            return;
        }
        ($this->onProgress)($now - $this->begin, $units);
        $seconds = intdiv($now - $this->begin, self::SECOND_NS);
        $this->nextReport = $this->begin + ($seconds + 1) * self::SECOND_NS;
    }
}
