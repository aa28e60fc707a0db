<?php

declare(strict_types=1);

namespace Respmark\Workload;

/**
 * The workload's commands as columns, made before the first slice: a string, and packed arrays with 16 bytes per entry.
 *
 * The first `step` commands are repeated after the last, so no unit has to look for the end of the file.
 */
final readonly class Commands
{
    /**
     * @param string                               $kinds  index into the mix, one byte per command
     * @param list<array<mixed>|string>            $keys   the key, or all words if they are one argument
     * @param array<int, null|array<mixed>|string> $values null if the command has none
     */
    private function __construct(
        public string $kinds,
        public array $keys,
        public array $values,
    ) {}

    /** @param list<Call> $calls how each kind of the mix is sent, unless all take only a key and a value */
    public static function of(Workload $workload, int $step, array $calls = []): self
    {
        [$kinds, $keys, $values] = [$workload->kinds(), $workload->keys(), $workload->values()];
        [$keys, $values] = self::prepared($workload, $calls, $keys, $values);
        for ($index = 0; $index < $step; ++$index) {
            $kinds .= $kinds[$index];
            $keys[] = $keys[$index];
            $values[] = $values[$index];
        }

        return new self($kinds, $keys, $values);
    }

    /** @return array{list<string>, array<int, null|string>} keys and values, if each is a single word */
    public function words(): array
    {
        // @phpstan-ignore return.type (GET and SET have nothing that is prepared)
        return [$this->keys, $this->values];
    }

    /**
     * Makes the arguments that are not single words.
     *
     * @param list<Call>              $calls
     * @param list<string>            $keys
     * @param array<int, null|string> $values
     *
     * @return array{list<array<mixed>|string>, array<int, null|array<mixed>|string>} keys and values
     */
    private static function prepared(Workload $workload, array $calls, array $keys, array $values): array
    {
        [$kinds, $same, $made] = [$workload->kinds(), [], []];
        [$first, $second] = [$keys, $values];
        $isPlain = static fn (Call $call): bool => null === $call->whole && null === $call->value;
        $length = [] === array_filter($calls, static fn (Call $call): bool => !$isPlain($call)) ? 0 : strlen($kinds);
        for ($index = 0; $index < $length; ++$index) {
            $kind = ord($kinds[$index]);
            $call = $calls[$kind];
            $value = $values[$index];
            if (null !== $call->whole) {
                // Equal words are one string.
                $words = [];
                foreach ($workload->words($index) as $word) {
                    $words[] = $same[$word] ??= $word;
                }
                $first[$index] = ($call->whole)($words);
            } elseif (null !== $call->value && null !== $value) {
                $second[$index] = $made[$kind][$value] ??= ($call->value)($value);
            }
        }

        return [array_values($first), $second];
    }
}
