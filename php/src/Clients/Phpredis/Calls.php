<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

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

    public function send(\Redis $redis, int $at): mixed
    {
        $call = $this->calls[\ord($this->commands->kinds[$at])];

        // @phpstan-ignore method.dynamicName (the workload names it)
        return $redis->{$call->method}(...$call->with($this->commands->keys[$at], $this->commands->values[$at]));
    }

    public function fill(\Redis $redis, int $at, int $end): void
    {
        for (; $at < $end; ++$at) {
            $this->send($redis, $at);
        }
    }
}
