<?php

declare(strict_types=1);

namespace Respmark\Workload;

/**
 * The workload's commands, made before the clock starts.
 *
 * They lie in packed arrays: 16 bytes an entry and the string itself. A mix of GET and SET has a column of keys and one
 * of values (null for a GET), so that a unit calls the two methods by their names, as hand-written code does. Any other
 * mix is kept as methods and their arguments. The first `step` commands stand again behind the last, so that no unit
 * has to look for the end of the file.
 */
final readonly class Commands
{
    /**
     * @param list<string>                     $keys
     * @param list<null|string>                $values
     * @param list<array{string, list<mixed>}> $calls
     */
    private function __construct(
        public bool $areGetsAndSets,
        public array $keys,
        public array $values,
        public array $calls,
    ) {}

    /** @param \Closure(Kind, list<string>): array{string, list<mixed>} $callOf how a library sends a command */
    public static function of(Workload $workload, int $step, \Closure $callOf): self
    {
        return self::isGetsAndSets($workload->header)
            ? self::columns($workload, $step)
            : self::calls($workload, $step, $callOf);
    }

    private static function isGetsAndSets(Header $header): bool
    {
        foreach ($header->mix as $kind) {
            if (!$kind->is('GET', Argument::KEY) && !$kind->is('SET', Argument::KEY, Argument::VALUE)) {
                return false;
            }
        }

        return true;
    }

    private static function columns(Workload $workload, int $step): self
    {
        $keys = $values = [];
        for ($index = 0; $index < $workload->header->commands; ++$index) {
            $keys[] = $workload->key($workload->keyNumber($index));
            $values[] = 2 === count($workload->kind($index)->arguments) ? $workload->valueOf($index) : null;
        }

        return new self(true, self::lengthened($keys, $step), self::lengthened($values, $step), []);
    }

    /** @param \Closure(Kind, list<string>): array{string, list<mixed>} $callOf */
    private static function calls(Workload $workload, int $step, \Closure $callOf): self
    {
        $calls = [];
        for ($index = 0; $index < $workload->header->commands; ++$index) {
            $calls[] = $callOf($workload->kind($index), $workload->arguments($index));
        }

        return new self(false, [], [], self::lengthened($calls, $step));
    }

    /**
     * @template Entry
     *
     * @param list<Entry> $column
     *
     * @return list<Entry>
     */
    private static function lengthened(array $column, int $step): array
    {
        $length = count($column);
        for ($index = 0; $index < $step; ++$index) {
            $column[] = $column[$index % $length];
        }

        return $column;
    }
}
