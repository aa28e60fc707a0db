<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Clients\Unit;

/** A pipeline, filled, sent and read as a whole. */
final readonly class Batch implements Unit
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
        $this->sender->fill($redis, $at, $at + $this->depth);
        $replies = $redis->exec();
        if (null !== $redis->getLastError() || !is_array($replies)) {
            throw ReplyError::of($redis);
        }

        return $replies;
    }
}
