<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

/** An error that the server replied with; for most of them phpredis only returns false, and keeps the message. */
final class ReplyError extends \RedisException
{
    /** Takes the server's error out of the client; if phpredis kept none, says that no replies came. */
    public static function of(\Redis $redis): self
    {
        $message = $redis->getLastError() ?? 'no replies came';
        $redis->clearLastError();

        // Some versions leave the line ending in it.
        return new self(rtrim($message, "\0\r\n "));
    }
}
