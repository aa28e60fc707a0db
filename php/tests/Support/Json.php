<?php

declare(strict_types=1);

namespace Respmark\Tests\Support;

/** JSON as arrays. */
final class Json
{
    /** @return array<string, mixed> */
    public static function map(string $text): array
    {
        $map = [];
        foreach (self::decoded($text) as $name => $value) {
            $map[(string) $name] = $value;
        }

        return $map;
    }

    /** @return list<mixed> */
    public static function list(string $text): array
    {
        return array_values(self::decoded($text));
    }

    /** @return array<array-key, mixed> an object or a list within a message */
    public static function part(mixed $value): array
    {
        return is_array($value) ? $value : throw new \LogicException('neither an object nor a list');
    }

    /** @return array<array-key, mixed> */
    private static function decoded(string $text): array
    {
        return self::part(json_decode($text, true, 64, JSON_THROW_ON_ERROR));
    }
}
