<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Predis\Pipeline\Pipeline;
use Predis\Transaction\MultiExec;
use Respmark\Workload\Commands;

/** A workload of only GET and SET, as the post's is. */
final readonly class GetsAndSets implements Sender
{
    /** @var list<string> */
    private array $keys;

    /** @var array<int, null|string> */
    private array $values;

    public function __construct(Commands $commands)
    {
        [$this->keys, $this->values] = $commands->words();
    }

    public function send(Client $client, int $at): mixed
    {
        $value = $this->values[$at];

        return null === $value ? $client->get($this->keys[$at]) : $client->set($this->keys[$at], $value);
    }

    public function fill(MultiExec|Pipeline $target, int $at, int $end): void
    {
        $keys = $this->keys;
        $values = $this->values;
        for (; $at < $end; ++$at) {
            $value = $values[$at];
            if (null === $value) {
                $target->get($keys[$at]);
            } else {
                $target->set($keys[$at], $value);
            }
        }
    }
}
