<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Predis\Pipeline\Pipeline;
use Predis\Transaction\MultiExec;
use Respmark\Workload\Call;
use Respmark\Workload\Commands;

/** A workload of any commands. */
final readonly class Calls implements Sender
{
    /** @param list<Call> $calls how each kind of the mix is sent */
    public function __construct(
        private Commands $commands,
        private array $calls,
    ) {}

    public function send(Client $client, int $at): mixed
    {
        return $this->call($client, $at);
    }

    public function fill(MultiExec|Pipeline $target, int $at, int $end): void
    {
        for (; $at < $end; ++$at) {
            $this->call($target, $at);
        }
    }

    private function call(Client|MultiExec|Pipeline $target, int $at): mixed
    {
        $call = $this->calls[\ord($this->commands->kinds[$at])];
        $arguments = $call->with($this->commands->keys[$at], $this->commands->values[$at]);

        return $target->{$call->method}(...$arguments); // @phpstan-ignore method.dynamicName (the workload names it)
    }
}
