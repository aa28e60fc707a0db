<?php

declare(strict_types=1);

namespace Respmark;

/**
 * The commands of a workload file as packed arrays with 16 bytes an entry, walked from one end to the other: equal values
 * are one string, and keys lie in memory in the order in which they are sent.
 *
 * @phpstan-type Kind array{name: string, arguments: list<array{literal: float|int|string}|string>}
 * @phpstan-type Header array{commands: int, key_bytes: positive-int, values: list<int>, kinds: list<Kind>, steps: list<non-empty-list<int>>}
 */
final class Workload
{
    public readonly int $count;

    /** @var list<mixed> of each command: its key, a list of keys, a map from keys to values, or all words of a raw command */
    private array $keys = [];

    /** @var list<null|Call|\Closure|Raw|string> of each command: null for a GET, a SET's value, any other's call; without a key, a function */
    private array $calls = [];

    /** @param Adapter<object> $adapter */
    public function __construct(string $path, private readonly Adapter $adapter, int $depth)
    {
        $content = (string) file_get_contents($path);
        $at = (int) strpos($content, "\n") + 1;

        /** @var Header $header */
        $header = json_decode(substr($content, 0, $at), true, flags: JSON_THROW_ON_ERROR);
        ['commands' => $this->count, 'key_bytes' => $size] = $header;
        $end = strlen($content) - array_sum($header['values']);
        $values = [];
        foreach ($header['values'] as $length) {
            $values[] = substr($content, $end, $length);
            $end += $length;
        }
        $steps = [];
        foreach ($header['steps'] as $step) {
            $kind = array_shift($step);
            $steps[] = $this->step($header['kinds'][$kind], array_map(static fn (int $place): string => $values[$place], $step));
        }

        /** @var array<int, int> $numbers */
        $numbers = unpack('v*', substr($content, $at, 2 * $this->count));
        $at += 2 * $this->count;
        foreach ($numbers as $number) {
            [$call, $count, $own] = $steps[$number];
            $this->calls[] = $call;
            $key = substr($content, $at, $count * $size);
            $at += $count * $size;
            $this->keys[] = match (true) {
                $call instanceof Raw => $call->words(str_split($key, $size)),
                1 === $count => $key,
                [] === $own => str_split($key, $size),
                default => array_combine(str_split($key, $size), $own),
            };
        }
        // The first ones are repeated after the last, so that no unit has to look for the end.
        for ($index = 0; $index < $depth; ++$index) {
            $this->keys[] = $this->keys[$index];
            $this->calls[] = $this->calls[$index];
        }
    }

    /** Sends command number `at`, and returns its reply. GET and SET are called by name, as code written by hand does. */
    public function send(object $client, int $at): mixed
    {
        $call = $this->calls[$at];
        $reply = match (true) {
            null === $call => $client->get($this->keys[$at]),
            $call instanceof Call => $client->{$call->method}($this->keys[$at], ...$call->words),
            $call instanceof \Closure => $call($client),
            $call instanceof Raw => $call->send($client, $this->keys[$at]),
            default => $client->set($this->keys[$at], $call),
        };
        if (false === $reply) {
            $this->adapter->check($client);
        }

        return $reply;
    }

    /** Adds `count` commands from number `at` on to a pipeline or a transaction. */
    public function fill(object $target, int $at, int $count): void
    {
        [$keys, $calls] = [$this->keys, $this->calls];
        for ($end = $at + $count; $at < $end; ++$at) {
            $call = $calls[$at];
            if (null === $call) {
                $target->get($keys[$at]);
            } elseif ($call instanceof Call) {
                $target->{$call->method}($keys[$at], ...$call->words);
            } elseif ($call instanceof \Closure) {
                $call($target);
            } elseif ($call instanceof Raw) {
                $call->send($target, $keys[$at]);
            } else {
                $target->set($keys[$at], $call);
            }
        }
    }

    /**
     * @param Kind         $kind
     * @param list<string> $own  its values
     *
     * @return array{null|Call|\Closure|Raw|string, int, list<string>} how it is called, how many keys it has, and its values
     */
    private function step(array $kind, array $own): array
    {
        [$keys, $words, $left] = [0, [], $own];
        foreach ($kind['arguments'] as $word) {
            if ('key' === $word) {
                ++$keys;
            } else {
                $words[] = is_array($word) ? $word['literal'] : array_shift($left);
            }
        }

        $maker = $this->adapter->commands()[$kind['name']] ?? null;
        if (null === $maker) {
            return [$this->spelled($kind, array_map(strval(...), $words)), $keys, $own];
        }

        /** @var null|Call|string $call */
        $call = match ($kind['name']) {
            'GET' => null,
            'SET' => $own[0],
            default => $maker(...$words),
        };

        return [0 === $keys && $call instanceof Call ? self::withoutKey($call) : $call, $keys, $own];
    }

    /**
     * @param Kind         $kind  its keys stand together
     * @param list<string> $words all but the keys
     */
    private function spelled(array $kind, array $words): \Closure|Raw
    {
        $adapter = $this->adapter;
        if (!$adapter instanceof AnyCommand) {
            throw new \DomainException("the adapter does not send {$kind['name']}");
        }
        $first = array_search('key', $kind['arguments'], true);
        if (false === $first) {
            return static fn (object $client): mixed => $adapter->any($client, [$kind['name'], ...$words]);
        }

        return new Raw($adapter, [$kind['name'], ...array_slice($words, 0, $first)], array_slice($words, $first));
    }

    private static function withoutKey(Call $call): \Closure
    {
        return static fn (object $client): mixed => $client->{$call->method}(...$call->words);
    }
}
