<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Clients\Unit;

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
        // `false` stands for no value and for an error: only the last error shows which it is.
        if (false === $reply && null !== $this->redis->getLastError()) {
            throw ReplyError::of($this->redis);
        }

        return $reply;
    }
}
