<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Predis\Client;
use Predis\Command\RawCommand;
use Predis\Pipeline\Pipeline;
use Predis\Response\ServerException;
use Predis\Transaction\MultiExec;
use Respmark\Adapter;
use Respmark\AnyCommand;
use Respmark\Call;
use Respmark\Workload;

/**
 * predis, pure PHP, in whichever version the folder of packages holds; its own timeouts.
 *
 * @implements Adapter<Client>
 *
 * @phpstan-import-type Trial from Adapter
 * @phpstan-import-type Server from Adapter
 */
final class Predis implements Adapter, AnyCommand
{
    private const DRIVERS = ['relay' => 'Predis\Connection\RelayConnection', 'phpiredis' => 'Predis\Connection\PhpiredisStreamConnection'];

    /** @var array<int|string, mixed> of the server; otherwise a list: the node that is asked for a cluster's others, or sentinels */
    private readonly array $parameters;

    /** @var array<string, mixed> */
    private readonly array $settings;

    /** How many batches a pipeline object is used for. */
    private readonly int $uses;

    /** The pipeline object of the last batch, and how many more it is used for. */
    private ?Pipeline $pipeline = null;
    private int $usesLeft = 0;

    /** @param Trial $trial */
    public function __construct(private readonly array $trial)
    {
        $driver = (string) ($trial['options']['driver'] ?? 'php');
        $class = self::DRIVERS[$driver] ?? null;
        if (null !== $class && !(extension_loaded($driver) && class_exists($class))) {
            throw new \DomainException("the PHP extension {$driver} is not loaded, or predis ".Client::VERSION.' does not work with it');
        }
        $this->uses = (int) ($trial['options']['pipeline-uses'] ?? 1);
        $settings = null === $class ? [] : ['connections' => array_fill_keys(['tcp', 'unix', 'tls'], $class)];
        $options = 3 === ($trial['options']['protocol'] ?? 2) ? ['protocol' => 3] : [];
        $options += 'on' === ($trial['options']['tcp-nodelay'] ?? 'off') ? ['tcp_nodelay' => true] : [];
        $isLimited = in_array($trial['options']['limits'] ?? 'installed', ['1s', 'strict'], true);
        $options += $isLimited ? ['timeout' => 1.0, 'read_write_timeout' => 1.0] : [];
        $parameters = self::address($trial['server']) + $options;
        $sentinels = $trial['server']['sentinels'] ?? [];
        // What a client has as its own parameters, others have as those of their nodes.
        $ofNodes = array_diff_key($parameters, ['host' => true, 'port' => true]);
        if ($trial['server']['cluster'] ?? false) {
            $this->parameters = [$parameters];
            $this->settings = $settings + ['cluster' => 'redis', 'parameters' => $parameters];
        } elseif ([] !== $sentinels) {
            $login = array_intersect_key($parameters, ['password' => true]);
            $this->parameters = array_map(static fn (array $place): array => ['host' => $place[0], 'port' => $place[1]] + $login, $sentinels);
            $this->settings = $settings + ['replication' => 'sentinel', 'service' => self::WATCHED, 'parameters' => $ofNodes];
        } else {
            $this->parameters = $parameters;
            $this->settings = $settings;
        }
    }

    public function versions(): array
    {
        $driver = (string) ($this->trial['options']['driver'] ?? 'php');

        return ['predis' => Client::VERSION] + ('php' === $driver ? [] : [$driver => (string) phpversion($driver)]);
    }

    public function create(): Client
    {
        return new Client($this->parameters, $this->settings);
    }

    public function open(object $client): void
    {
        $connection = $client->getConnection();
        if (isset($this->settings['replication'])) {
            // Otherwise it reads from a replica until its first write.
            // @phpstan-ignore method.notFound (every version has it)
            $connection->switchToMaster();

            return;
        }
        $client->connect();
        if ('new-connection' !== $this->trial['scenario'] && isset($this->settings['cluster'])) {
            // Otherwise it learns where slots are as single commands are moved, which pipelines and transactions do not follow.
            // @phpstan-ignore method.notFound (what version 1 calls it)
            method_exists($connection, 'askSlotMap') ? $connection->askSlotMap() : $connection->askSlotsMap();
        }
    }

