<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Contract\WorkloadPart;

/** This process's walker: where it starts in the workload, how many commands a unit takes, and when it wraps around. */
final readonly class Walker
{
    /** @param int $offset how far from a slice's first command this walker starts */
    public function __construct(
        public int $offset,
        public int $step,
        public int $length,
    ) {}

    public static function of(WorkloadPart $part, int $step, int $length): self
    {
        return new self(intdiv($part->part * $length, $part->parts), $step, $length);
    }

    /** Where the walker starts in a slice whose first command is this one. */
    public function first(int $command): int
    {
        return ($command % $this->length + $this->offset) % $this->length;
    }
}
