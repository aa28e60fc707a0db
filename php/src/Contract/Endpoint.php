<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** Where the server is and how to connect to it. */
final readonly class Endpoint
{
    /** @param null|string $password never printed */
    public function __construct(
        public ?string $host,
        public ?int $port,
        public ?string $unixSocket,
        public int $database,
        public ?string $username,
        #[\SensitiveParameter]
        public ?string $password,
        public ?Tls $tls,
    ) {}

    /** Where the server is, as messages show it: never with user or password. */
    public function address(): string
    {
        return $this->unixSocket ?? "{$this->host}:{$this->port}";
    }
}
