<?php

declare(strict_types=1);

namespace Respmark;

/** What a reader must know about PHP itself. The harness starts it with opcache on and the JIT available, but off. */
final class Settings
{
    /** @throws Unsupported */
    public static function switchJitOn(): void
    {
        ini_set('opcache.jit', 'tracing');
        if ('off' === self::ofPhp()['jit']) {
            throw new Unsupported("opcache's JIT cannot be switched on in this PHP");
        }
    }

    /** @return array<string, bool|float|int|string> */
    public static function ofPhp(): array
    {
        $opcache = function_exists('opcache_get_status') ? opcache_get_status(false) : false;
        $jit = is_array($opcache) && is_array($opcache['jit'] ?? null) ? $opcache['jit'] : [];

        return [
            'threads' => 1 === PHP_ZTS ? 'ZTS' : 'NTS',
            'debug_build' => 1 === PHP_DEBUG,
            'xdebug' => extension_loaded('xdebug'),
            'opcache' => false === $opcache ? 'off' : 'on',
            'jit' => true === ($jit['on'] ?? false) ? 'on: '.ini_get('opcache.jit') : 'off',
            'memory_limit' => ini_get('memory_limit'),
            'default_socket_timeout_s' => (int) ini_get('default_socket_timeout'),
            'gc' => gc_enabled() ? 'on' : 'off',
        ];
    }
}
