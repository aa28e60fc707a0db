<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

/** An error that the server answered; phpredis keeps most of these for who asks, and returns false. */
final class ReplyError extends \RedisException
{
    /** The server's error, which is forgotten; where phpredis kept none, that there were no replies. */
    public static function of(\Redis $redis): self
    {
        $message = $redis->getLastError() ?? 'no replies came';
        $redis->clearLastError();

        // Some versions leave the end of the line in it.
        return new self(rtrim($message, "\0\r\n "));
    }
}
