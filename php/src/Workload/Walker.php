<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Contract\WorkloadPart;

/** The walker of this process: where it begins in the workload, how many commands a unit takes, and when it goes round. */
final readonly class Walker
{
    /** @param int $offset how far this process is ahead of the first */
    public function __construct(
        public int $offset,
        public int $step,
        public int $length,
    ) {}

    public static function of(WorkloadPart $part, int $step, int $length): self
    {
        return new self(intdiv($part->part * $length, $part->parts), $step, $length);
    }

    /** Where a slice begins whose first command is this one. */
    public function first(int $command): int
    {
        return ($command % $this->length + $this->offset) % $this->length;
    }
}
