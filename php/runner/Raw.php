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
    public function __construct(private array $before, private array $after) {}

    /**
     * @param list<string>|string $keys
     *
     * @return list<string>
     */
    public function words(array|string $keys): array
    {
        return [...$this->before, ...(array) $keys, ...$this->after];
    }
}
