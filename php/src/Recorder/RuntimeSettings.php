<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** What a reader must know about PHP's own settings, and about what the runner keeps in it. */
final class RuntimeSettings
{
    /** @return array<string, bool|float|int|string> */
    public static function now(): array
    {
        return [
            'clock' => 'hrtime',
            'sapi' => PHP_SAPI,
            'threads' => 1 === PHP_ZTS ? 'ZTS' : 'NTS',
            'debug_build' => 1 === PHP_DEBUG,
            'xdebug' => extension_loaded('xdebug'),
            'opcache' => Jit::opcache(),
            'jit' => Jit::state(),
            'memory_limit' => ini_get('memory_limit'),
            'default_socket_timeout_s' => (int) ini_get('default_socket_timeout'),
            'gc' => gc_enabled() ? 'on' : 'off',
            'workload_storage' => 'packed arrays of strings, one string for equal values',
            'sample_storage_bytes' => Samples::BYTES * Samples::CAPACITY,
            'php_peak_memory_bytes' => memory_get_peak_usage(true),
        ];
    }
}
