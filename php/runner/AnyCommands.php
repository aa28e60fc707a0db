<?php

declare(strict_types=1);

namespace Respmark;

/** A workload of any commands: one function for each kind with each value. */
final readonly class AnyCommands implements Commands
{
    /**
     * @param list<mixed>    $keys  a key, a list of keys, or a map from keys to values
     * @param list<\Closure> $sends how each command is sent
     */
    public function __construct(
        private array $keys,
        private array $sends,
    ) {}

    public function send(object $client, int $at): mixed
    {
        return $this->sends[$at]($client, $this->keys[$at]);
    }

    public function fill(object $target, int $at, int $count): void
    {
        [$keys, $sends] = [$this->keys, $this->sends];
        for ($end = $at + $count; $at < $end; ++$at) {
            $sends[$at]($target, $keys[$at]);
        }
    }
}
