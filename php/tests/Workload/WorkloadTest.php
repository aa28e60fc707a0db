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
        $words = [];
        for ($index = 0; $index < $workload->header->commands; ++$index) {
            $words[] = [$workload->kind($index)->name, ...$workload->arguments($index)];
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
            self::assertSame($first, Walk::of(new WorkloadPart('', $part, $of), 1, $length)->first);
        }
    }

    /** GETs and SETs lie in columns, and begin anew behind the last for as long as a unit is. */
    public function testGetsAndSetsLieInColumns(): void
    {
        WorkloadFiles::write($this->file, [['GET', [WorkloadFiles::KEY]], ['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]]);
        $commands = Commands::of(WorkloadFile::read($this->file), 20, static fn (): array => throw new \LogicException());
        self::assertTrue($commands->areGetsAndSets);
        self::assertCount(36, $commands->keys);
        self::assertSame(['k%0000', 'k%0000', 'k%0001'], array_slice($commands->keys, 0, 3));
        self::assertSame(array_slice($commands->keys, 0, 20), array_slice($commands->keys, 16));
        self::assertNull($commands->values[0]);
        self::assertSame(16, strlen((string) $commands->values[1]));
        self::assertSame(array_slice($commands->values, 0, 20), array_slice($commands->values, 16));
    }

    /** Any other mix is kept as calls of the library. */
    public function testOtherMixesAreKeptAsCalls(): void
    {
        WorkloadFiles::write($this->file, [['LRANGE', [WorkloadFiles::KEY, WorkloadFiles::literal('0')]]]);
        $call = static fn (Kind $kind, array $words): array => [$kind->name, array_values($words)];
        $commands = Commands::of(WorkloadFile::read($this->file), 1, $call);
        self::assertFalse($commands->areGetsAndSets);
        self::assertCount(9, $commands->calls);
        self::assertSame(['LRANGE', ['k%0001', '0']], $commands->calls[1]);
        self::assertSame($commands->calls[0], $commands->calls[8]);
    }

    /** A SET of anything but a value of its key is not taken for a plain one. */
    public function testASetWithOtherWordsIsAnotherMix(): void
    {
        $mix = [['SET', [WorkloadFiles::KEY, WorkloadFiles::literal('x')]]];
        WorkloadFiles::write($this->file, $mix);
        $commands = Commands::of(WorkloadFile::read($this->file), 1, static fn (Kind $kind, array $words): array => ['set', $words]);
        self::assertSame(['set', ['k%0000', 'x']], $commands->calls[0]);
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

        yield 'a newer layout' => ['RESPMARK'.pack('VV', 2, 0), 'its layout 2 is newer than this runner, which reads 1'];

        yield 'no JSON' => ['RESPMARK'.pack('VV', 1, 4).'{{{{', 'its header is not JSON'];

        yield 'cut off' => ['RESPMARK'.pack('VV', 1, 400).'{}', 'it is cut off: it has 18 bytes'];
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

        yield 'newer' => [['schema_version' => 2], 'workload header.schema_version is 2, newer'];

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
