<?php

declare(strict_types=1);

namespace Respmark;

/** Replies as the contract has them in JSON. */
final class Replies
{
    /** PHP's strings are bytes, its `false` is how its libraries say that there is no value, and status replies are objects. */
    public static function encoded(mixed $reply): mixed
    {
        return match (true) {
            is_string($reply) => ['bytes' => base64_encode($reply)],
            false === $reply => null,
            $reply instanceof \Stringable => (string) $reply,
            is_array($reply) && array_is_list($reply) => array_map(self::encoded(...), $reply),
            is_array($reply) => ['map' => array_map(
                static fn (int|string $field, mixed $value): array => [self::encoded((string) $field), self::encoded($value)],
                array_keys($reply),
                $reply,
            )],
            default => $reply,
        };
    }
}
