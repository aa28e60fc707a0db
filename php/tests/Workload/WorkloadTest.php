<?php

declare(strict_types=1);

namespace Respmark\Tests\Workload;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\TestWith;
use PHPUnit\Framework\TestCase;
use Respmark\Contract\WorkloadPart;
use Respmark\Errors\InvalidInput;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Paths;
use Respmark\Tests\Support\WorkloadFiles;
use Respmark\Workload\Call;
use Respmark\Workload\Commands;
use Respmark\Workload\Kind;
use Respmark\Workload\Walker;
use Respmark\Workload\WorkloadFile;

/** @internal */
final class WorkloadTest extends TestCase
{
    private string $file;

    protected function setUp(): void
    {
        $this->file = (string) tempnam(sys_get_temp_dir(), 'respmark');
    }

    protected function tearDown(): void
    {
        unlink($this->file);
    }

    /** Every command of a golden file has the words that the contract writes out. */
    #[TestWith(['golden.workload', 'workload.json'])]
    #[TestWith(['commands.workload', 'commands.json'])]
    public function testTheGoldenWorkloadsReadAsWrittenOut(string $file, string $written): void
    {
        $workload = WorkloadFile::read(Paths::GOLDEN."/{$file}");
        $words = [];
        for ($index = 0; $index < $workload->header->commands; ++$index) {
            $words[] = [$workload->kind($index)->name, ...$workload->words($index)];
        }
        $expected = Json::map(Paths::text($written));
        self::assertSame($expected['commands'], $words);
        self::assertSame($expected['largest_value_of_key_7'], $workload->value(7, $workload->header->valueSizeMax));
    }

    /** Every command of a golden file is called with its words, one by one or in the form that its method takes. */
    public function testCommandsAreCalledWithTheirWords(): void
    {
        $workload = WorkloadFile::read(Paths::GOLDEN.'/commands.workload');
        $calls = array_map(static fn (Kind $kind): Call => match ($kind->name) {
            'MGET' => Call::ofList('mget'),
            'MSET' => Call::ofPairs('mset'),
            'ZADD' => Call::ofScores('zadd', '1.5'),
            default => Call::plain($kind, $kind->name),
        }, $workload->header->mix);
        $commands = Commands::of($workload, 7, $calls);
        $length = $workload->header->commands;
        for ($index = 0; $index < $length + 7; ++$index) {
            $words = $workload->words($index % $length);
            $expected = match ($workload->kind($index % $length)->name) {
                'MGET' => [$words],
                'MSET' => [[$words[0] => $words[1], $words[2] => $words[3]]],
                'ZADD' => [$words[0], [$words[2] => 1.5]],
                'GETRANGE', 'LTRIM', 'LRANGE' => [$words[0], (int) $words[1], (int) $words[2]],
                'EXPIRE', 'INCRBY' => [$words[0], (int) $words[1]],
                default => $words,
            };
            $call = $calls[ord($commands->kinds[$index])];
            self::assertSame($expected, $call->with($commands->keys[$index], $commands->values[$index]));
        }
    }

    /** Each part begins where the contract says. */
    public function testPartsBeginWhereTheContractSays(): void
    {
        $length = WorkloadFile::read(Paths::WORKLOAD)->header->commands;
        $parts = Json::map(Paths::text('workload.json'))['first_command_of_part'];
        self::assertIsArray($parts);
        self::assertNotEmpty($parts);
        foreach ($parts as $name => $first) {
            [$part, $of] = array_map(intval(...), explode(' of ', (string) $name));
            self::assertSame($first, Walker::of(new WorkloadPart('', $part, $of), 1, $length)->first(0));
        }
    }

    /** A slice begins at its first command, ahead by the part's own beginning, and the file goes round. */
    public function testASliceBeginsAheadByThePart(): void
    {
        $walker = Walker::of(new WorkloadPart('', 1, 3), 1, 100);
        self::assertSame([33, 53, 32, 33], array_map($walker->first(...), [0, 20, 99, 100]));
    }

