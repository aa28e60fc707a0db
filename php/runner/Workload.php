<?php

declare(strict_types=1);

namespace Respmark;

/**
 * The workload file as packed arrays with 16 bytes an entry, walked from one end to the other: equal values are one
 * string, and keys lie in memory in the order in which they are sent.
 *
 * @phpstan-type Header array{commands: int, key_bytes: int, values: list<int>, kinds: list<array{name: string, arguments: list<array{text: string}|string>}>, steps: list<list<int>>}
 */
final readonly class Workload
{
    public int $count;

    /** @var list<int> the step of each command */
    private array $steps;

    /** @var list<string> */
    private array $keys;

    /** @var list<string> */
    private array $values;

    /** @param Header $header */
    private function __construct(
        private array $header,
        string $content,
        int $at,
    ) {
        $this->count = $header['commands'];

        /** @var array<int, int> $steps */
        $steps = unpack('v*', substr($content, $at, 2 * $this->count));
        $this->steps = array_values($steps);
        $end = strlen($content) - array_sum($header['values']);
        $at += 2 * $this->count;
        $this->keys = $end > $at ? str_split(substr($content, $at, $end - $at), max(1, $header['key_bytes'])) : [];
        $values = [];
        foreach ($header['values'] as $size) {
            $values[] = substr($content, $end, $size);
            $end += $size;
        }
        $this->values = $values;
    }

    public static function read(string $path): self
    {
        $content = (string) file_get_contents($path);
        $at = (int) strpos($content, "\n") + 1;

        /** @var Header $header */
        $header = json_decode(substr($content, 0, $at), true, flags: JSON_THROW_ON_ERROR);

        return new self($header, $content, $at);
    }

    /**
     * @param array<string, \Closure> $makers the adapter's
     * @param int                     $depth  the first ones are repeated after the last, so that no unit has to look for the end
     *
     * @throws Unsupported
     */
    public function commands(array $makers, int $depth, string $client): Commands
    {
        $kinds = array_column($this->header['kinds'], 'name');
        $lacking = array_diff($kinds, array_keys($makers));
        if ([] !== $lacking) {
            throw new Unsupported("the adapter of {$client} does not send ".implode(', ', $lacking));
        }
        if ([] === array_diff($kinds, ['GET', 'SET'])) {
            $values = array_map(fn (array $step): ?string => isset($step[1]) ? $this->values[$step[1]] : null, $this->header['steps']);

            return new Commands(self::extended($this->keys, $depth), $this->each($values, $depth));
        }
        $sends = array_map(fn (array $step): \Closure => $this->send($makers[$kinds[$step[0]]], $step), $this->header['steps']);

        return new Commands(self::extended($this->groups(), $depth), [], $this->each($sends, $depth));
    }

    /**
     * @template Item
     *
     * @param list<Item> $ofSteps
     *
     * @return list<Item> that of each command
     */
    private function each(array $ofSteps, int $depth): array
    {
        $items = [];
        foreach ($this->steps as $step) {
            $items[] = $ofSteps[$step];
        }

        return self::extended($items, $depth);
    }

    /** @param list<int> $step */
    private function send(\Closure $maker, array $step): \Closure
    {
        $send = $maker(...$this->words($step));
        assert($send instanceof \Closure);

        return $send;
    }

    /**
     * @param list<int> $step
     *
     * @return list<float|int|string> what follows the key; of several keys, their values go with them
     */
    private function words(array $step): array
    {
        $words = [];
        $values = array_slice($step, 1);
        foreach ($this->header['kinds'][$step[0]]['arguments'] as $argument) {
            if (is_array($argument)) {
                $words[] = self::typed($argument['text']);
            } elseif ('value' === $argument && 1 === count($values)) {
                $words[] = $this->values[$values[0]];
            }
        }

        return $words;
    }

    /** @return list<mixed> what each command has as its key */
    private function groups(): array
    {
        $keys = array_map(static fn (array $kind): int => count(array_keys($kind['arguments'], 'key', true)), $this->header['kinds']);
        [$groups, $next] = [[], 0];
        foreach ($this->steps as $number) {
            $step = $this->header['steps'][$number];
            $group = array_slice($this->keys, $next, $keys[$step[0]]);
            $next += count($group);
            $groups[] = match (true) {
                count($group) < 2 => $group[0] ?? null,
                count($step) > 1 => array_combine($group, array_map(fn (int $value): string => $this->values[$value], array_slice($step, 1))),
                default => $group,
            };
        }

        return $groups;
    }

    /**
     * @template Item
     *
     * @param list<Item> $items
     *
     * @return list<Item>
     */
    private static function extended(array $items, int $depth): array
    {
        for ($index = 0; $index < $depth; ++$index) {
            $items[] = $items[$index];
        }

        return $items;
    }

    private static function typed(string $word): float|int|string
    {
        return match (true) {
            (string) (int) $word === $word => (int) $word,
            (string) (float) $word === $word => (float) $word,
            default => $word,
        };
    }
}
