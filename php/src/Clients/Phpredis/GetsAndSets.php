<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

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

    public function send(\Redis $redis, int $at): mixed
    {
        $value = $this->values[$at];

        return null === $value ? $redis->get($this->keys[$at]) : $redis->set($this->keys[$at], $value);
    }

    public function fill(\Redis $redis, int $at, int $end): void
    {
        $keys = $this->keys;
        $values = $this->values;
        for (; $at < $end; ++$at) {
            $value = $values[$at];
            if (null === $value) {
                $redis->get($keys[$at]);
            } else {
                $redis->set($keys[$at], $value);
            }
        }
    }
}
