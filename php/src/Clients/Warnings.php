<?php

declare(strict_types=1);

namespace Respmark\Clients;

/** What PHP warned of while a library connected: of TLS, say, exceptions tell only that it failed. */
final class Warnings
{
    private const MOST = 5;

    /** @var list<string> */
    private static array $heard = [];

    public static function note(string $message): void
    {
        self::$heard = [...array_slice(self::$heard, 1 - self::MOST), $message];
    }

    public static function forget(): void
    {
        self::$heard = [];
    }

    /** The message of an exception, with what was heard before it. */
    public static function with(\Throwable $error): string
    {
        return implode('; ', [$error->getMessage(), ...self::$heard]);
    }
}
