<?php

declare(strict_types=1);

namespace Respmark\Tests\Workload;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Respmark\Contract\WorkloadPart;
use Respmark\Errors\InvalidTrial;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Paths;
use Respmark\Tests\Support\WorkloadFiles;
use Respmark\Workload\Call;
use Respmark\Workload\Commands;
use Respmark\Workload\Kind;
use Respmark\Workload\Walk;
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

    /** Every command of the golden file has the words that the contract writes out. */
    public function testTheGoldenWorkloadReadsAsWrittenOut(): void
    {
        $workload = WorkloadFile::read(Paths::WORKLOAD);
        $commands = Commands::of($workload, 1);
        $words = [];
        for ($index = 0; $index < $workload->header->commands; ++$index) {
            $call = Call::of($workload->kind($index), '', [], static fn (string $word): string => $word);
            $words[] = [$workload->kind($index)->name, ...$call->with($commands->keys[$index], $commands->values[$index])];
        }
        $written = Json::map(Paths::text('workload.json'));
        self::assertSame($written['commands'], $words);
        self::assertSame($written['largest_value_of_key_7'], $workload->value(7, $workload->header->valueSizeMax));
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
            self::assertSame($first, Walk::of(new WorkloadPart('', $part, $of), 1, $length)->first(0));
        }
    }

    /** A slice begins at its first command, ahead by the part's own beginning, and the file goes round. */
    public function testASliceBeginsAheadByThePart(): void
    {
        $walk = Walk::of(new WorkloadPart('', 1, 3), 1, 100);
        self::assertSame([33, 53, 32, 33], array_map($walk->first(...), [0, 20, 99, 100]));
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
        self::assertSame(16, strlen((string) $commands->values[1]));
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

    /** A call puts each command's key and value where its kind has them, behind the words that the library wants first. */
    public function testACallHasPlacesForKeyAndValue(): void
    {
        $kind = ['name' => 'MSET', 'arguments' => [WorkloadFiles::literal('7'), WorkloadFiles::KEY, WorkloadFiles::VALUE, WorkloadFiles::KEY]];
        $call = Call::of(Kind::parse(json_decode(json_encode($kind, JSON_THROW_ON_ERROR))), 'rawCommand', ['MSET'], intval(...));
        self::assertSame('rawCommand', $call->method);
        self::assertSame(['MSET', 7, 'a', 'b', 'a'], $call->with('a', 'b'));
        self::assertSame(['MSET', 7, 'c', 'd', 'c'], $call->with('c', 'd'));
    }

    /** A command of a kind that the mix does not have is found before it is walked to. */
    public function testAnUnknownKindIsRefused(): void
    {
        WorkloadFiles::write($this->file, [['GET', [WorkloadFiles::KEY]], ['PING', []]], ['mix' => [['name' => 'PING', 'arguments' => []]]]);
        $this->expectException(InvalidTrial::class);
        $this->expectExceptionMessage('the workload\'s command 1 is of a kind that its mix does not have');
        Commands::of(WorkloadFile::read($this->file), 1);
    }

    /** So is a value that the block is too short for. */
    public function testAValueBeyondTheBlockIsRefused(): void
    {
        WorkloadFiles::write($this->file, [['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]], ['block' => ['offset' => 4096, 'length' => 8]]);
        $this->expectException(InvalidTrial::class);
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
        $this->expectException(InvalidTrial::class);
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
        $this->expectException(InvalidTrial::class);
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
        $this->expectException(InvalidTrial::class);
        $this->expectExceptionMessage('/nowhere/a.workload: it cannot be read');
        WorkloadFile::read('/nowhere/a.workload');
    }
}