    public function commands(): array
    {
        return [
            'PING' => static fn (): Call => new Call('ping'),
            'GET' => static fn (): Call => new Call('get'),
            'SET' => static fn (string $value): Call => new Call('set', $value),
            'SETEX' => static fn (int $seconds, string $value): Call => new Call('setex', $seconds, $value),
            'GETRANGE' => static fn (int $first, int $last): Call => new Call('getrange', $first, $last),
            'MGET' => static fn (): Call => new Call('mget'),
            'MSET' => static fn (): Call => new Call('mset'),
            'EXPIRE' => static fn (int $seconds): Call => new Call('expire', $seconds),
            'INCRBY' => static fn (int $by): Call => new Call('incrby', $by),
            'LPUSH' => static fn (string $value): Call => new Call('lpush', [$value]),
            'LTRIM' => static fn (int $first, int $last): Call => new Call('ltrim', $first, $last),
            'LRANGE' => static fn (int $first, int $last): Call => new Call('lrange', $first, $last),
            'HGETALL' => static fn (): Call => new Call('hgetall'),
            'SADD' => static fn (string $member): Call => new Call('sadd', [$member]),
            'ZADD' => static fn (float|int $score, string $member): Call => new Call('zadd', [$member => $score]),
        ];
    }

    public function any(object $target, array $words, ?int $first = null): mixed
    {
        assert($target instanceof Client || $target instanceof Pipeline || $target instanceof MultiExec);

        return $target->executeCommand(RawCommand::create(...$words));
    }

    public function block(object $client, Workload $commands, int $at, int $depth, string $form): array
    {
        if ('batching' === $form && $this->uses > 1) {
            return $this->reused($client, $commands, $at, $depth);
        }
        $block = match ($form) {
            'queued' => $client->transaction(),
            'batched' => $client->pipeline(['atomic' => true]),
            default => $client->pipeline(),
        };
        assert($block instanceof Pipeline || $block instanceof MultiExec);
        $commands->fill($block, $at, $depth);

        return array_values($block->execute());
    }

    /**
     * A pipeline object that is used again; its `execute` returns the replies of all batches so far.
     *
     * @return list<mixed>
     */
    private function reused(Client $client, Workload $commands, int $at, int $depth): array
    {
        if (0 === $this->usesLeft) {
            $pipeline = $client->pipeline();
            assert($pipeline instanceof Pipeline);
            $this->pipeline = $pipeline;
            $this->usesLeft = $this->uses;
        }
        assert(null !== $this->pipeline);
        --$this->usesLeft;
        $commands->fill($this->pipeline, $at, $depth);

        return array_slice(array_values($this->pipeline->execute()), -$depth);
    }

    /** predis throws its errors. */
    public function check(object $client): void {}

    /** A failed connection may still deliver the lost command's reply; predis opens another for the next command. */
    public function recover(object $client, \Throwable $error): void
    {
        $this->usesLeft = 0;
        if (!$error instanceof ServerException) {
            $client->disconnect();
        }
    }

    public function close(object $client): void
    {
        $client->disconnect();
    }

    /**
     * @param Server $server
     *
     * @return array<string, mixed>
     */
    private static function address(array $server): array
    {
        $tls = $server['tls'];
        $address = null === $server['unix_socket']
            ? ['scheme' => null === $tls ? 'tcp' : 'tls', 'host' => $server['host'], 'port' => $server['port']]
            : ['scheme' => 'unix', 'path' => $server['unix_socket']];
        $address += ['username' => $server['username'], 'password' => $server['password']];
        $address['database'] = 0 === $server['database'] ? null : $server['database'];
        if (null !== $tls) {
            $files = ['cafile' => $tls['ca_file'], 'local_cert' => $tls['certificate_file'], 'local_pk' => $tls['key_file']];
            $address['ssl'] = array_filter($files, is_string(...)) + ($tls['verify'] ? [] : ['verify_peer' => false, 'verify_peer_name' => false]);
        }

        return array_filter($address, static fn (mixed $value): bool => null !== $value);
    }
}
