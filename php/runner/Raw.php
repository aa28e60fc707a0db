<?php

declare(strict_types=1);

namespace Respmark;

/** A command that is sent word by word: what stands before its keys, and what stands behind them. */
final readonly class Raw
{
    /** Which of its words is its first key. */
    private int $first;

    /**
     * @param list<string> $before its name first
     * @param list<string> $after
     */
    public function __construct(private AnyCommand $adapter, private array $before, private array $after)
    {
        $this->first = count($before);
    }

    /**
     * @param list<string> $keys
     *
     * @return list<string> all that is sent
     */
    public function words(array $keys): array
    {
        return [...$this->before, ...$keys, ...$this->after];
    }

    /**
     * @param object $target a client, a pipeline or a transaction
     * @param mixed  $words  what `words` made of the command's keys, before anything is measured
     */
    public function send(object $target, mixed $words): mixed
    {
        // @phpstan-ignore argument.type (it stands where other commands have a key)
        return $this->adapter->any($target, $words, $this->first);
    }
}
