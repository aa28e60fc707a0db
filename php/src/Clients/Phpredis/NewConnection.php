<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Clients\Unit;

/** Connect, one command, close. */
final readonly class NewConnection implements Unit
{
    public function __construct(
        private Connector $connector,
        private Sender $sender,
    ) {}

    public function perform(int $at): mixed
    {
        $redis = new \Redis();
        $this->connector->connect($redis);
        $reply = $this->sender->send($redis, $at);
        if (false === $reply && null !== $redis->getLastError()) {
            throw ReplyError::of($redis);
        }
        $redis->close();

        return $reply;
    }
}
