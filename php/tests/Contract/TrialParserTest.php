<?php

declare(strict_types=1);

namespace Respmark\Tests\Contract;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\TestCase;
use Respmark\Contract\Form;
use Respmark\Contract\Scenario;
use Respmark\Contract\TrialParser;
use Respmark\Errors\InvalidInput;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Paths;

/** @internal */
final class TrialParserTest extends TestCase
{
    /** Every golden trial that the contract calls valid is read. */
    public function testValidGoldenTrialsAreRead(): void
    {
        $files = Paths::files('trials/valid/*.json');
        self::assertGreaterThan(5, count($files));
        foreach ($files as $file) {
            $text = (string) file_get_contents($file);
            $trial = TrialParser::parse($text);
            self::assertSame(Json::map($text)['scenario'], $trial->shape->scenario->value, $file);
        }
    }

    /** Every golden trial that the contract calls invalid is refused with exit code 2. */
    #[DataProvider('provideInvalidGoldenTrialsAreRefusedCases')]
    public function testInvalidGoldenTrialsAreRefused(string $text): void
    {
        self::assertSame(2, $this->refusal($text)->exitCode());
    }

    /** @return iterable<string, array{string}> */
    public static function provideInvalidGoldenTrialsAreRefusedCases(): iterable
    {
        foreach (Paths::files('trials/invalid/*.json') as $file) {
            yield basename($file) => [(string) file_get_contents($file)];
        }
    }

    /** Fields end up where the runner looks for them. */
    public function testEveryFieldArrives(): void
    {
        $trial = TrialParser::parse(Paths::text('trials/valid/transaction-queued.json'));
        self::assertSame(Scenario::Transaction, $trial->shape->scenario);
        self::assertSame(Form::Queued, $trial->shape->form);
        $second = TrialParser::parse(Paths::text('trials/valid/second-of-two-processes.json'));
        self::assertSame([1, 2], [$second->workload->part, $second->workload->parts]);
        $secured = TrialParser::parse(Paths::text('trials/valid/secured-target.json'))->target;
        self::assertNotNull($secured->tls);
        self::assertNotNull($secured->password);
    }

    /** @param array<string, mixed> $changes */
    #[DataProvider('provideMessagesNameTheFieldAndWhatIsAllowedCases')]
    public function testMessagesNameTheFieldAndWhatIsAllowed(array $changes, string $message): void
    {
        $trial = $changes + Json::map(Paths::text('trials/valid/sync.json'));
        if ([] === ($trial['shape'] ?? null)) {
            $trial['shape'] = (object) [];
        }
        self::assertStringContainsString($message, $this->refusal(json_encode($trial, JSON_THROW_ON_ERROR))->getMessage());
    }

    /** @return iterable<string, array{array<string, mixed>, string}> */
    public static function provideMessagesNameTheFieldAndWhatIsAllowedCases(): iterable
    {
        yield 'unknown' => [['extra' => 1], 'trial.extra is unknown; known are schema_version'];

        yield 'newer' => [['schema_version' => 9], 'trial.schema_version is 9, and this runner reads 2: update the runner'];

        yield 'number as text' => [['verify_commands' => '7'], 'trial.verify_commands must be an integer, 0 or more, not "7"'];

        yield 'older' => [['schema_version' => 1], 'trial.schema_version is 1, and this runner reads 2: update the harness'];

        yield 'a field of version 1' => [['measure_s' => 1], 'trial.measure_s is unknown'];

        yield 'part' => [['workload' => ['path' => 'x', 'part' => 2, 'parts' => 2]], 'trial.workload.part must be an integer, from 0 to 1, not 2'];

        yield 'depth of sync' => [['shape' => ['depth' => 3]], 'trial.shape.depth has no meaning for sync, which uses processes'];

        yield 'option' => [['client' => ['library' => 'predis', 'options' => ['jit' => [1]]]], 'trial.client.options.jit must be a text, an integer, true or false, not [1]'];

        yield 'both addresses' => [['target' => ['host' => 'a', 'port' => 1, 'unix_socket' => '/b']], 'trial.target must have either host and port, or unix_socket'];

        yield 'half an address' => [['target' => ['host' => 'a']], 'trial.target must have either host and port, or unix_socket'];

        yield 'port' => [['target' => ['host' => 'a', 'port' => 70000]], 'trial.target.port must be an integer, from 1 to 65535, not 70000'];

        yield 'tls' => [['target' => ['host' => 'a', 'port' => 1, 'tls' => ['verify' => 'no']]], 'trial.target.tls.verify must be true or false, not "no"'];

        yield 'not an object' => [['client' => ['phpredis']], 'trial.client must be an object, not ["phpredis"]'];
    }

    /** Anything but one JSON object is refused, and not repeated: it may hold a password. */
    public function testWhatIsNotAJsonObjectIsRefused(): void
    {
        foreach (['', 'nonsense secret', '[1]', '7', '{"password": "secret"'] as $text) {
            $refusal = $this->refusal($text);
            self::assertSame(2, $refusal->exitCode());
            self::assertStringNotContainsString('secret', $refusal->getMessage());
        }
    }

    /** A password of the wrong type is not repeated. */
    public function testAWrongPasswordIsNotShown(): void
    {
        $trial = ['target' => ['host' => 'a', 'port' => 1, 'password' => 12345]] + Json::map(Paths::text('trials/valid/sync.json'));
        $message = $this->refusal(json_encode(['shape' => (object) []] + $trial, JSON_THROW_ON_ERROR))->getMessage();
        self::assertSame('trial.target.password must be a text or null', $message);
    }

    private function refusal(string $text): InvalidInput
    {
        try {
            TrialParser::parse($text);
        } catch (InvalidInput $error) {
            return $error;
        }
        self::fail("this was accepted: {$text}");
    }
}
