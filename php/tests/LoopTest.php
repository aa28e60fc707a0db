<?php

declare(strict_types=1);

namespace Respmark\Tests;

use PHPUnit\Framework\TestCase;
use Respmark\Loop;

final class LoopTest extends TestCase
{
    public function testAnErrorOfTheProgramEndsIt(): void
    {
        $loop = new Loop(static function (): void {}, 1, 1_000_000, 1);
        $this->expectException(\TypeError::class);

        // @phpstan-ignore argument.type (the loop calls it with a number: an error of the loop's own)
        $loop->run(strrev(...), 0, false);
    }
}
