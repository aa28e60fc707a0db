<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** Which workload file to replay, and this process's part in it. */
final readonly class WorkloadPart
{
    public function __construct(
        public string $path,
        public int $part,
        public int $parts,
    ) {}
}
