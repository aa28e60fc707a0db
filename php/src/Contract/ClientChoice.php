<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** A client library in one configuration. */
final readonly class ClientChoice
{
    /**
     * @param null|string                    $version asked for; null: the one that the runner pins
     * @param array<string, bool|int|string> $options
     */
    public function __construct(
        public string $library,
        public ?string $version,
        public array $options,
    ) {}
}
