<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Predis\Pipeline\Pipeline;
use Predis\Transaction\MultiExec;
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

    public function send(Client $client, int $at): mixed
    {
        [$method, $arguments] = $this->calls[$at];

        return $client->{$method}(...$arguments); // @phpstan-ignore method.dynamicName (the workload names it)
    }

    public function fill(MultiExec|Pipeline $target, int $at, int $end): void
    {
        for (; $at < $end; ++$at) {
            [$method, $arguments] = $this->calls[$at];
            $target->{$method}(...$arguments); // @phpstan-ignore method.dynamicName (the workload names it)
        }
    }
}
