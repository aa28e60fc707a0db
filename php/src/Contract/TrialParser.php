<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** Reads the trial as the harness writes it to standard input. */
final class TrialParser
{
    private const FIELDS = [
        'schema_version', 'trial_id', 'client', 'scenario', 'shape', 'workload', 'target', 'verify_commands',
    ];

    public static function parse(string $line): Trial
    {
        $fields = Fields::of(Fields::decoded($line, 'trial'), 'trial', self::FIELDS);
        $fields->checkSchemaVersion();

        return new Trial(
            id: $fields->text('trial_id'),
            client: self::client($fields->required('client')),
            shape: ShapeParser::parse($fields),
            workload: self::workload($fields->required('workload')),
            target: TargetParser::parse($fields->required('target')),
            verifyCommands: $fields->integer('verify_commands', 0, default: 100),
        );
    }

    private static function client(mixed $value): ClientChoice
    {
        $fields = Fields::of($value, 'trial.client', ['library', 'version', 'options']);
        $options = $fields->has('options') ? self::options($fields->required('options')) : [];

        return new ClientChoice($fields->text('library'), $fields->optionalText('version'), $options);
    }

    /** @return array<string, bool|int|string> */
    private static function options(mixed $value): array
    {
        $fields = Fields::open($value, 'trial.client.options');
        $options = [];
        foreach ($fields->all() as $name => $option) {
            if (!is_string($option) && !is_int($option) && !is_bool($option)) {
                throw $fields->wrong((string) $name, 'a text, an integer, true or false');
            }
            $options[(string) $name] = $option;
        }

        return $options;
    }

    private static function workload(mixed $value): WorkloadPart
    {
        $fields = Fields::of($value, 'trial.workload', ['path', 'part', 'parts']);
        $parts = $fields->integer('parts', 1, default: 1);

        return new WorkloadPart($fields->text('path'), $fields->integer('part', 0, $parts - 1, 0), $parts);
    }
}
