<?php

declare(strict_types=1);

namespace Respmark\Contract;

use Respmark\Errors\InvalidInput;

final class Version
{
    /** Version of the contract and of the workload file; harness and runner have the same version. */
    public const SCHEMA = 2;

    /** Refuses any other version, and says what to update. */
    public static function check(string $name, int $version): void
    {
        $reads = self::SCHEMA;
        if ($version !== $reads) {
            $older = $version > $reads ? 'runner' : 'harness';

            throw new InvalidInput("{$name} is {$version}, and this runner reads {$reads}: update the {$older}");
        }
    }
}
