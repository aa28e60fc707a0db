<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Clients\Refusals;
use Respmark\Clients\Session;
use Respmark\Clients\Unit;
use Respmark\Clients\Warnings;
use Respmark\Contract\Form;
use Respmark\Contract\Scenario;
use Respmark\Contract\Trial;
use Respmark\Errors\TargetFailure;
use Respmark\Errors\Unsupported;
use Respmark\Workload\Argument;
use Respmark\Workload\Call;
use Respmark\Workload\Commands;
use Respmark\Workload\Kind;
use Respmark\Workload\Workload;

/** phpredis, loaded for one trial. */
final readonly class PhpredisSession implements Session
{
    private Connector $connector;
    private \Redis $redis;
    private Unit $unit;

    /** @param array<string, string> $options */
    public function __construct(
        private Trial $trial,
        Workload $workload,
        private array $options,
    ) {
        $this->connector = new Connector($trial->target, $options);
        $this->redis = new \Redis();
        $this->unit = $this->makeUnit($workload);
    }

    public function connect(): void
    {
        if (Scenario::NewConnection !== $this->trial->shape->scenario) {
            $this->connector->connect($this->redis);
        }
    }

    public function unit(): Unit
    {
        return $this->unit;
    }

    public function kind(\Throwable $error): ?string
    {
        return match (true) {
            $error instanceof ReplyError => \RedisException::class,
            $error instanceof \RedisException => $error::class,
            default => null,
        };
    }

    public function failure(\Throwable $error): ?TargetFailure
    {
        if ($error instanceof ReplyError) {
            return Refusals::ofReply($error->getMessage(), $this->trial->target);
        }

        return Refusals::ofConnection(Warnings::with($error), $this->trial->target);
    }

    /**
     * After a connection error phpredis may keep the connection, and the next command would read the lost command's
     * reply. Users connect again, and so does the runner. If that fails, the next unit fails, too, and is counted.
     */
    public function settle(\Throwable $error): void
    {
        if ($error instanceof ReplyError || Scenario::NewConnection === $this->trial->shape->scenario) {
            return;
        }

        try {
            // Not preceded by `close`, which would connect only to say goodbye.
            $this->connector->connect($this->redis);
        } catch (\RedisException $again) {
            Warnings::note($again->getMessage());
        }
    }

    public function isOk(mixed $reply): bool
    {
        return true === $reply;
    }

    /** Version 4 and older ones return `+PONG`. */
    public function isPong(mixed $reply): bool
    {
        return true === $reply || '+PONG' === $reply || 'PONG' === $reply;
    }

    public function isNull(mixed $reply): bool
    {
        return false === $reply;
    }

    public function settings(): array
    {
        return [
            ...array_diff_key($this->options, ['jit' => true]),
            'protocol' => 2,
            'connect_timeout_s' => Connector::TIMEOUT_S,
            'after_a_failed_connection' => 'connects again',
        ];
    }

    public function close(): void
    {
        $this->redis->close();
    }

    /** How commands of this kind are called: by the method that sends them. */
    private static function call(Kind $kind): Call
    {
        $method = strtolower($kind->name);
        $isPlainSet = 'set' !== $method || $kind->is('SET', Argument::KEY, Argument::VALUE);

        return match (true) {
            'mget' === $method => Call::ofList($method),
            'mset' === $method => Call::ofPairs($method),
            in_array($method, self::METHODS, true) && $isPlainSet => Call::plain($kind, $method),
            default => throw new Unsupported(
                "phpredis has no method that sends {$kind->name} as the workload has it: leave the command out",
            ),
        };
    }

    /** Methods that take their command's words one by one. */
    private const METHODS = [
        'append', 'decr', 'exists', 'expire', 'get', 'getrange', 'hget', 'hgetall', 'hset', 'incr', 'incrby', 'lindex', 'llen',
        'lpop', 'lpush', 'lrange', 'ltrim', 'ping', 'rpop', 'rpush', 'sadd', 'scard', 'set', 'sismember', 'smembers', 'spop',
        'strlen', 'ttl', 'type', 'zadd',
    ];

    private function makeUnit(Workload $workload): Unit
    {
        $shape = $this->trial->shape;
        $calls = array_map(self::call(...), $workload->header->mix);
        $commands = Commands::of($workload, $shape->depth, $calls);
        $sender = $workload->header->hasOnlyGetsAndSets() ? new GetsAndSets($commands) : new Calls($commands, $calls);

        return match ($shape->scenario) {
            Scenario::Batching => new Batch($this->redis, $sender, $shape->depth),
            Scenario::Transaction => Form::Queued === $shape->form
                ? new QueuedTransaction($this->redis, $sender, $shape->depth)
                : new BatchedTransaction($this->redis, $sender, $shape->depth),
            Scenario::NewConnection => new NewConnection($this->connector, $sender),
            default => new Single($this->redis, $sender),
        };
    }
}
