<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** One client library, or one value of its options, that the runner knows but cannot drive here. */
final readonly class MissingClient
{
    public function __construct(
        public string $library,
        public string $reason,
        public string $advice,
    ) {}
}
