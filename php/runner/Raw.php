<?php

declare(strict_types=1);

namespace Respmark;

/** A command that is sent word by word: what stands before its keys, and what stands behind them. */
final readonly class Raw
{
    /**
     * @param list<string> $before its name first
     * @param list<string> $after
     */
    public function __construct(private AnyCommand $adapter, private array $before, private array $after) {}

    /**
     * @param object $target a client, a pipeline or a transaction
     * @param mixed  $keys   a key, or a list of keys
     */
    public function send(object $target, mixed $keys): mixed
    {
        /** @var list<string> $between */
        $between = (array) $keys;

        return $this->adapter->any($target, [...$this->before, ...$between, ...$this->after]);
    }
}
