<?php

declare(strict_types=1);

namespace Respmark\Tests\Support;

use Respmark\Workload\WorkloadFile;

/** A server of the tests' own on a free loopback port, and a connection to look at it with. */
final class Server
{
    private const ATTEMPTS = 5;
    private const START_S = 10.0;

    public readonly \Redis $control;
    public readonly string $folder;

    /** @var resource */
    private $process;

    /** @param list<string> $settings */
    private function __construct(public readonly int $port, array $settings)
    {
        $this->folder = sys_get_temp_dir().'/respmark-php-'.bin2hex(random_bytes(6));
        mkdir($this->folder);
        $base = ['--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', $this->folder];
        $listen = ['--port', (string) $port, '--unixsocket', "{$this->folder}/server.sock"];
        $quiet = [0 => ['file', '/dev/null', 'r'], 1 => ['file', '/dev/null', 'w'], 2 => ['file', '/dev/null', 'w']];
        $process = proc_open([self::binary(), ...$listen, ...$base, ...$settings], $quiet, $pipes);
        $this->process = is_resource($process) ? $process : throw new \RuntimeException('the server does not start');
        $this->control = new \Redis();
        register_shutdown_function($this->stop(...));
    }

    /** Starts a server; `settings` are arguments of its command line. A port that was taken meanwhile is not insisted on. */
    public static function start(string ...$settings): self
    {
        for ($attempt = 1;; ++$attempt) {
            $server = new self(self::freePort(), array_values($settings));

            try {
                $server->connect();

                return $server;
            } catch (\RedisException|\RuntimeException $error) {
                $server->stop();
                if (self::ATTEMPTS === $attempt) {
                    throw $error;
                }
            }
        }
    }

    public static function freePort(): int
    {
        $probe = stream_socket_server('tcp://127.0.0.1:0');
        if (false === $probe) {
            throw new \RuntimeException('no free port');
        }
        $name = (string) stream_socket_get_name($probe, false);
        fclose($probe);

        return (int) substr($name, (int) strrpos($name, ':') + 1);
    }

    public function socket(): string
    {
        return "{$this->folder}/server.sock";
    }

    /** Empties the database and writes the keys that a workload expects. */
    public function preload(string $path = Paths::WORKLOAD): void
    {
        $this->control->flushAll();
        $workload = WorkloadFile::read($path);
        for ($key = 0; $key < $workload->header->preloadKeys; ++$key) {
            $this->control->set($workload->key($key), $workload->value($key, $workload->header->valueSizeMax));
        }
    }

    /**
     * How often each command was called since the counters were reset.
     *
     * @return array<string, int>
     */
    public function calls(): array
    {
        preg_match_all('/cmdstat_([^:]+):calls=(\d+)/', $this->info('commandstats'), $found, PREG_SET_ORDER);
        $calls = [];
        foreach ($found as [, $name, $count]) {
            $calls[$name] = (int) $count;
        }

        return array_diff_key($calls, ['info' => 0, 'config|resetstat' => 0, 'hello' => 0, 'client|setinfo' => 0, 'select' => 0]);
    }

    /** Returns when a runner is at work: ten more GET than when it was called. */
    public function awaitWork(): void
    {
        $enough = ($this->calls()['get'] ?? 0) + 10;
        while (($this->calls()['get'] ?? 0) < $enough) {
            usleep(10_000);
        }
    }

    public function figure(string $section, string $name): int
    {
        preg_match("/^{$name}:(\\d+)/m", $this->info($section), $found);

        return (int) ($found[1] ?? -1);
    }

    /** Writes what the golden workload of commands works on: five keys each of lists, hashes, sets and so on. */
    public function preloadStructures(string $path): void
    {
        $workload = WorkloadFile::read($path);
        for ($number = 0; $number < $workload->header->preloadKeys; ++$number) {
            $key = $workload->key($number);
            $values = array_map(static fn (int $size): string => $workload->value($number, $size), range(4, 64));
            $this->control->del($key);
            match (intdiv($number, 5)) {
                0 => $this->control->rPush($key, ...array_slice($values, 0, 8)),
                1 => $this->control->hMset($key, array_combine(['a', 'b', 'c', 'd'], array_slice($values, 0, 4))),
                2 => $this->control->sAdd($key, ...$values),
                3 => array_map(fn (string $value) => $this->control->zAdd($key, 1.5, $value), $values),
                4 => $this->control->set($key, '0'),
                default => $this->control->set($key, $values[60]),
            };
        }
    }

    /** Ends it at once, as a crash would. */
    public function kill(): void
    {
        if (is_resource($this->process) && proc_get_status($this->process)['running']) {
            proc_terminate($this->process, 9);
            proc_close($this->process);
        }
    }

    /** It goes on accepting connections and answers nothing; or it wakes up. */
    public function freeze(bool $frozen = true): void
    {
        proc_terminate($this->process, $frozen ? 19 : 18);
    }

    public function stop(): void
    {
        $this->kill();
        if (is_dir($this->folder)) {
            array_map(unlink(...), array_filter((array) glob("{$this->folder}/*"), is_string(...)));
            rmdir($this->folder);
        }
    }

    private function info(string $section): string
    {
        $text = $this->control->rawcommand('INFO', $section);

        return is_string($text) ? $text : '';
    }

    /** Connects when the server answers; another one that took the port meanwhile is not taken for ours. */
    private function connect(): void
    {
        $deadline = microtime(true) + self::START_S;
        while (!file_exists($this->socket())) {
            $status = proc_get_status($this->process);
            if (!$status['running'] || microtime(true) > $deadline) {
                throw new \RuntimeException("the server on port {$this->port} did not start");
            }
            usleep(10_000);
        }
        $this->control->connect($this->socket());
    }

    private static function binary(): string
    {
        $named = (string) getenv('RESPMARK_SERVER');
        foreach ('' === $named ? ['valkey-server', 'redis-server'] : [$named] as $program) {
            $found = trim((string) shell_exec('command -v '.escapeshellarg($program)));
            if ('' !== $found) {
                return $found;
            }
        }

        throw new \RuntimeException('no server to test against: install redis-server, or name its binary in RESPMARK_SERVER');
    }
}
