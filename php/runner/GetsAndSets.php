<?php

declare(strict_types=1);

namespace Respmark;

/** A workload of only GET and SET: called by name, as code written by hand does. */
final readonly class GetsAndSets implements Commands
{
    /**
     * @param list<string>      $keys
     * @param list<null|string> $values null for a GET
     */
    public function __construct(
        private array $keys,
        private array $values,
    ) {}

    public function send(object $client, int $at): mixed
    {
        $value = $this->values[$at];

        // @phpstan-ignore method.notFound, method.notFound (every client has both)
        return null === $value ? $client->get($this->keys[$at]) : $client->set($this->keys[$at], $value);
    }

    public function fill(object $target, int $at, int $count): void
    {
        [$keys, $values] = [$this->keys, $this->values];
        for ($end = $at + $count; $at < $end; ++$at) {
            $value = $values[$at];
            if (null === $value) {
                $target->get($keys[$at]); // @phpstan-ignore method.notFound (every client has it)
            } else {
                $target->set($keys[$at], $value); // @phpstan-ignore method.notFound (every client has it)
            }
        }
    }
}
