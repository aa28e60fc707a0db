<?php

declare(strict_types=1);

namespace Respmark\Tests\Support;

use Opis\JsonSchema\Validator;
use PHPUnit\Framework\Assert;

/** One process of the runner, started as the harness starts it. */
final class Runner
{
    private const LIMIT_S = 45.0;

    public readonly int $pid;

    /** @var resource */
    private $process;

    /** @var array<int, resource> */
    private array $pipes;

    /** @var resource */
    private $errors;
    private string $buffer = '';

    /**
     * @param list<string>          $command
     * @param array<string, string> $variables
     */
    public function __construct(array $command, array $variables = [])
    {
        $errors = tmpfile();
        if (false === $errors) {
            throw new \RuntimeException('no temporary file');
        }
        $this->errors = $errors;
        $process = proc_open($command, [['pipe', 'r'], ['pipe', 'w'], $errors], $pipes, null, [...getenv(), ...$variables]);
        if (!is_resource($process)) {
            throw new \RuntimeException('the runner does not start');
        }
        [$this->process, $this->pipes] = [$process, $pipes];
        $this->pid = proc_get_status($process)['pid'];
        stream_set_blocking($this->pipes[1], false);
        register_shutdown_function($this->kill(...));
    }

    /**
     * Starts `run` and gives it its trial.
     *
     * @param array<string, mixed>|string $trial
     * @param list<string>                $flags more flags of PHP
     */
    public static function of(array|string $trial, string $environment = 'default', array $flags = []): self
    {
        $runner = new self([...self::command($environment, $flags), 'run']);
        $runner->tell(is_string($trial) ? $trial : json_encode($trial, JSON_THROW_ON_ERROR)."\n");

        return $runner;
    }

    /**
     * @param list<string> $flags
     *
     * @return list<string>
     */
    public static function command(string $environment = 'default', array $flags = []): array
    {
        $command = Paths::command('command', ['{environment}' => $environment]);
        array_splice($command, (int) array_search('-d', $command, true), 0, []);
        $script = array_search(true, array_map(static fn (string $word): bool => str_ends_with($word, 'bin/respmark-php'), $command), true);
        array_splice($command, (int) $script, 0, $flags);

        return $command;
    }

    public function tell(string $line): void
    {
        // A runner that has ended reads no more: what it said is looked at instead.
        @fwrite($this->pipes[0], $line);
    }

    /** The next line of standard output, or null at its end. */
    public function line(float $limit = self::LIMIT_S): ?string
    {
        $deadline = microtime(true) + $limit;
        while (!str_contains($this->buffer, "\n")) {
            $left = $deadline - microtime(true);
            if ($left <= 0) {
                $this->kill();
                Assert::fail("the runner said nothing for {$limit} s: ".$this->said());
            }
            [$read, $write, $except] = [[$this->pipes[1]], null, null];
            stream_select($read, $write, $except, (int) $left, 100_000);
            $chunk = fread($this->pipes[1], 1 << 16);
            if (in_array($chunk, ['', false], true) && feof($this->pipes[1])) {
                return null;
            }
            $this->buffer .= (string) $chunk;
        }
        [$line, $this->buffer] = explode("\n", $this->buffer, 2);

        return $line;
    }

    /**
     * The next event, which must follow its schema.
     *
     * @return array<string, mixed>
     */
    public function event(float $limit = self::LIMIT_S): array
    {
        $line = $this->line($limit);
        if (null === $line) {
            Assert::fail('no event, but: '.$this->said());
        }
        $event = Json::map($line);
        self::checkSchema($line, is_string($event['event'] ?? null) ? $event['event'] : 'description');

        return $event;
    }

    public static function checkSchema(string $json, string $name): void
    {
        $schema = json_decode((string) file_get_contents(Paths::CONTRACT."/schemas/{$name}.schema.json"));
        Assert::assertInstanceOf(\stdClass::class, $schema);
        $result = (new Validator())->validate(json_decode($json), $schema);
        Assert::assertTrue($result->isValid(), "{$name} does not follow its schema: {$result->error()}: {$json}");
    }

    /**
     * Gives an order and waits for no answer.
     *
     * @param array<string, mixed> $fields
     */
    public function order(string $order, array $fields = []): void
    {
        $this->tell(json_encode(['order' => $order] + $fields, JSON_THROW_ON_ERROR)."\n");
    }

    /**
     * The order `connect`, once the runner is loaded.
     *
     * @return array<string, mixed> the event `ready`
     */
    public function connect(): array
    {
        Assert::assertSame('loaded', $this->event()['event']);
        $this->order('connect');

        return $this->event();
    }

    /**
     * The order `slice`, waiting for no answer.
     *
     * @param array<string, mixed> $changes
     */
    public function beginSlice(array $changes = []): void
    {
        $this->order('slice', $changes + Trials::SLICE);
    }

    /**
     * The order `slice`.
     *
     * @param array<string, mixed> $changes
     *
     * @return array<string, mixed> the event `slice`
     */
    public function slice(array $changes = []): array
    {
        $this->beginSlice($changes);

        return $this->event();
    }

    /**
     * The order `finish`.
     *
     * @return array<string, mixed> the event `result`
     */
    public function result(): array
    {
        $this->order('finish');

        return $this->event();
    }

    /**
     * Ends standard input and waits for the runner's end.
     *
     * @return array{int, string} exit code and standard error
     */
    public function end(float $limit = self::LIMIT_S): array
    {
        if (is_resource($this->pipes[0])) {
            fclose($this->pipes[0]);
        }
        $deadline = microtime(true) + $limit;
        do {
            $status = proc_get_status($this->process);
            if (!$status['running']) {
                return [$status['signaled'] ? -$status['termsig'] : $status['exitcode'], $this->said()];
            }
            fread($this->pipes[1], 1 << 16);
            usleep(5_000);
        } while (microtime(true) < $deadline);
        $this->kill();
        Assert::fail("the runner did not end within {$limit} s");
    }

    /** @return array<string, string> whether it sleeps, how many threads it has, and how often it went to sleep */
    public function status(): array
    {
        preg_match_all('/^(State|Threads|voluntary_ctxt_switches):\s+(\w+)/m', (string) file_get_contents("/proc/{$this->pid}/status"), $found);

        return array_combine($found[1], $found[2]);
    }

    public function signal(int $signal): void
    {
        proc_terminate($this->process, $signal);
    }

    public function kill(): void
    {
        if (is_resource($this->process) && proc_get_status($this->process)['running']) {
            proc_terminate($this->process, 9);
        }
    }

    private function said(): string
    {
        fseek($this->errors, 0);

        return (string) stream_get_contents($this->errors);
    }
}
