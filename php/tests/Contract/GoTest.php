<?php

declare(strict_types=1);

namespace Respmark\Tests\Contract;

use PHPUnit\Framework\Attributes\DoesNotPerformAssertions;
use PHPUnit\Framework\TestCase;
use Respmark\Contract\Go;
use Respmark\Errors\NoGo;
use Respmark\Tests\Support\Paths;

/** @internal */
final class GoTest extends TestCase
{
    /** The contract's own line starts the window. */
    #[DoesNotPerformAssertions]
    public function testTheGoldenGoIsGo(): void
    {
        Go::check(Paths::text('go.json'));
    }

    /** The end of standard input, or another word, ends the trial with exit code 1. */
    public function testAnythingElseEndsTheTrial(): void
    {
        foreach ([null, '', 'go', '{"event":"stop"}', '{"event":"go","extra":1}'] as $line) {
            try {
                Go::check($line);
                self::fail('this was taken for go: '.json_encode($line));
            } catch (NoGo $error) {
                self::assertSame(1, $error->exitCode());
                self::assertStringContainsString('nothing was measured', $error->getMessage());
            }
        }
    }
}
