<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Scenarios\Unit;

/** MULTI, commands and EXEC in a pipeline. */
final readonly class BatchedTransaction implements Unit
{
    public function __construct(
        private \Redis $redis,
        private Sender $sender,
        private int $depth,
    ) {}

    public function perform(int $at): mixed
    {
        $redis = $this->redis;
        $redis->pipeline();
        $redis->multi();
        $this->sender->fill($redis, $at, $at + $this->depth);
        // The first ends the transaction, the second sends the pipeline, whose only reply is the transaction's.
        $redis->exec();

        return ReplyError::listOf($redis, ReplyError::listOf($redis, $redis->exec(), 1)[0], $this->depth);
    }
}
