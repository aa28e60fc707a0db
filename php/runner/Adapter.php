<?php

declare(strict_types=1);

namespace Respmark;

/**
 * A library, as the runner drives it. Its clients have the methods `get` and `set`, as every library for PHP does. It
 * throws a `\DomainException` where this machine or this server cannot do what the trial asks for. `Pipelining` and
 * `Caching` are for libraries that can do that, too.
 *
 * @template Client of object
 *
 * @phpstan-type Tls array{ca_file: ?string, certificate_file: ?string, key_file: ?string, verify: bool}
 * @phpstan-type Server array{host: ?string, port: ?int, unix_socket: ?string, database: int, username: ?string, password: ?string, tls: ?Tls, cluster?: bool, sentinels?: list<array{string, int}>}
 * @phpstan-type Trial array{client: string, adapter: string, options: array<string, bool|int|string>, scenario: string, shape: array{depth?: int, window?: string, form?: string, connections?: int, cache_entries?: int}, workload: string, samples: int, open?: bool, server: Server}
 */
interface Adapter
{
    /** What sentinels call the primary that they watch. */
    public const WATCHED = 'respmark';

    /** @return array<string, string> the library's version, and those of what changes how it works */
    public function versions(): array;

    /** @return Client a new one, not connected yet unless the library connects as it makes one */
    public function create(): object;

    /**
     * Connects a client.
     *
     * @param Client $client
     */
    public function open(object $client): void;

    /**
     * How each command is sent, by its name: given the words that follow its key, the call that a client, a pipeline or
     * a transaction takes. Its first argument is the key: a list where there are several, or a map from keys to values.
     *
     * @return array<string, \Closure> each returns a `Call`
     */
    public function commands(): array;

    /**
     * @param Client $client
     * @param string $form   of a transaction; `batching` is none
     *
     * @return list<mixed> the replies
     */
    public function block(object $client, Workload $commands, int $at, int $depth, string $form): array;

    /**
     * Throws the error that a reply of `false` stands for, if it stands for one.
     *
     * @param Client $client
     */
    public function check(object $client): void;

    /**
     * Makes the client ready for the next command after this error, as the library's users do.
     *
     * @param Client $client
     */
    public function recover(object $client, \Throwable $error): void;

    /** @param Client $client */
    public function close(object $client): void;
}
