<?php

declare(strict_types=1);

namespace Respmark\Tests\Scenarios;

use PHPUnit\Framework\TestCase;
use Respmark\Contract\SliceOrder;
use Respmark\Contract\TrialParser;
use Respmark\Recorder\Samples;
use Respmark\Scenarios\Failures;
use Respmark\Scenarios\Layout;
use Respmark\Scenarios\Loop;
use Respmark\Scenarios\Slices;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Numbers;
use Respmark\Tests\Support\Paths;
use Respmark\Tests\Support\Runner;
use Respmark\Workload\Walker;

/** @internal */
final class SlicesTest extends TestCase
{
    private const LENGTH = 1_000;

    /** @var list<int> where the units began */
    private array $performed = [];
    private bool $isFailing = false;
    private Samples $samples;

    /** The event says which slice it was, what was done in its two parts, and where the walk began. */
    public function testASliceTellsItsParts(): void
    {
        $event = $this->slices()->work(new SliceOrder(3, 5_000_000, 2_000_000, 60, true));
        self::assertSame(array_keys(Json::map(Paths::text('slice.json'))), array_keys($event));
        Runner::checkSchema(json_encode($event, JSON_THROW_ON_ERROR), 'slice');
        [$leadIn, $measured] = array_map(self::units(...), [$event['lead_in'], $event['measured']]);
        self::assertSame(['golden', 3], [$event['trial_id'], $event['slice']]);
        self::assertCount($leadIn + $measured, $this->performed);
        self::assertSame([['first_command' => 60, 'operations' => 100 * count($this->performed)]], $event['segments']);
        self::assertSame($measured, $this->samples->count);
        [$started, $from, $ended] = array_map(self::time(...), [$event['started'], $event['measured_from'], $event['ended']]);
        self::assertGreaterThanOrEqual($started + 2_000_000, $from);
        self::assertGreaterThanOrEqual($from + 5_000_000, $ended);
    }

    /** Every slice begins at the command that the order names, ahead by this process's part, and goes on in steps. */
    public function testEverySliceBeginsWhereItIsTold(): void
    {
        $slices = $this->slices(part: 1, parts: 2);
        // PHP_INT_MAX ends in 807.
        foreach ([60 => 560, 700 => 200, 2_900 => 400, PHP_INT_MAX => 307] as $command => $first) {
            $event = $slices->work(new SliceOrder(1, 1, 1, $command, false));
            self::assertSame($first, Json::part(Json::part($event['segments'])[0])['first_command']);
            self::assertSame([$first, ($first + 100) % self::LENGTH], array_slice($this->performed, -2));
        }
    }

    /** Without a lead-in all work is measured. */
    public function testThereMayBeNoLeadIn(): void
    {
        $event = $this->slices()->work(new SliceOrder(1, 1, 0, 0, true));
        self::assertSame([['operations' => 0, 'units' => 0], ['operations' => 100, 'units' => 1]], [$event['lead_in'], $event['measured']]);
    }

    /** Samples that are not kept take no room; health is looked at from the first slice on that is kept. */
    public function testASliceOfWarmUpLeavesNothing(): void
    {
        $slices = $this->slices();
        $slices->work(new SliceOrder(1, 1_000_000, 1, 0, false));
        self::assertSame([0, null], [$this->samples->count, $slices->health]);
        $slices->work(new SliceOrder(2, 1, 1, 0, true));
        $health = $slices->health;
        self::assertNotNull($health);
        $slices->work(new SliceOrder(3, 1, 1, 0, true));
        self::assertSame([2, $health], [$this->samples->count, $slices->health]);
    }

    /** Storage that is more than half full is folded before the slice is answered. */
    public function testSamplesAreFoldedAfterASlice(): void
    {
        $slices = $this->slices(capacity: 3);
        $slices->work(new SliceOrder(1, 1, 1, 0, true));
        self::assertSame([1, []], [$this->samples->count, $this->samples->histogram->pairs()]);
        $slices->work(new SliceOrder(2, 1, 1, 0, true));
        self::assertSame([0, 2], [$this->samples->count, array_sum(array_column($this->samples->histogram->pairs(), 1))]);
    }

    /** Errors are those of the slice, the lead-in's among them, without the password. */
    public function testErrorsAreThoseOfTheSlice(): void
    {
        $slices = $this->slices();
        $this->isFailing = true;
        $event = $slices->work(new SliceOrder(1, 1, 1, 0, true));
        self::assertSame('{"LibraryError":2}', json_encode($event['errors']));
        self::assertSame('LibraryError: … is wrong', $event['first_error']);
        self::assertSame([['first_command' => 0, 'operations' => 0]], $event['segments']);
        $this->isFailing = false;
        $event = $slices->work(new SliceOrder(2, 1, 1, 0, true));
        self::assertSame('{}', json_encode($event['errors']));
        self::assertNull($event['first_error']);
    }

    private function slices(int $part = 0, int $parts = 1, int $capacity = 1 << 10): Slices
    {
        $session = new FakeSession(function (int $at): void {
            $this->performed[] = $at;
            usleep(100);
            if ($this->isFailing) {
                throw new \DomainException('secret is wrong');
            }
        });
        $trial = TrialParser::parse(Paths::text('trials/valid/batching.json'));
        $layout = Layout::of($trial->shape);
        $walker = new Walker(intdiv($part * self::LENGTH, $parts), $layout->commandsPerUnit, self::LENGTH);
        $this->samples = new Samples($capacity);
        $failures = new Failures($session, static fn (): int => hrtime(true));
        $loop = new Loop($session, $walker->step, $walker->length, $failures, $this->samples);
        $redacted = static fn (string $text): string => str_replace('secret', '…', $text);

        return new Slices($trial, $walker, $layout, $loop, $failures, $this->samples, $redacted);
    }

    private static function units(mixed $work): int
    {
        ['operations' => $operations, 'units' => $units] = array_map(Numbers::of(...), Json::part($work));
        self::assertSame(100 * $units, $operations);

        return $units;
    }

    private static function time(mixed $moment): int
    {
        return Numbers::of(Json::part($moment)['at_ns']);
    }
}
