<?php

declare(strict_types=1);

namespace Respmark\Workload;

/**
 * The workload's commands as columns, made before the first slice: a string, and packed arrays of 16 bytes an entry.
 *
 * The first `step` commands stand again behind the last, so that no unit has to look for the end of the file.
 */
final readonly class Commands
{
    /**
     * @param string                  $kinds  the index into the mix, a byte each
     * @param list<string>            $keys
     * @param array<int, null|string> $values null where the command has none
     */
    private function __construct(
        public string $kinds,
        public array $keys,
        public array $values,
    ) {}

    public static function of(Workload $workload, int $step): self
    {
        [$kinds, $keys, $values] = [$workload->kinds(), $workload->keys(), $workload->values()];
        for ($index = 0; $index < $step; ++$index) {
            $kinds .= $kinds[$index];
            $keys[] = $keys[$index];
            $values[] = $values[$index];
        }

        return new self($kinds, $keys, $values);
    }
}
