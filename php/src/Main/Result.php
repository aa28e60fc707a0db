<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Clients\Library;
use Respmark\Clients\Session;
use Respmark\Contract\ClientDescription;
use Respmark\Contract\Trial;
use Respmark\Contract\Version;
use Respmark\Recorder\Cpu;
use Respmark\Recorder\Runtime;
use Respmark\Scenarios\Layout;
use Respmark\Workload\Walk;

/** The `result` event. */
final class Result
{
    /**
     * @param \Closure(string): string $redacted
     *
     * @return array<string, mixed>
     */
    public static function of(
        Trial $trial,
        Library $library,
        Session $session,
        Walk $walk,
        Layout $layout,
        Measured $measured,
        \Closure $redacted,
    ): array {
        [$tally, $failures, $window] = [$measured->tally, $measured->failures, $measured->window];
        $operations = $tally->units * $layout->commandsPerUnit;
        $half = $window->half;
        $histogram = $tally->histogram();

        return [
            'event' => 'result',
            'schema_version' => Version::SCHEMA,
            'trial_id' => $trial->id,
            'operations' => $operations,
            'units' => $tally->units,
            'segments' => [['first_command' => $walk->first, 'operations' => $operations]],
            'errors' => (object) $failures->counts,
            'first_error' => null === $failures->first ? null : $redacted($failures->first),
            'elapsed_ns' => $window->ended - $window->begin,
            'first_half' => null === $half
                ? null
                : ['operations' => $half['units'] * $layout->commandsPerUnit, 'elapsed_ns' => $half['elapsed_ns']],
            'cpu_user_ns' => $measured->cpu->userNs,
            'cpu_system_ns' => $measured->cpu->systemNs,
            'latency' => [
                'sample_covers' => $layout->sampleCovers,
                'histogram' => $histogram->pairs(),
                'max_ns' => $histogram->maxNs,
            ],
            'peak_memory_bytes' => Cpu::peakMemoryBytes(),
            'decodes_to' => 'bytes',
            'runtime_health' => (object) $measured->health,
            'runtime_settings' => $session->settings() + Runtime::settings($trial->measureS),
            'versions' => self::versions($library),
        ];
    }

    /** @return array<string, string> what is really loaded */
    private static function versions(Library $library): array
    {
        $description = $library->describe();
        $own = $description instanceof ClientDescription
            ? [$description->library => $description->version] + $description->dependencies
            : [];

        return $own + ['PHP' => PHP_VERSION, 'OpenSSL' => defined('OPENSSL_VERSION_TEXT') ? OPENSSL_VERSION_TEXT : 'none'];
    }
}
