<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

/** An error that the server answered; phpredis keeps most of these for who asks, and returns false. */
final class ReplyError extends \RedisException
{
    /** Throws what the server answered since the last look, if that was an error. */
    public static function check(\Redis $redis): void
    {
        $message = $redis->getLastError();
        if (null !== $message) {
            $redis->clearLastError();

            // Some versions leave the end of the line in it.
            throw new self(rtrim($message, "\0\r\n "));
        }
    }

    /**
     * Throws unless there is a reply for each command; where EXEC is refused in a pipeline, phpredis keeps no error.
     *
     * @return list<mixed>
     */
    public static function listOf(\Redis $redis, mixed $replies, int $commands): array
    {
        self::check($redis);

        return is_array($replies) && count($replies) === $commands
            ? array_values($replies)
            : throw new self("no replies to {$commands} commands came");
    }
}
