<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Clients\Unit;

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
        $replies = $redis->exec();
        // If EXEC is refused in a pipeline, phpredis keeps no error and returns an empty list.
        if (null !== $redis->getLastError() || !is_array($replies) || ($replies[0] ?? []) === []) {
            throw ReplyError::of($redis);
        }

        return $replies[0];
    }
}
