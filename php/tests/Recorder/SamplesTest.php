<?php

declare(strict_types=1);

namespace Respmark\Tests\Recorder;

use PHPUnit\Framework\TestCase;
use Respmark\Recorder\Samples;

/** @internal */
final class SamplesTest extends TestCase
{
    /** The room is there, written through, before the first slice. */
    public function testTheRoomIsThereBeforehand(): void
    {
        self::assertSame([0, 0, 0], (new Samples(3))->storage);
        self::assertCount(Samples::CAPACITY, (new Samples())->storage);
    }

    /** Samples are folded when more than half of the room is taken, not before. */
    public function testRoomIsMadeWhenMoreThanHalfIsTaken(): void
    {
        $samples = new Samples(4);
        [$samples->storage, $samples->count] = [[7, 8, 9, 0], 2];
        $samples->makeRoom();
        self::assertSame([2, []], [$samples->count, $samples->histogram->pairs()]);
        $samples->count = 3;
        $samples->makeRoom();
        self::assertSame([0, [[7, 1], [8, 1], [9, 1]]], [$samples->count, $samples->histogram->pairs()]);
    }
}
