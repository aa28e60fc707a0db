<?php

declare(strict_types=1);

namespace Respmark\Tests\Contract;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Respmark\Contract\Order;
use Respmark\Errors\InvalidInput;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Paths;

/** @internal */
final class OrderTest extends TestCase
{
    private const ALL = [Order::CONNECT, Order::SLICE, Order::FINISH];

    /** Every golden order that the contract calls valid is read. */
    public function testValidGoldenOrdersAreRead(): void
    {
        $files = Paths::files('orders/valid/*.json');
        self::assertGreaterThan(4, count($files));
        foreach ($files as $file) {
            $text = (string) file_get_contents($file);
            self::assertSame(Json::map($text)['order'], Order::parse($text, ...self::ALL)->name, $file);
        }
    }

    /** Every golden order that the contract calls invalid is refused with exit code 2. */
    #[DataProvider('provideInvalidGoldenOrdersAreRefusedCases')]
    public function testInvalidGoldenOrdersAreRefused(string $text): void
    {
        self::assertSame(2, self::refusal($text, ...self::ALL)->exitCode());
    }

    /** @return iterable<string, array{string}> */
    public static function provideInvalidGoldenOrdersAreRefusedCases(): iterable
    {
        foreach (Paths::files('orders/invalid/*.json') as $file) {
            yield basename($file) => [(string) file_get_contents($file)];
        }
    }

    /** Fields end up where the runner looks for them; without a lead-in there is none. */
    public function testEveryFieldArrives(): void
    {
        $slice = Order::parse(Paths::text('orders/valid/slice.json'), Order::SLICE)->slice;
        self::assertSame([1, 100_000_000, 50_000_000, 60, true], array_values((array) $slice));
        $slice = Order::parse('{"order":"slice","slice":2,"duration_ns":1,"first_command":0,"keep_samples":false}', Order::SLICE)->slice;
        self::assertSame([2, 1, 0, 0, false], array_values((array) $slice));
        self::assertNull(Order::parse(Paths::text('orders/valid/finish.json'), ...self::ALL)->slice);
    }

    /** The message says what was wrong, and what is due. */
    #[DataProvider('provideMessagesSayWhatWasDueCases')]
    public function testMessagesSayWhatWasDue(string $line, string $message): void
    {
        self::assertSame($message, self::refusal($line, Order::SLICE, Order::FINISH)->getMessage());
    }

    /** @return iterable<string, array{string, string}> */
    public static function provideMessagesSayWhatWasDueCases(): iterable
    {
        yield 'not due' => ['{"order":"connect"}', 'the order connect is not due; due: slice or finish'];

        yield 'no JSON' => ['go', 'order must be one JSON object on one line; due: slice or finish'];

        yield 'no object' => ['[]', 'order must be an object, not []; due: slice or finish'];

        yield 'unknown' => ['{"order":"go"}', 'order.order must be one of connect, slice, finish, not "go"; due: slice or finish'];

        yield 'a field too many' => ['{"order":"finish","slice":1}', 'order.slice is unknown; known are order; due: slice or finish'];

        yield 'a field too few' => ['{"order":"slice","slice":1,"duration_ns":1,"first_command":0}', 'order.keep_samples is missing; due: slice or finish'];

        yield 'a number that is none' => ['{"order":"slice","slice":1,"duration_ns":1.5,"first_command":0,"keep_samples":true}', 'order.duration_ns must be an integer, 1 or more, not 1.5; due: slice or finish'];
    }

    private static function refusal(string $line, string ...$due): InvalidInput
    {
        try {
            Order::parse($line, ...$due);
        } catch (InvalidInput $error) {
            return $error;
        }
        self::fail("this was accepted: {$line}");
    }
}
