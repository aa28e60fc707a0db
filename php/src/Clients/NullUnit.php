<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Workload\Commands;

/** Takes a command's words as a client's method would, and does nothing with them. */
final readonly class NullUnit implements Unit
{
    /** @var list<string> */
    private array $keys;

    /** @var array<int, null|string> */
    private array $values;

    public function __construct(Commands $commands)
    {
        [$this->keys, $this->values] = $commands->words();
    }

    public function perform(int $at): mixed
    {
        return $this->values[$at] ?? $this->keys[$at];
    }
}
