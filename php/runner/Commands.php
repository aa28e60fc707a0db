<?php

declare(strict_types=1);

namespace Respmark;

/** The workload's commands, made before the first slice. GET and SET are called by name, as code written by hand does. */
final readonly class Commands
{
    /**
     * @param list<mixed>         $keys   of each command: a key, a list of keys, or a map from keys to values
     * @param list<null|string>   $values of each command, null for a GET; empty where there are other commands
     * @param null|list<\Closure> $sends  how each command is sent; null: there are only GETs and SETs
     */
    public function __construct(
        private array $keys,
        private array $values,
        private ?array $sends = null,
    ) {}

    /** Sends command number `at`, and returns its reply. */
    public function send(object $client, int $at): mixed
    {
        if (null !== $this->sends) {
            return $this->sends[$at]($client, $this->keys[$at]);
        }
        $value = $this->values[$at];

        // @phpstan-ignore method.notFound, method.notFound (every client has both)
        return null === $value ? $client->get($this->keys[$at]) : $client->set($this->keys[$at], $value);
    }

    /** Adds `count` commands from number `at` on to a pipeline or a transaction. */
    public function fill(object $target, int $at, int $count): void
    {
        [$keys, $values, $sends, $end] = [$this->keys, $this->values, $this->sends, $at + $count];
        for (; null !== $sends && $at < $end; ++$at) {
            $sends[$at]($target, $keys[$at]);
        }
        for (; $at < $end; ++$at) {
            $value = $values[$at];
            if (null === $value) {
                $target->get($keys[$at]); // @phpstan-ignore method.notFound (every client has it)
            } else {
                $target->set($keys[$at], $value); // @phpstan-ignore method.notFound (every client has it)
            }
        }
    }
}
