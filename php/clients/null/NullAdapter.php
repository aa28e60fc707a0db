<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Adapter;
use Respmark\Caching;
use Respmark\Call;
use Respmark\Pipelining;
use Respmark\Workload;

/**
 * No library at all: what the loop itself costs.
 *
 * @implements Adapter<NullClient>
 */
final readonly class NullAdapter implements Adapter, Caching, Pipelining
{
    public function versions(): array
    {
        return ['null' => '1'];
    }

    public function create(): NullClient
    {
        return new NullClient();
    }

    public function open(object $client): void {}

    public function commands(): array
    {
        return [
            'GET' => static fn (): Call => new Call('get'),
            'SET' => static fn (string $value): Call => new Call('set', $value),
        ];
    }

    public function block(object $client, Workload $commands, int $at, int $depth, string $form): array
    {
        $commands->fill($client, $at, $depth);

        return [];
    }

    public function burst(object $client, Workload $commands, int $at, int $depth): array
    {
        return array_map(static fn (int $number): mixed => $commands->send($client, $number), range($at, $at + $depth - 1));
    }

    public function cache(int $entries): NullClient
    {
        return new NullClient();
    }

    public function counts(): array
    {
        return ['hits' => 0, 'misses' => null, 'invalidations' => 0];
    }

    public function check(object $client): void {}

    public function recover(object $client, \Throwable $error): void {}

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