    /** Commands lie in columns, and begin anew behind the last for as long as a unit is, which may be longer than the file. */
    public function testCommandsLieInColumns(): void
    {
        WorkloadFiles::write($this->file, [['GET', [WorkloadFiles::KEY]], ['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]]);
        $commands = Commands::of(WorkloadFile::read($this->file), 20);
        self::assertSame(str_repeat("\0\1", 18), $commands->kinds);
        self::assertCount(36, $commands->keys);
        self::assertSame(['k%0000', 'k%0000', 'k%0001'], array_slice($commands->keys, 0, 3));
        self::assertSame(array_slice($commands->keys, 0, 20), array_slice($commands->keys, 16));
        self::assertNull($commands->values[0]);
        self::assertIsString($commands->values[1]);
        self::assertSame(16, strlen($commands->values[1]));
        self::assertSame(array_slice($commands->values, 0, 20), array_slice($commands->values, 16));
    }

    /** Of equal values there is one string, however many commands send it. */
    public function testEqualValuesAreOneString(): void
    {
        $size = 1 << 20;
        WorkloadFiles::write($this->file, [['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]], ['value_size_max' => $size], $size, 40);
        $workload = WorkloadFile::read($this->file);
        $before = memory_get_usage();
        $values = $workload->values();
        self::assertCount(320, $values);
        self::assertLessThan(9 * $size, memory_get_usage() - $before);
    }

    /** Only a mix of plain GETs and SETs is taken for one: a SET of anything but a value of its key is not. */
    public function testASetWithOtherWordsIsAnotherMix(): void
    {
        $key = WorkloadFiles::KEY;
        WorkloadFiles::write($this->file, [['get', [$key]], ['SET', [$key, WorkloadFiles::VALUE]]]);
        self::assertTrue(WorkloadFile::read($this->file)->header->hasOnlyGetsAndSets());
        WorkloadFiles::write($this->file, [['SET', [$key, WorkloadFiles::literal('x')]]]);
        self::assertFalse(WorkloadFile::read($this->file)->header->hasOnlyGetsAndSets());
    }

    /** A command of a kind that the mix does not have is found before it is walked to. */
    public function testAnUnknownKindIsRefused(): void
    {
        WorkloadFiles::write($this->file, [['GET', [WorkloadFiles::KEY]], ['PING', []]], ['mix' => [['name' => 'PING', 'arguments' => []]]]);
        $this->expectException(InvalidInput::class);
        $this->expectExceptionMessage('the workload\'s command 1 is of a kind that its mix does not have');
        Commands::of(WorkloadFile::read($this->file), 1);
    }

    /** So is a value that the block is too short for. */
    public function testAValueBeyondTheBlockIsRefused(): void
    {
        WorkloadFiles::write($this->file, [['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]], ['block' => ['offset' => 4096, 'length' => 8]]);
        $this->expectException(InvalidInput::class);
        $this->expectExceptionMessage('the workload\'s block is too short for a value of 16 bytes of key 0');
        Commands::of(WorkloadFile::read($this->file), 1);
    }

    /** A command is shown without its value. */
    public function testACommandIsShownWithoutItsValue(): void
    {
        WorkloadFiles::write($this->file, [['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]]);
        self::assertSame('command 3 of the workload, SET k%0003 …', WorkloadFile::read($this->file)->shown(3));
    }

    /** The message says what is wrong with the file. */
    #[DataProvider('provideAFileThatIsNoWorkloadIsRefusedCases')]
    public function testAFileThatIsNoWorkloadIsRefused(string $content, string $message): void
    {
        file_put_contents($this->file, $content);
        $this->expectException(InvalidInput::class);
        $this->expectExceptionMessage("trial.workload.path: {$this->file}: {$message}");
        WorkloadFile::read($this->file);
    }

    /** @return iterable<string, array{string, string}> */
    public static function provideAFileThatIsNoWorkloadIsRefusedCases(): iterable
    {
        yield 'empty' => ['', 'it is not a workload file'];

        yield 'another file' => [str_repeat('x', 99), 'it is not a workload file: it does not start with RESPMARK'];

        yield 'a newer layout' => ['RESPMARK'.pack('VV', 3, 0), 'its layout is 3, and this runner reads 2: update the runner'];

        yield 'an older layout' => ['RESPMARK'.pack('VV', 1, 0), 'its layout is 1, and this runner reads 2: update the harness'];

        yield 'no JSON' => ['RESPMARK'.pack('VV', 2, 4).'{{{{', 'its header is not JSON'];

        yield 'cut off' => ['RESPMARK'.pack('VV', 2, 400).'{}', 'it is cut off: it has 18 bytes'];
    }

    /** @param array<string, mixed> $changes */
    #[DataProvider('provideAHeaderThatDoesNotFitIsRefusedCases')]
    public function testAHeaderThatDoesNotFitIsRefused(array $changes, string $message): void
    {
        WorkloadFiles::write($this->file, [['GET', [WorkloadFiles::KEY]]], $changes);
        $this->expectException(InvalidInput::class);
        $this->expectExceptionMessage($message);
        WorkloadFile::read($this->file);
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function provideAHeaderThatDoesNotFitIsRefusedCases(): iterable
    {
        yield 'unknown' => [['extra' => 1], 'workload header.extra is unknown'];

        yield 'newer' => [['schema_version' => 3], 'workload header.schema_version is 3, and this runner reads 2: update the runner'];

        yield 'columns' => [['keys' => ['offset' => 4096, 'length' => 1 << 30]], 'it is cut off'];

        yield 'argument' => [['mix' => [['name' => 'GET', 'arguments' => [['kind' => 'colour']]]]], 'must be one of key, value, literal'];
    }

    /** A missing file is named. */
    public function testAFileThatCannotBeReadIsRefused(): void
    {
        $this->expectException(InvalidInput::class);
        $this->expectExceptionMessage('/nowhere/a.workload: it cannot be read');
        WorkloadFile::read('/nowhere/a.workload');
    }
}
