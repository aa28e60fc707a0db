<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Adapter;
use Respmark\AnyCommand;
use Respmark\Call;
use Respmark\Workload;

/**
 * phpredis, the C extension `redis`.
 *
 * @implements Adapter<\Redis>
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

    private string $host;

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
        $configured = 'strict' === $this->limits() ? [\Redis::OPT_MAX_RETRIES => 0, \Redis::OPT_TCP_KEEPALIVE => 1] : [];
        foreach (['serializer' => \Redis::OPT_SERIALIZER, 'compression' => \Redis::OPT_COMPRESSION] as $name => $option) {
            $value = $trial['options'][$name] ?? 'none';
            if ('none' !== $value) {
                $constant = 'Redis::'.strtoupper("{$name}_{$value}");
                $configured[$option] = defined($constant) ? constant($constant)
                    : throw new \DomainException("the PHP extension redis is built without {$value}");
            }
        }
        $this->configured = $configured;
    }

    public function versions(): array
    {
        $igbinary = phpversion('igbinary');

        return ['phpredis' => (string) phpversion('redis')] + (false === $igbinary ? [] : ['igbinary' => $igbinary]);
    }

    public function create(): \Redis
    {
        return new \Redis();
    }

    public function open(object $client): void
    {
        $server = $this->trial['server'];
        [$connect, $read] = match ($this->limits()) {
            null => [self::CONNECT_TIMEOUT_S, 0.0],
            'installed' => [0.0, 0.0],
            default => [1.0, 1.0],
        };
        $client->connect($this->host, $server['port'] ?? 0, $connect, null, 0, $read, $this->context);
        if (null !== $server['password']) {
            $client->auth(null === $server['username'] ? $server['password'] : [$server['username'], $server['password']]);
        }
        if (0 !== $server['database']) {
            $client->select($server['database']);
        }
        $this->check($client);
        foreach ($this->configured as $option => $value) {
            $client->setOption($option, $value);
        }
    }

    public function commands(): array
    {
        return [
            'PING' => static fn (): Call => new Call('ping'),
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

    public function any(object $target, array $words): mixed
    {
        assert($target instanceof \Redis);

        return $target->rawcommand(...$words);
    }

    public function block(object $client, Workload $commands, int $at, int $depth, string $form): array
    {
        if ('batched' === $form) {
            return self::batchedTransaction($client, $commands, $at, $depth);
        }
        'queued' === $form ? $client->multi() : $client->pipeline();
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
     * reply. Users connect again; if that fails, the next command fails, too, and is counted.
     */
    public function recover(object $client, \Throwable $error): void
    {
        if (self::OF_A_REPLY === $error->getCode()) {
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
    private static function replies(\Redis $redis, mixed $replies): array
    {
        return null === $redis->getLastError() && is_array($replies) ? array_values($replies) : throw self::error($redis);
    }

    /** The server's error, for which phpredis mostly returns only `false`; it keeps the message. */
    private static function error(\Redis $redis): \RedisException
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
