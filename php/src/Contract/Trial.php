<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** One trial, for this process. */
final readonly class Trial
{
    public function __construct(
        public string $id,
        public ClientChoice $client,
        public Shape $shape,
        public WorkloadPart $workload,
        public Endpoint $target,
        public int $verifyCommands,
    ) {}
}
