<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** opcache and its compiler. The harness starts the runner with opcache on and the JIT available, but off. */
final class Jit
{
    /** Whether the JIT can be switched on in this process. */
    public static function isAvailable(): bool
    {
        return self::status()['buffer_size'] > 0;
    }

    /** Switches the tracing JIT on for everything that is loaded from now on: loops, adapters and libraries. */
    public static function switchOn(): void
    {
        ini_set('opcache.jit', 'tracing');
    }

    /** What is really on, in words. */
    public static function state(): string
    {
        return self::status()['on'] ? 'on: '.ini_get('opcache.jit') : 'off';
    }

    /** Whether code is cached and optimised, in words. */
    public static function opcache(): string
    {
        if (!function_exists('opcache_get_status')) {
            return 'not loaded';
        }

        return false === opcache_get_status(false) ? 'off' : 'on';
    }

    /** @return array{on: bool, buffer_size: int} */
    private static function status(): array
    {
        $status = function_exists('opcache_get_status') ? opcache_get_status(false) : false;
        $jit = is_array($status) && is_array($status['jit'] ?? null) ? $status['jit'] : [];

        return ['on' => true === ($jit['on'] ?? null), 'buffer_size' => is_int($jit['buffer_size'] ?? null) ? $jit['buffer_size'] : 0];
    }
}
