<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

use Respmark\Clients\Warnings;
use Respmark\Contract\Endpoint;

/** Connects as the trial asks; what the trial does not ask for stays as installed. */
final readonly class Connector
{
    /** Without a timeout, connecting to a host that does not answer takes as long as the system waits: minutes. */
    public const TIMEOUT_S = 10.0;

    private string $host;
    private int $port;

    /** @var array<string, mixed> */
    private array $context;

    /** @param array<string, string> $options */
    public function __construct(
        private Endpoint $target,
        private array $options,
    ) {
        $isTls = null !== $target->tls;
        $this->host = ($isTls ? 'tls://' : '').($target->unixSocket ?? (string) $target->host);
        $this->port = $target->port ?? 0;
        $this->context = $isTls ? ['stream' => $target->tls->context()] : [];
    }

    public function connect(\Redis $redis): void
    {
        Warnings::forget();
        // A failure throws; the warnings that come with it are noted.
        @$redis->connect($this->host, $this->port, self::TIMEOUT_S, null, 0, 0.0, $this->context);
        $this->enter($redis);
        $this->configure($redis);
    }

    private function enter(\Redis $redis): void
    {
        $password = $this->target->password;
        if (null !== $password) {
            $redis->auth(null === $this->target->username ? $password : [$this->target->username, $password]);
        }
        if (0 !== $this->target->database) {
            $redis->select($this->target->database);
        }
        if (null !== $redis->getLastError()) {
            throw ReplyError::of($redis);
        }
    }

    private function configure(\Redis $redis): void
    {
        if ('none' !== $this->options['serializer']) {
            $redis->setOption(\Redis::OPT_SERIALIZER, self::constant('SERIALIZER', $this->options['serializer']));
        }
        if ('none' !== $this->options['compression']) {
            $redis->setOption(\Redis::OPT_COMPRESSION, self::constant('COMPRESSION', $this->options['compression']));
        }
    }

    private static function constant(string $group, string $value): mixed
    {
        return constant("Redis::{$group}_".strtoupper($value));
    }
}
