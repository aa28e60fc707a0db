<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Adapter;
use Respmark\AnyCommand;
use Respmark\Call;
use Respmark\Workload;

/**
 * phpredis, the C extension `redis`. A `RedisCluster` connects as it is made, and then to each node as it needs it.
 *
 * @implements Adapter<\Redis|\RedisCluster>
 *
 * @phpstan-import-type Trial from Adapter
 * @phpstan-import-type Tls from Adapter
 */
final readonly class Phpredis implements Adapter, AnyCommand
{
    /** Without it, a host that answers nothing is waited for as long as the system does: minutes. */
    private const CONNECT_TIMEOUT_S = 10.0;

    /** The code of an exception that stands for an error that the server replied with. */
    private const OF_A_REPLY = 1;

    private const FAILOVER = ['replica' => \RedisCluster::FAILOVER_DISTRIBUTE_SLAVES, 'any' => \RedisCluster::FAILOVER_DISTRIBUTE];

    private string $host;

    /** Whether the server is a node of a cluster. */
    private bool $isCluster;

    /** @var array<string, mixed> */
    private array $context;

    /** @var array<int, mixed> settings of a connection that differ from those as installed, by the extension's number */
    private array $configured;

    /** @param Trial $trial */
    public function __construct(private array $trial)
    {
        $server = $trial['server'];
        $this->host = (null === $server['tls'] ? '' : 'tls://').($server['unix_socket'] ?? $server['host']);
        $this->context = null === $server['tls'] ? [] : ['stream' => self::streamContext($server['tls'])];
        $this->isCluster = $server['cluster'] ?? false;
        // With it, a RedisCluster crashes (phpredis#2915).
        $keepAlive = $this->isCluster ? [] : [\Redis::OPT_TCP_KEEPALIVE => 1];
        $configured = 'strict' === $this->limits() ? [\Redis::OPT_MAX_RETRIES => 0] + $keepAlive : [];
        foreach (['serializer' => \Redis::OPT_SERIALIZER, 'compression' => \Redis::OPT_COMPRESSION] as $name => $option) {
            $value = $trial['options'][$name] ?? 'none';
            if ('none' !== $value) {
                $constant = 'Redis::'.strtoupper("{$name}_{$value}");
                $configured[$option] = defined($constant) ? constant($constant)
                    : throw new \DomainException("the PHP extension redis is built without {$value}");
            }
        }
        $reads = self::FAILOVER[$trial['options']['reads'] ?? 'primary'] ?? null;
        $this->configured = $configured + (null === $reads ? [] : [\RedisCluster::OPT_SLAVE_FAILOVER => $reads]);
    }

    public function versions(): array
    {
        $igbinary = phpversion('igbinary');

        return ['phpredis' => (string) phpversion('redis')] + (false === $igbinary ? [] : ['igbinary' => $igbinary]);
    }

    public function create(): \Redis|\RedisCluster
    {
        if (!$this->isCluster) {
            return new \Redis();
        }
        [$connect, $read] = $this->timeouts();
        $context = [] === $this->context ? [] : [$this->context['stream']];

        return new \RedisCluster(null, ["{$this->host}:{$this->trial['server']['port']}"], $connect, $read, false, $this->credentials(), ...$context);
    }

    public function open(object $client): void
    {
        if ($client instanceof \Redis) {
            $server = $this->trial['server'];
            [$connect, $read] = $this->timeouts();
            $client->connect($this->host, $server['port'] ?? 0, $connect, null, 0, $read, $this->context);
            if (null !== $this->credentials()) {
                $client->auth($this->credentials());
            }
            if (0 !== $server['database']) {
                $client->select($server['database']);
            }
            $this->check($client);
        }
        foreach ($this->configured as $option => $value) {
            $client->setOption($option, $value);
        }
    }

    public function commands(): array
    {
        return [
            'PING' => fn (): Call => $this->isCluster ? new Call('ping', $this->node()) : new Call('ping'),
            'GET' => static fn (): Call => new Call('get'),
            'SET' => static fn (string $value): Call => new Call('set', $value),
            'SETEX' => static fn (int $seconds, string $value): Call => new Call('setex', $seconds, $value),
            'GETRANGE' => static fn (int $first, int $last): Call => new Call('getRange', $first, $last),
            'MGET' => static fn (): Call => new Call('mget'),
            'MSET' => static fn (): Call => new Call('mset'),
            'EXPIRE' => static fn (int $seconds): Call => new Call('expire', $seconds),
            'INCRBY' => static fn (int $by): Call => new Call('incrBy', $by),
            'LPUSH' => static fn (string $value): Call => new Call('lPush', $value),
            'LTRIM' => static fn (int $first, int $last): Call => new Call('ltrim', $first, $last),
            'LRANGE' => static fn (int $first, int $last): Call => new Call('lrange', $first, $last),
            'HGETALL' => static fn (): Call => new Call('hGetAll'),
            'SADD' => static fn (string $member): Call => new Call('sAdd', $member),
            'ZADD' => static fn (float|int $score, string $member): Call => new Call('zAdd', $score, $member),
        ];
    }

    public function any(object $target, array $words, ?int $first = null): mixed
    {
        assert($target instanceof \Redis || $target instanceof \RedisCluster);
        if ($target instanceof \Redis) {
            return $target->rawcommand(...$words);
        }

        return $target->rawcommand(null === $first ? $this->node() : $words[$first], ...$words);
    }

    public function block(object $client, Workload $commands, int $at, int $depth, string $form): array
    {
        if ('batched' === $form && $client instanceof \Redis) {
            return self::batchedTransaction($client, $commands, $at, $depth);
        }
        if ($client instanceof \RedisCluster || 'queued' === $form) {
            $client->multi();
        } else {
            $client->pipeline();
        }
        $commands->fill($client, $at, $depth);

        return self::replies($client, $client->exec());
    }

    /** `false` stands for no value and for an error: only the last error shows which it is. */
    public function check(object $client): void
    {
        if (null !== $client->getLastError()) {
            throw self::error($client);
        }
    }

    /**
     * After a connection error phpredis may keep the connection, and the next command would read the lost command's
     * reply. Users connect again; if that fails, the next command fails, too, and is counted. A cluster connects to a
     * node again when it needs it.
     */
    public function recover(object $client, \Throwable $error): void
    {
        if (self::OF_A_REPLY === $error->getCode()) {
            return;
        }
        if ($client instanceof \RedisCluster) {
            $client->close();

            return;
        }

        try {
            $this->open($client); // not preceded by `close`, which would connect only to say goodbye
        } catch (\RedisException $again) {
            fwrite(STDERR, "{$again->getMessage()}\n");
        }
    }

    public function close(object $client): void
    {
        $client->close();
    }

    /** @return array{float, float} of connecting, and of a read, in seconds; 0: as installed */
    private function timeouts(): array
    {
        return match ($this->limits()) {
            null => [self::CONNECT_TIMEOUT_S, 0.0],
            'installed' => [0.0, 0.0],
            default => [1.0, 1.0],
        };
    }

    /** @return null|list<string>|string as the extension takes them */
    private function credentials(): array|string|null
    {
        ['username' => $username, 'password' => $password] = $this->trial['server'];

        return null === $username || null === $password ? $password : [$username, $password];
    }

    /** @return array{string, int} the node that a command without a key is sent to */
    private function node(): array
    {
        return [(string) $this->trial['server']['host'], (int) $this->trial['server']['port']];
    }

    /** What bounds a wait, where the server is to fail. */
    private function limits(): ?string
    {
        return isset($this->trial['options']['limits']) ? (string) $this->trial['options']['limits'] : null;
    }

    /** @return list<mixed> */
    private static function batchedTransaction(\Redis $redis, Workload $commands, int $at, int $depth): array
    {
        $redis->pipeline();
        $redis->multi();
        $commands->fill($redis, $at, $depth);
        // The first ends the transaction, the second sends the pipeline, whose only reply is the transaction's.
        $redis->exec();
        $replies = self::replies($redis, $redis->exec());

        // If EXEC is refused in a pipeline, phpredis keeps no error and returns an empty list.
        return is_array($replies[0] ?? null) && [] !== $replies[0] ? array_values($replies[0]) : throw self::error($redis);
    }

    /** @return list<mixed> */
    private static function replies(\Redis|\RedisCluster $redis, mixed $replies): array
    {
        return null === $redis->getLastError() && is_array($replies) ? array_values($replies) : throw self::error($redis);
    }

    /** The server's error, for which phpredis mostly returns only `false`; it keeps the message. */
    private static function error(\Redis|\RedisCluster $redis): \RedisException
    {
        $message = $redis->getLastError() ?? 'no replies came';
        $redis->clearLastError();

        return new \RedisException(rtrim($message, "\0\r\n "), self::OF_A_REPLY);
    }

    /**
     * @param Tls $tls
     *
     * @return array<string, bool|string>
     */
    private static function streamContext(array $tls): array
    {
        $files = ['cafile' => $tls['ca_file'], 'local_cert' => $tls['certificate_file'], 'local_pk' => $tls['key_file']];

        return array_filter($files, is_string(...)) + ($tls['verify'] ? [] : ['verify_peer' => false, 'verify_peer_name' => false]);
    }
}
