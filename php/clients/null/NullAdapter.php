<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Adapter;
use Respmark\Commands;

/**
 * No library at all: what the loop itself costs.
 *
 * @implements Adapter<NullClient>
 */
final readonly class NullAdapter implements Adapter
{
    public function versions(): array
    {
        return ['null' => '1'];
    }

    public function settings(): array
    {
        return [];
    }

    public function connect(): NullClient
    {
        return new NullClient();
    }

    public function commands(): array
    {
        return [
            'GET' => static fn (): \Closure => static fn (NullClient $client, string $key): mixed => $client->get($key),
            'SET' => static fn (string $value): \Closure => static fn (NullClient $client, string $key): mixed => $client->set($key, $value),
        ];
    }

    public function batch(object $client, Commands $commands, int $at, int $depth): array
    {
        $commands->fill($client, $at, $depth);

        return [];
    }

    public function transaction(object $client, Commands $commands, int $at, int $depth, string $form): array
    {
        return $this->batch($client, $commands, $at, $depth);
    }

    public function check(object $client): void {}

    public function recover(object $client, \Exception $error): void {}

    public function close(object $client): void {}
}

/** Answers every command at once. */
final class NullClient
{
    public function get(string $key): string
    {
        return $key;
    }

    public function set(string $key, string $value): bool
    {
        return true;
    }
}
