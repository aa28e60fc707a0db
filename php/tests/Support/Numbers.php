<?php

declare(strict_types=1);

namespace Respmark\Tests\Support;

use PHPUnit\Framework\Assert;

/** Numbers of events. */
final class Numbers
{
    public static function of(mixed $value): int
    {
        Assert::assertIsInt($value);

        return $value;
    }
}
