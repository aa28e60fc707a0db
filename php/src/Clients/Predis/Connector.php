<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Respmark\Contract\Endpoint;

/** Makes clients as the trial asks; what the trial does not ask for stays as installed. */
final readonly class Connector
{
    /** predis's own timeout. */
    public const TIMEOUT_S = 5.0;

    private const DRIVERS = ['relay' => 'Predis\Connection\RelayConnection', 'phpiredis' => 'Predis\Connection\PhpiredisStreamConnection'];

    /** @var array<string, mixed> */
    private array $parameters;

    /** @var array<string, mixed> */
    private array $settings;

    /** @param array<string, int|string> $options */
    public function __construct(Endpoint $target, array $options)
    {
        $this->parameters = self::parameters($target)
            + (3 === $options['protocol'] ? ['protocol' => 3] : []);
        $driver = self::DRIVERS[$options['driver']] ?? null;
        $this->settings = null === $driver ? [] : ['connections' => array_fill_keys(['tcp', 'unix', 'tls'], $driver)];
    }

    public function client(): Client
    {
        return new Client($this->parameters, $this->settings);
    }

    /** @return array<string, mixed> */
    private static function parameters(Endpoint $target): array
    {
        $address = null === $target->unixSocket
            ? ['scheme' => null === $target->tls ? 'tcp' : 'tls', 'host' => $target->host, 'port' => $target->port]
            : ['scheme' => 'unix', 'path' => $target->unixSocket];
        $access = ['username' => $target->username, 'password' => $target->password];
        $access['database'] = 0 === $target->database ? null : $target->database;
        $access['ssl'] = $target->tls?->context();

        return $address + array_filter($access, static fn (mixed $value): bool => null !== $value);
    }
}
