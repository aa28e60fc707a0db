<?php

declare(strict_types=1);

namespace Respmark\Tests\Recorder;

use PHPUnit\Framework\TestCase;
use Respmark\Recorder\Samples;

/** @internal */
final class SamplesTest extends TestCase
{
    /** A longer window has more room, within bounds; the room is there before it is written to. */
    public function testTheRoomFollowsTheWindow(): void
    {
        self::assertSame(50_000, Samples::capacity(1.0));
        self::assertSame(Samples::capacity(0.001), Samples::capacity(0.1));
        self::assertSame(Samples::capacity(1e3), Samples::capacity(1e6));
        self::assertSame([0, 0, 0], Samples::storage(3));
    }
}
