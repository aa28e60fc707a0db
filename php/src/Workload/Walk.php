<?php

declare(strict_types=1);

namespace Respmark\Workload;

use Respmark\Contract\WorkloadPart;

/** Where this process begins in the workload, how many commands a unit takes, and where the walk starts anew. */
final readonly class Walk
{
    public function __construct(
        public int $first,
        public int $step,
        public int $length,
    ) {}

    public static function of(WorkloadPart $part, int $step, int $length): self
    {
        return new self(intdiv($part->part * $length, $part->parts), $step, $length);
    }
}
