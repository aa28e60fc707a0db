<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** One setting of a library, or of PHP, that differs from a plain install; no scenarios: in all of them. */
final readonly class Difference
{
    /** @param list<Scenario> $scenarios */
    public function __construct(
        public string $setting,
        public string $plain,
        public string $ours,
        public string $why,
        public array $scenarios = [],
    ) {}

    /** @return list<self> how PHP is set when the harness starts it (harness/specs/runners/php.toml) */
    public static function ofPhp(): array
    {
        return [
            new self('opcache.enable_cli', '0', '1', 'opcache is on wherever PHP serves'),
            new self('opcache.jit_buffer_size', '0; 64M since PHP 8.4', '64M', 'the option jit can turn it on; it is off until then'),
            new self('zend.assertions', '1', '-1', 'as in production'),
            new self('memory_limit', '128M', '512M', 'the workload is in memory'),
            new self('default_socket_timeout', '60', '10', 'a target that says nothing is told before the harness gives up'),
        ];
    }
}
