<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Workload\Commands;

/** A workload of any commands. */
final readonly class Calls implements Sender
{
    /** @var list<array{string, list<mixed>}> */
    private array $calls;

    public function __construct(Commands $commands)
    {
        $this->calls = $commands->calls;
    }

    public function send(\Redis $redis, int $at): mixed
    {
        [$method, $arguments] = $this->calls[$at];

        return $redis->{$method}(...$arguments); // @phpstan-ignore method.dynamicName (the workload names it)
    }

    public function fill(\Redis $redis, int $at, int $end): void
    {
        for (; $at < $end; ++$at) {
            [$method, $arguments] = $this->calls[$at];
            $redis->{$method}(...$arguments); // @phpstan-ignore method.dynamicName (the workload names it)
        }
    }
}
