<?php

declare(strict_types=1);

namespace Respmark;

/** How a command is sent: the library's method, and what it takes after the key. */
final readonly class Call
{
    /** @var list<mixed> */
    public array $words;

    public function __construct(public string $method, mixed ...$words)
    {
        $this->words = array_values($words);
    }
}
