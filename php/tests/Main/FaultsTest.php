<?php

declare(strict_types=1);

namespace Respmark\Tests\Main;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
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
        [$code, $errors] = Trials::refused(Trials::of($library, $port), $environment);
        self::assertSame(4, $code);
        self::assertStringContainsString("127.0.0.1:{$port} has no server (Connection refused", $errors);
        [$code, $errors] = Trials::refused(Trials::of($library, 0, changes: ['target' => ['unix_socket' => '/nowhere/x']]), $environment);
        self::assertSame(4, $code);
        self::assertStringContainsString('/nowhere/x has no socket for us', $errors);
    }

    /** A host name that nobody knows is told as such. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testAnUnknownHost(string $library, string $environment): void
    {
        $target = ['host' => 'no-such-host.invalid', 'port' => 1];
        [$code, $errors] = Trials::refused(Trials::of($library, 0, changes: ['target' => $target]), $environment);
        self::assertSame(4, $code);
        self::assertStringContainsString('has an unknown host name', $errors);
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
            [$code, $errors] = Trials::refused($trial($access), $environment);
            self::assertSame(4, $code, $errors);
            self::assertStringContainsString('refused the user or the password', $errors);
            self::assertStringNotContainsString(self::PASSWORD, $errors);
        }
        foreach ([['password' => self::PASSWORD], ['username' => 'me', 'password' => 'right']] as $access) {
            [, $result] = Trials::measure($trial($access), $environment);
            self::assertGreaterThan(0, $result['operations']);
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

    /** A user that may not write, and a replica, are told before the window, by verification or by the warm-up. */
    #[DataProvider('provideWritesThatAreRefusedCases')]
    public function testWritesThatAreRefused(string $library, string $environment, int $verify): void
    {
        $server = $this->ownServer();
        $server->control->rawcommand('ACL', 'SETUSER', 'reader', 'on', '>pw', '~*', '+@all', '-set');
        $target = ['host' => '127.0.0.1', 'port' => $server->port, 'username' => 'reader', 'password' => 'pw'];
        $changes = ['verify_commands' => $verify, 'warmup_s' => 1];
        [$code, $errors] = Trials::refused(Trials::of($library, 0, changes: ['target' => $target] + $changes), $environment);
        self::assertSame(4, $code, $errors);
        self::assertStringContainsString('does not permit the user what the workload needs', $errors);
        $server->control->rawcommand('REPLICAOF', '127.0.0.1', '1');
        [$code, $errors] = Trials::refused(Trials::of($library, $server->port, 'batching', ['depth' => 20], $changes), $environment);
        self::assertSame(4, $code, $errors);
        self::assertStringContainsString('is a replica that takes no writes', $errors);
    }

    /** @return iterable<string, array{string, string, int}> */
    public static function provideWritesThatAreRefusedCases(): iterable
    {
        foreach (Trials::clients() as $name => [$library, $environment]) {
            yield "{$name}, verification" => [$library, $environment, 300];

            yield "{$name}, warm-up" => [$library, $environment, 0];
        }
    }

    /** A server with no room, and a database that there is not, are told as such. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testConnectionsThatAreRefused(string $library, string $environment): void
    {
        $server = $this->ownServer();
        $target = ['host' => '127.0.0.1', 'port' => $server->port, 'database' => 99];
        [$code, $errors] = Trials::refused(Trials::of($library, 0, changes: ['target' => $target]), $environment);
        self::assertSame(4, $code);
        self::assertStringContainsString('refused the database', $errors);
        $server->control->rawcommand('CONFIG', 'SET', 'maxclients', '1');
        [$code, $errors] = Trials::refused(Trials::of($library, $server->port), $environment);
        self::assertSame(4, $code);
        self::assertMatchesRegularExpression('/has as many clients as it allows|closed the connection/', $errors);
    }

    /**
     * A server that dies in the window is lost: exit code 4, a sentence and no result.
     *
     * @param array<string, mixed> $shape
     */
    #[DataProviderExternal(Trials::class, 'everyScenarioOfEveryClient')]
    public function testATargetLostInTheWindow(string $library, string $environment, string $scenario, array $shape): void
    {
        $server = $this->ownServer();
        $runner = Runner::of(Trials::of($library, $server->port, $scenario, $shape, ['measure_s' => 20]), $environment);
        $runner->event();
        $runner->begin();
        usleep(100_000);
        $server->kill();
        self::assertNull($runner->line());
        [$code, $errors] = $runner->finish();
        self::assertSame(4, $code, $errors);
        self::assertStringStartsWith("127.0.0.1:{$server->port} was lost: 25 units in a row failed (", $errors);
        self::assertSame(1, substr_count($errors, "\n"));
    }

    /** A window that ends before many units have failed has lost its target all the same. */
    public function testATargetLostAtTheEndOfTheWindow(): void
    {
        $server = $this->ownServer();
        $runner = Runner::of(Trials::of('phpredis', $server->port, changes: ['measure_s' => 0.5]));
        $runner->event();
        $server->kill();
        $runner->begin();
        self::assertNull($runner->line());
        self::assertSame(4, $runner->finish()[0]);
    }

    /** A server that answers no more does not hang the runner, whether it was ready or not. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testAFrozenServer(string $library, string $environment): void
    {
        $quickly = ['-d', 'default_socket_timeout=1'];
        $server = $this->ownServer();
        $runner = Runner::of(Trials::of($library, $server->port, 'batching', ['depth' => 3], ['measure_s' => 30]), $environment, $quickly);
        $runner->event();
        $runner->begin();
        usleep(50_000);
        $server->freeze();
        while (null !== ($line = $runner->line())) {
            self::assertStringStartsWith('{"event":"progress"', $line);
        }
        [$code, $errors] = $runner->finish();
        self::assertSame(4, $code, $errors);
        self::assertStringContainsString('was lost', $errors);
        [$code, $errors] = Trials::refused(Trials::of($library, $server->port), $environment, $quickly);
        self::assertSame(4, $code, $errors);
        $server->freeze(false);
    }

    /** A connection that is cut is an error of its kind; the library connects again, and nothing is counted that was not answered. */
    #[DataProvider('provideAConnectionThatIsCutCases')]
    public function testAConnectionThatIsCut(string $library, string $environment, string $scenario): void
    {
        $shape = ['depth' => 10] + ('transaction' === $scenario ? ['form' => 'queued'] : []);
        $runner = Runner::of(Trials::of($library, self::server()->port, $scenario, $shape, ['measure_s' => 0.6]), $environment);
        $runner->event();
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
        $runner->begin();
        usleep(200_000);
        self::server()->control->rawcommand('CLIENT', 'KILL', 'TYPE', 'normal', 'SKIPME', 'yes');
        $result = $runner->event();
        self::assertSame('result', $result['event']);
        self::assertSame([0, ''], $runner->finish());
        $claimed = array_sum(Trials::expectedCalls($result));
        $seen = array_sum(array_intersect_key(self::server()->calls(), Trials::expectedCalls($result)));
        self::assertLessThanOrEqual($seen, $claimed);
        self::assertLessThanOrEqual($claimed + 20, $seen);
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
        [$code, $errors] = Trials::refused(Trials::of($library, self::server()->port, $scenario, $shape), $environment);
        self::assertSame(1, $code, $errors);
        self::assertStringContainsString('the reply to command 0 of the workload, GET key:0000004 ', $errors);
        self::server()->control->del('key:0000004');
        self::server()->control->rPush('key:0000004', 'x');
        [$code, $errors] = Trials::refused(Trials::of($library, self::server()->port, $scenario, $shape), $environment);
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

    /** Standard input that ends before the trial, or before `go`, ends the runner. */
    public function testAHarnessThatIsGone(): void
    {
        $silent = new Runner([...Runner::command(), 'run']);
        self::assertSame([2, "standard input is empty: it must start with one trial as JSON on one line\n"], $silent->finish());
        $runner = Runner::of(Trials::of('predis', self::server()->port));
        $runner->event();
        [$code, $errors] = $runner->finish();
        self::assertSame([1, "standard input ended before {\"event\":\"go\"}: nothing was measured\n"], [$code, $errors]);
    }

    /** A workload that does not fit PHP's memory ends with exit code 1 and a sentence that says what to do. */
    #[DataProvider('provideTheMemoryLimitCases')]
    public function testTheMemoryLimit(string $library): void
    {
        $file = (string) tempnam(sys_get_temp_dir(), 'respmark');
        WorkloadFiles::write($file, [['SET', [WorkloadFiles::KEY, WorkloadFiles::VALUE]]], ['value_size_max' => 8000], 8000, 1000);
        $trial = Trials::of($library, self::server()->port, changes: ['workload' => ['path' => $file]]);
        [$code, $errors] = Trials::refused($trial, 'default', ['-d', 'memory_limit=32M']);
        self::assertSame(1, $code);
        self::assertSame("PHP's memory limit of 32M is reached: choose a workload with fewer or smaller values, or raise memory_limit", $errors);
        unlink($file);
    }

    /** @return array<string, array{string}> */
    public static function provideTheMemoryLimitCases(): iterable
    {
        return ['phpredis' => ['phpredis'], 'predis' => ['predis']];
    }

    /** SIGTERM and Ctrl-C end it in the window, without a result and without a word. */
    #[DataProvider('provideSignalsEndTheRunnerCases')]
    public function testSignalsEndTheRunner(int $signal): void
    {
        $runner = Runner::of(Trials::of('phpredis', self::server()->port, changes: ['measure_s' => 30]));
        $runner->event();
        $runner->begin();
        usleep(50_000);
        $runner->signal($signal);
        self::assertNull($runner->line());
        self::assertSame([-$signal, ''], $runner->finish());
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
        [$code, $errors] = $runner->finish();
        self::assertSame(2, $code);
        self::assertStringContainsString('#0 ', $errors);
        $lines = explode("\n", trim($errors));
        self::assertSame('trial must be an object, not []', end($lines));
    }
}
