<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** The process at one moment: the clock, and the CPU time that it has used since it started. */
final readonly class Moment
{
    private function __construct(
        public int $atNs,
        private int $cpuUserNs,
        private int $cpuSystemNs,
    ) {}

    /** This moment, the clock read first: CPU time counted from here on was used after it. */
    public static function opening(): self
    {
        $now = (int) hrtime(true);

        return new self($now, ...self::cpu());
    }

    /** This moment, the clock read last: CPU time counted up to here was used before it. */
    public static function closing(): self
    {
        $cpu = self::cpu();

        return new self((int) hrtime(true), ...$cpu);
    }

    /** @return array<string, int> */
    public function toJson(): array
    {
        return ['at_ns' => $this->atNs, 'cpu_user_ns' => $this->cpuUserNs, 'cpu_system_ns' => $this->cpuSystemNs];
    }

    /** @return array{int, int} user and system */
    private static function cpu(): array
    {
        /** @var array<string, int> $usage */
        $usage = getrusage();

        return [
            $usage['ru_utime.tv_sec'] * 1_000_000_000 + $usage['ru_utime.tv_usec'] * 1_000,
            $usage['ru_stime.tv_sec'] * 1_000_000_000 + $usage['ru_stime.tv_usec'] * 1_000,
        ];
    }
}
