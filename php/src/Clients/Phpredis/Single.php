<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Scenarios\Unit;

/** One command. */
final readonly class Single implements Unit
{
    public function __construct(
        private \Redis $redis,
        private Sender $sender,
    ) {}

    public function perform(int $at): mixed
    {
        $reply = $this->sender->send($this->redis, $at);
        if (false === $reply) {
            ReplyError::check($this->redis);
        }

        return $reply;
    }
}
