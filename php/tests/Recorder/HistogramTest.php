<?php

declare(strict_types=1);

namespace Respmark\Tests\Recorder;

use PHPUnit\Framework\TestCase;
use Respmark\Recorder\Histogram;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Numbers;
use Respmark\Tests\Support\Paths;

/** @internal */
final class HistogramTest extends TestCase
{
    /** Every value falls into the bucket that the contract gives it. */
    public function testGoldenBuckets(): void
    {
        $buckets = Json::map(Paths::text('histogram.json'))['buckets'];
        self::assertIsArray($buckets);
        self::assertNotEmpty($buckets);
        foreach ($buckets as $pair) {
            self::assertIsArray($pair);
            self::assertSame($pair[1] ?? null, Histogram::bucket(Numbers::of($pair[0] ?? null)));
        }
    }

    /** The contract's samples, folded in two parts, give its histogram and the exact maximum. */
    public function testGoldenSamplesFoldIntoTheGoldenHistogram(): void
    {
        $golden = Json::map(Paths::text('histogram.json'));
        self::assertIsArray($golden['samples']);
        $samples = array_values(array_map(Numbers::of(...), $golden['samples']));
        self::assertNotSame([], $samples);
        $histogram = new Histogram();
        $histogram->fold($samples, 20);
        $rest = array_slice($samples, 20);
        $histogram->fold([...$rest, 999], count($rest));
        self::assertSame($golden['histogram'], $histogram->pairs());
        self::assertSame(max($samples), $histogram->maxNs);
    }
}
