<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Predis\Client;
use Predis\ClientContextInterface as Block;
use Predis\Pipeline\Pipeline;
use Predis\Response\ServerException;
use Predis\Transaction\MultiExec;
use Respmark\Adapter;
use Respmark\Workload;

/**
 * predis, pure PHP, in whichever version the folder of packages holds; its own timeouts.
 *
 * @implements Adapter<Client>
 *
 * @phpstan-import-type Trial from Adapter
 * @phpstan-import-type Target from Adapter
 */
final readonly class Predis implements Adapter
{
    private const DRIVERS = ['relay' => 'Predis\Connection\RelayConnection', 'phpiredis' => 'Predis\Connection\PhpiredisStreamConnection'];

    /** @var array<string, mixed> */
    private array $parameters;

    /** @var array<string, mixed> */
    private array $settings;

    /** @param Trial $trial */
    public function __construct(private array $trial)
    {
        $driver = (string) ($trial['options']['driver'] ?? 'php');
        $class = self::DRIVERS[$driver] ?? null;
        if (null !== $class && !(extension_loaded($driver) && class_exists($class))) {
            throw new \DomainException("the PHP extension {$driver} is not loaded, or predis ".Client::VERSION.' does not work with it');
        }
        $this->settings = null === $class ? [] : ['connections' => array_fill_keys(['tcp', 'unix', 'tls'], $class)];
        $this->parameters = self::address($trial['target']) + (3 === ($trial['options']['protocol'] ?? 2) ? ['protocol' => 3] : []);
    }

    public function versions(): array
    {
        $driver = (string) ($this->trial['options']['driver'] ?? 'php');

        return ['predis' => Client::VERSION] + ('php' === $driver ? [] : [$driver => (string) phpversion($driver)]);
    }

    public function connect(): Client
    {
        $client = new Client($this->parameters, $this->settings);
        $client->connect();

        return $client;
    }

    public function commands(): array
    {
        return [
            'PING' => static fn (): \Closure => static fn (Block|Client $to): mixed => $to->ping(),
            'GET' => static fn (): \Closure => static fn (Block|Client $to, string $key): mixed => $to->get($key),
            'SET' => static fn (string $value): \Closure => static fn (Block|Client $to, string $key): mixed => $to->set($key, $value),
            'SETEX' => static fn (int $seconds, string $value): \Closure => static fn (Block|Client $to, string $key): mixed => $to->setex($key, $seconds, $value),
            'GETRANGE' => static fn (int $first, int $last): \Closure => static fn (Block|Client $to, string $key): mixed => $to->getrange($key, $first, $last),
            'MGET' => static fn (): \Closure => static fn (Block|Client $to, array $keys): mixed => $to->mget($keys),
            'MSET' => static fn (): \Closure => static fn (Block|Client $to, array $pairs): mixed => $to->mset($pairs),
            'EXPIRE' => static fn (int $seconds): \Closure => static fn (Block|Client $to, string $key): mixed => $to->expire($key, $seconds),
            'INCRBY' => static fn (int $by): \Closure => static fn (Block|Client $to, string $key): mixed => $to->incrby($key, $by),
            'LPUSH' => self::ofList(static fn (Block|Client $to, string $key, array $values): mixed => $to->lpush($key, $values)),
            'LTRIM' => static fn (int $first, int $last): \Closure => static fn (Block|Client $to, string $key): mixed => $to->ltrim($key, $first, $last),
            'LRANGE' => static fn (int $first, int $last): \Closure => static fn (Block|Client $to, string $key): mixed => $to->lrange($key, $first, $last),
            'HGETALL' => static fn (): \Closure => static fn (Block|Client $to, string $key): mixed => $to->hgetall($key),
            'SADD' => self::ofList(static fn (Block|Client $to, string $key, array $members): mixed => $to->sadd($key, $members)),
            'ZADD' => static function (float|int $score, string $member): \Closure {
                $scores = [$member => $score];

                return static fn (Block|Client $to, string $key): mixed => $to->zadd($key, $scores);
            },
        ];
    }

    public function block(object $client, Workload $commands, int $at, int $depth, string $form): array
    {
        $block = match ($form) {
            'queued' => $client->transaction(),
            'batched' => $client->pipeline(['atomic' => true]),
            default => $client->pipeline(),
        };
        assert($block instanceof Pipeline || $block instanceof MultiExec);
        $commands->fill($block, $at, $depth);

        return array_values($block->execute());
    }

    /** predis throws its errors. */
    public function check(object $client): void {}

    /** A failed connection may still deliver the lost command's reply; predis opens another for the next command. */
    public function recover(object $client, \Throwable $error): void
    {
        if (!$error instanceof ServerException) {
            $client->disconnect();
        }
    }

    public function close(object $client): void
    {
        $client->disconnect();
    }

    /** A command whose method takes what follows the key as a list. */
    private static function ofList(\Closure $send): \Closure
    {
        return static function (string $word) use ($send): \Closure {
            $words = [$word];

            return static fn (Block|Client $to, string $key): mixed => $send($to, $key, $words);
        };
    }

    /**
     * @param Target $target
     *
     * @return array<string, mixed>
     */
    private static function address(array $target): array
    {
        $tls = $target['tls'];
        $address = null === $target['unix_socket']
            ? ['scheme' => null === $tls ? 'tcp' : 'tls', 'host' => $target['host'], 'port' => $target['port']]
            : ['scheme' => 'unix', 'path' => $target['unix_socket']];
        $address += ['username' => $target['username'], 'password' => $target['password']];
        $address['database'] = 0 === $target['database'] ? null : $target['database'];
        if (null !== $tls) {
            $files = ['cafile' => $tls['ca_file'], 'local_cert' => $tls['certificate_file'], 'local_pk' => $tls['key_file']];
            $address['ssl'] = array_filter($files, is_string(...)) + ($tls['verify'] ? [] : ['verify_peer' => false, 'verify_peer_name' => false]);
        }

        return array_filter($address, static fn (mixed $value): bool => null !== $value);
    }
}
