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
     * @param object              $target a client, a pipeline or a transaction
     * @param list<string>|string $keys
     */
    public function send(object $target, array|string $keys): mixed
    {
        return $this->adapter->any($target, [...$this->before, ...(array) $keys, ...$this->after]);
    }
}
