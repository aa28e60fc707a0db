<?php

declare(strict_types=1);

namespace Respmark;

/** A library that sends any command: an adapter of it sends so what it has no method for in `commands`. */
interface AnyCommand
{
    /**
     * @param object       $target a client, a pipeline or a transaction
     * @param list<string> $words  all of the command's
     * @param ?int         $first  which of them is its first key; null: it has none
     */
    public function any(object $target, array $words, ?int $first = null): mixed;
}
