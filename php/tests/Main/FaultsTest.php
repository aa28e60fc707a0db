<?php

declare(strict_types=1);

namespace Respmark\Tests\Main;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Paths;
use Respmark\Tests\Support\Runner;
use Respmark\Tests\Support\Server;
use Respmark\Tests\Support\ServerTestCase;
use Respmark\Tests\Support\Trials;
use Respmark\Tests\Support\WorkloadFiles;

/** @internal */
final class FaultsTest extends ServerTestCase
{
    private const PASSWORD = 'a-secret-password';

    /** A refused connection is told at once, with the address. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testATargetThatIsNotThere(string $library, string $environment): void
    {
        $port = Server::freePort();
        [$code, $errors] = Trials::unready(Trials::of($library, $port), $environment);
        self::assertSame(4, $code);
        self::assertStringContainsString("127.0.0.1:{$port} refuses connections (Connection refused", $errors);
        [$code, $errors] = Trials::unready(Trials::of($library, 0, changes: ['target' => ['unix_socket' => '/nowhere/x']]), $environment);
        self::assertSame(4, $code);
        self::assertStringContainsString('/nowhere/x does not exist', $errors);
    }

    /** A host name that nobody knows is told as such. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testAnUnknownHost(string $library, string $environment): void
    {
        $target = ['host' => 'no-such-host.invalid', 'port' => 1];
        [$code, $errors] = Trials::unready(Trials::of($library, 0, changes: ['target' => $target]), $environment);
        self::assertSame(4, $code);
        self::assertStringContainsString('is not a known host', $errors);
    }

    /** A refused password is the target's refusal, and appears nowhere; the right one lets in. */
    #[DataProvider('providePasswordsCases')]
    public function testPasswords(string $library, string $environment, string $scenario): void
    {
        $server = $this->ownServer();
        $server->control->rawcommand('ACL', 'SETUSER', 'me', 'on', '>right', '~*', '+@all');
        $server->control->rawcommand('CONFIG', 'SET', 'requirepass', self::PASSWORD);
        $trial = static fn (array $access): array => Trials::of($library, $server->port, $scenario, changes: [
            'target' => ['host' => '127.0.0.1', 'port' => $server->port] + $access,
        ]);
        foreach ([['password' => 'wrong-'.self::PASSWORD], [], ['username' => 'me', 'password' => self::PASSWORD.'x']] as $access) {
            [$code, $errors] = Trials::unready($trial($access), $environment);
            self::assertSame(4, $code, $errors);
            self::assertStringContainsString('refused the user or the password', $errors);
            self::assertStringNotContainsString(self::PASSWORD, $errors);
        }
        foreach ([['password' => self::PASSWORD], ['username' => 'me', 'password' => 'right']] as $access) {
            [, $slice] = Trials::measure($trial($access), $environment);
            self::assertSame([], $slice['errors']);
        }
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function providePasswordsCases(): iterable
    {
        foreach (Trials::clients() as $name => [$library, $environment]) {
            foreach (['sync', 'new-connection'] as $scenario) {
                yield "{$name}, {$scenario}" => [$library, $environment, $scenario];
            }
        }
    }

    /** A user that may not write, and a replica, are told before `ready`, by verification. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testWritesThatAreRefused(string $library, string $environment): void
    {
        $server = $this->ownServer();
        $server->control->rawcommand('ACL', 'SETUSER', 'reader', 'on', '>pw', '~*', '+@all', '-set');
        $target = ['host' => '127.0.0.1', 'port' => $server->port, 'username' => 'reader', 'password' => 'pw'];
        $changes = ['verify_commands' => 300];
        [$code, $errors] = Trials::unready(Trials::of($library, 0, changes: ['target' => $target] + $changes), $environment);
        self::assertSame(4, $code, $errors);
        self::assertStringContainsString('refused a command of the workload', $errors);
        $server->control->rawcommand('REPLICAOF', '127.0.0.1', '1');
        [$code, $errors] = Trials::unready(Trials::of($library, $server->port, 'batching', ['depth' => 20], $changes), $environment);
        self::assertSame(4, $code, $errors);
        self::assertStringContainsString('is a read-only replica', $errors);
    }

    /** A server with no room, and a database that there is not, are told as such. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testConnectionsThatAreRefused(string $library, string $environment): void
    {
        $server = $this->ownServer();
        $target = ['host' => '127.0.0.1', 'port' => $server->port, 'database' => 99];
        [$code, $errors] = Trials::unready(Trials::of($library, 0, changes: ['target' => $target]), $environment);
        self::assertSame(4, $code);
        self::assertStringContainsString('refused the database', $errors);
        $server->control->rawcommand('CONFIG', 'SET', 'maxclients', '1');
        [$code, $errors] = Trials::unready(Trials::of($library, $server->port), $environment);
        self::assertSame(4, $code);
        self::assertMatchesRegularExpression('/accepts no more clients|closed the connection/', $errors);
    }

    /**
     * A server that dies in a slice is lost: exit code 4, a sentence and no result.
     *
     * @param array<string, mixed> $shape
     */
    #[DataProviderExternal(Trials::class, 'everyScenarioOfEveryClient')]
    public function testATargetLostInASlice(string $library, string $environment, string $scenario, array $shape): void
    {
        $server = $this->ownServer();
        $runner = Runner::of(Trials::of($library, $server->port, $scenario, $shape), $environment);
        $runner->connect();
        $runner->beginSlice(['duration_ns' => 20_000_000_000]);
        $server->awaitWork();
        $server->kill();
        [$code, $errors] = Trials::failure($runner);
        self::assertSame(4, $code, $errors);
        self::assertStringStartsWith("127.0.0.1:{$server->port} was lost: 25 units in a row failed (", $errors);
    }

    /** A server that dies while others have their turn is lost, too, however short the slices are. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testATargetLostBetweenSlices(string $library, string $environment): void
    {
        $server = $this->ownServer();
        $runner = Runner::of(Trials::of($library, $server->port), $environment);
        $runner->connect();
        $runner->slice();
        $server->kill();
        for ($number = 2; $number <= 25; ++$number) {
            $runner->beginSlice(['slice' => $number, 'duration_ns' => 1, 'lead_in_ns' => 0]);
            self::assertSame(1, array_sum(Json::part($runner->event()['errors'])));
        }
        $runner->beginSlice(['slice' => 26, 'duration_ns' => 1, 'lead_in_ns' => 0]);
        [$code, $errors] = Trials::failure($runner);
        self::assertSame(4, $code, $errors);
        self::assertStringStartsWith("127.0.0.1:{$server->port} was lost: 25 units in a row failed (", $errors);
    }

    /** A server that answers no more does not hang the runner, whether it was ready or not. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testAFrozenServer(string $library, string $environment): void
    {
        $quickly = ['-d', 'default_socket_timeout=1'];
        $server = $this->ownServer();
        $runner = Runner::of(Trials::of($library, $server->port, 'batching', ['depth' => 3]), $environment, $quickly);
        $runner->connect();
        $runner->beginSlice(['duration_ns' => 30_000_000_000]);
        $server->awaitWork();
        $server->freeze();
        [$code, $errors] = Trials::failure($runner);
        self::assertSame(4, $code, $errors);
        self::assertStringContainsString('was lost', $errors);
        [$code, $errors] = Trials::unready(Trials::of($library, $server->port), $environment, $quickly);
        self::assertSame(4, $code, $errors);
        $server->freeze(false);
    }

    /** A connection that is cut is an error of its slice; the library connects again, and nothing is counted that was not answered. */
    #[DataProvider('provideAConnectionThatIsCutCases')]
    public function testAConnectionThatIsCut(string $library, string $environment, string $scenario): void
    {
        $shape = ['depth' => 10] + ('transaction' === $scenario ? ['form' => 'queued'] : []);
        $runner = Runner::of(Trials::of($library, self::server()->port, $scenario, $shape), $environment);
        $runner->connect();
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
        $runner->beginSlice(['duration_ns' => 2_000_000_000]);
        self::server()->awaitWork();
        self::server()->control->rawcommand('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        $slice = $runner->event();
        self::assertSame(1, array_sum(Json::part($slice['errors'])), json_encode($slice['errors'], JSON_THROW_ON_ERROR));
        self::assertNotNull($slice['first_error']);
        $claimed = array_sum(Trials::expectedCalls($slice));
        $seen = array_sum(array_intersect_key(self::server()->calls(), Trials::expectedCalls($slice)));
        self::assertLessThanOrEqual($seen, $claimed);
        self::assertLessThanOrEqual($claimed + 20, $seen);
        self::assertSame([], $runner->slice(['slice' => 2])['errors']);
        $runner->result();
        self::assertSame([0, ''], $runner->end());
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function provideAConnectionThatIsCutCases(): iterable
    {
        foreach (Trials::clients() as $name => [$library, $environment]) {
            yield "{$name}, batching" => [$library, $environment, 'batching'];

            yield "{$name}, transaction" => [$library, $environment, 'transaction'];
        }
    }

    /**
     * A value that is not its key's, and a key of another type, end the trial with exit code 1 and the command's name.
     *
     * @param array<string, mixed> $shape
     */
    #[DataProviderExternal(Trials::class, 'everyScenarioOfEveryClient')]
    public function testAWrongReplyIsFound(string $library, string $environment, string $scenario, array $shape): void
    {
        self::server()->control->set('key:0000004', 'not what belongs here');
        [$code, $errors] = Trials::unready(Trials::of($library, self::server()->port, $scenario, $shape), $environment);
        self::assertSame(1, $code, $errors);
        self::assertStringContainsString('the reply to command 0 of the workload, GET key:0000004 ', $errors);
        self::server()->control->del('key:0000004');
        self::server()->control->rPush('key:0000004', 'x');
        [$code, $errors] = Trials::unready(Trials::of($library, self::server()->port, $scenario, $shape), $environment);
        self::assertSame(1, $code, $errors);
        self::assertStringContainsString('command 0 of the workload, GET key:0000004', $errors);
        self::assertStringContainsString('WRONGTYPE', $errors);
    }

    /** A trial that cannot be read, or whose workload cannot, is exit code 2. */
    #[DataProvider('provideWhatIsNotATrialCases')]
    public function testWhatIsNotATrial(string $line): void
    {
        self::assertSame(2, Trials::refused($line)[0]);
    }

    /** @return iterable<string, array{string}> */
    public static function provideWhatIsNotATrialCases(): iterable
    {
        yield 'nothing' => ["\n"];

        yield 'no JSON' => ["{nonsense\n"];

        yield 'a list' => ["[1, 2]\n"];

        yield 'unknown field' => [json_encode(['extra' => 1] + Trials::of('phpredis', 1), JSON_THROW_ON_ERROR)."\n"];

        yield 'no workload' => [json_encode(['workload' => ['path' => '/nowhere/x']] + Trials::of('phpredis', 1), JSON_THROW_ON_ERROR)."\n"];
    }

    /** Standard input that ends before the result ends the runner, wherever the trial is, with exit code 1. */
    public function testAHarnessThatIsGone(): void
    {
        $silent = new Runner([...Runner::command(), 'run']);
        self::assertSame([2, "standard input is empty: it must start with one trial as JSON on one line\n"], $silent->end());
        $runner = Runner::of(Trials::of('predis', self::server()->port));
        $runner->event();
        self::assertSame([1, "standard input ended before the result; due: connect\n"], $runner->end());
        foreach ([false, true] as $hasWorked) {
            $runner = Runner::of(Trials::of('phpredis', self::server()->port));
            $runner->connect();
            if ($hasWorked) {
                $runner->slice();
            }
            self::assertSame([1, "standard input ended before the result; due: slice or finish\n"], $runner->end());
        }
    }

    /** Every golden order that is invalid ends the trial with exit code 2, before `connect` and after it. */
    #[DataProvider('provideInvalidOrdersCases')]
    public function testInvalidOrders(string $line): void
    {
        foreach ([false, true] as $isConnected) {
            $runner = Runner::of(Trials::of('phpredis', self::server()->port));
            $isConnected ? $runner->connect() : $runner->event();
            $runner->tell($line);
            [$code, $errors] = Trials::failure($runner);
            self::assertSame(2, $code);
            self::assertMatchesRegularExpression($isConnected ? '/^order.*; due: slice or finish$/' : '/^order.*; due: connect$/', $errors);
        }
    }

    /** @return iterable<string, array{string}> */
    public static function provideInvalidOrdersCases(): iterable
    {
        foreach (Paths::files('orders/invalid/*.json') as $file) {
            yield basename($file) => [json_encode(Json::map((string) file_get_contents($file)), JSON_THROW_ON_ERROR)."\n"];
        }

        yield 'no JSON' => ["go\n"];
    }

    /**
     * So does an order that is not due.
     *
     * @param list<string> $before orders that are obeyed first
     */
    #[DataProvider('provideOrdersThatAreNotDueCases')]
    public function testOrdersThatAreNotDue(array $before, string $order, string $sentence): void
    {
        $runner = Runner::of(Trials::of('phpredis', self::server()->port));
        $runner->event();
        foreach ($before as $obeyed) {
            $runner->order($obeyed);
            $runner->event();
        }
        $runner->order($order, 'slice' === $order ? Trials::SLICE : []);
        self::assertSame([2, $sentence], Trials::failure($runner));
    }

    /** @return array<string, array{list<string>, string, string}> */
    public static function provideOrdersThatAreNotDueCases(): iterable
    {
        return [
            'slice before connect' => [[], 'slice', 'the order slice is not due; due: connect'],
            'finish before connect' => [[], 'finish', 'the order finish is not due; due: connect'],
            'connect again' => [['connect'], 'connect', 'the order connect is not due; due: slice or finish'],
            'slice after finish' => [['connect', 'finish'], 'slice', 'the order slice is not due; due: the end of standard input'],
            'finish again' => [['connect', 'finish'], 'finish', 'the order finish is not due; due: the end of standard input'],
        ];
    }

    /** A workload that does not fit PHP's memory ends with exit code 1 and a sentence that says what to do. */
    #[DataProvider('provideTheMemoryLimitCases')]
    public function testTheMemoryLimit(string $library): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'respmark');
        WorkloadFiles::write($file, [['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]], repeats: 50_000);
        $trial = Trials::of($library, self::server()->port, changes: ['workload' => ['path' => $file]]);
        [$code, $errors] = Trials::refused($trial, 'default', ['-d', 'memory_limit=16M']);
        self::assertSame(1, $code);
        self::assertSame("PHP's memory limit of 16M is reached: choose a workload with fewer or smaller values, or raise memory_limit", $errors);
        unlink($file);
    }

    /** @return array<string, array{string}> */
    public static function provideTheMemoryLimitCases(): iterable
    {
        return ['phpredis' => ['phpredis'], 'predis' => ['predis']];
    }

    /** SIGTERM and Ctrl-C end it in a slice and between slices, without a result and without a word. */
    #[DataProvider('provideSignalsEndTheRunnerCases')]
    public function testSignalsEndTheRunner(int $signal): void
    {
        foreach ([false, true] as $isWorking) {
            $runner = Runner::of(Trials::of('phpredis', self::server()->port));
            $runner->connect();
            if ($isWorking) {
                $runner->beginSlice(['duration_ns' => 30_000_000_000]);
            }
            usleep(50_000);
            $runner->signal($signal);
            self::assertNull($runner->line());
            self::assertSame([-$signal, ''], $runner->end());
        }
    }

    /** @return array<string, array{int}> */
    public static function provideSignalsEndTheRunnerCases(): iterable
    {
        return ['SIGINT' => [2], 'SIGTERM' => [15]];
    }

    /** A stack trace appears only when it is asked for, and the sentence is the last line all the same. */
    public function testAStackTraceAppearsOnlyWhenAskedFor(): void
    {
        $runner = new Runner([...Runner::command(), 'run'], ['RESPMARK_DEBUG' => '1']);
        $runner->tell("[]\n");
        [$code, $errors] = $runner->end();
        self::assertSame(2, $code);
        self::assertStringContainsString('#0 ', $errors);
        $lines = explode("\n", trim($errors));
        self::assertSame('trial must be an object, not []', end($lines));
    }
}
