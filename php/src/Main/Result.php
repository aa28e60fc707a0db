<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Clients\Library;
use Respmark\Clients\Session;
use Respmark\Contract\ClientDescription;
use Respmark\Contract\Trial;
use Respmark\Contract\Version;
use Respmark\Recorder\Health;
use Respmark\Recorder\RuntimeSettings;
use Respmark\Recorder\Samples;
use Respmark\Scenarios\Layout;

/** The `result` event. */
final class Result
{
    /** @return array<string, mixed> */
    public static function of(Trial $trial, Library $library, Session $session, Layout $layout, Samples $samples, ?Health $health): array
    {
        $collected = ($health ?? Health::start())->stop();
        $samples->fold($samples->count);

        return [
            'event' => 'result',
            'schema_version' => Version::SCHEMA,
            'trial_id' => $trial->id,
            'latency' => [
                'sample_covers' => $layout->sampleCovers,
                'histogram' => $samples->histogram->pairs(),
                'max_ns' => $samples->histogram->maxNs,
            ],
            'peak_memory_bytes' => Health::peakMemoryBytes(),
            'decodes_to' => 'bytes',
            'runtime_health' => (object) $collected,
            'runtime_settings' => $session->settings() + RuntimeSettings::now(),
            'versions' => self::versions($library),
        ];
    }

    /** @return array<string, string> the versions that are really loaded */
    private static function versions(Library $library): array
    {
        $description = $library->describe();
        $own = $description instanceof ClientDescription
            ? [$description->library => $description->version] + $description->dependencies
            : [];

        return $own + ['PHP' => PHP_VERSION, 'OpenSSL' => defined('OPENSSL_VERSION_TEXT') ? OPENSSL_VERSION_TEXT : 'none'];
    }
}
