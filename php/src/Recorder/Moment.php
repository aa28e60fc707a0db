<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** CPU time of this process, in nanoseconds, and its peak memory. */
final readonly class Cpu
{
    private function __construct(
        public int $userNs,
        public int $systemNs,
    ) {}

    public static function now(): self
    {
        $usage = self::usage();

        return new self(
            $usage['ru_utime.tv_sec'] * 1_000_000_000 + $usage['ru_utime.tv_usec'] * 1_000,
            $usage['ru_stime.tv_sec'] * 1_000_000_000 + $usage['ru_stime.tv_usec'] * 1_000,
        );
    }

    public function since(self $earlier): self
    {
        return new self($this->userNs - $earlier->userNs, $this->systemNs - $earlier->systemNs);
    }

    /** Peak resident set of this process, the C extensions' share with it. */
    public static function peakMemoryBytes(): int
    {
        // Linux and the BSDs count kibibytes, macOS bytes.
        return self::usage()['ru_maxrss'] * ('Darwin' === PHP_OS_FAMILY ? 1 : 1_024);
    }

    /** @return array<string, int> */
    private static function usage(): array
    {
        /** @var array<string, int>|false $usage */
        $usage = getrusage();

        return false === $usage ? throw new \LogicException('getrusage gives nothing on this system') : $usage;
    }
}
