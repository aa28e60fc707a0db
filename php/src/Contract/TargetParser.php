<?php

declare(strict_types=1);

namespace Respmark\Contract;

use Respmark\Errors\InvalidInput;

/** Reads the target: where the server is and how to connect to it. */
final class TargetParser
{
    private const FIELDS = ['host', 'port', 'unix_socket', 'database', 'username', 'password', 'tls'];
    private const TLS_FIELDS = ['ca_file', 'certificate_file', 'key_file', 'verify'];

    public static function parse(mixed $value): Endpoint
    {
        $fields = Fields::of($value, 'trial.target', self::FIELDS);
        self::checkAddress($fields);

        return new Endpoint(
            host: $fields->optionalText('host'),
            port: $fields->has('port') ? $fields->integer('port', 1, 65535) : null,
            unixSocket: $fields->optionalText('unix_socket'),
            database: $fields->integer('database', 0, default: 0),
            username: $fields->optionalText('username'),
            password: self::password($fields),
            tls: $fields->has('tls') ? self::tls($fields->required('tls')) : null,
        );
    }

    private static function checkAddress(Fields $fields): void
    {
        [$host, $port, $socket] = array_map($fields->has(...), ['host', 'port', 'unix_socket']);
        if ($host !== $port || $host === $socket) {
            throw new InvalidInput('trial.target must have either host and port, or unix_socket');
        }
    }

    /** Any text, even an empty one; the message about any other value does not show it. */
    private static function password(Fields $fields): ?string
    {
        $password = $fields->has('password') ? $fields->required('password') : null;
        if (null !== $password && !is_string($password)) {
            throw new InvalidInput('trial.target.password must be a text or null');
        }

        return $password;
    }

    private static function tls(mixed $value): Tls
    {
        $fields = Fields::of($value, 'trial.target.tls', self::TLS_FIELDS);

        return new Tls(
            $fields->optionalText('ca_file'),
            $fields->optionalText('certificate_file'),
            $fields->optionalText('key_file'),
            $fields->flag('verify', true),
        );
    }
}
