<?php

declare(strict_types=1);

namespace Respmark\Clients;

/** PHP's warnings while a library worked: an exception about TLS, for example, says only that it failed. */
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

    /** The message of an exception, with the warnings that preceded it. */
    public static function with(\Throwable $error): string
    {
        return implode('; ', [$error->getMessage(), ...self::$heard]);
    }
}
