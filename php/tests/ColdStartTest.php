<?php

declare(strict_types=1);

namespace Respmark\Tests;

use PHPUnit\Framework\TestCase;

/**
 * A program that starts, sends one command and ends, with a client that does nothing.
 */
final class ColdStartTest extends TestCase
{
    public function testAColdStartHasItsStagesAndItsReply(): void
    {
        $before = hrtime(true);
        $started = self::answer([])['started'] ?? [];
        self::assertIsArray($started);
        self::assertSame(['main_ns', 'load_ns', 'create_ns', 'connect_ns', 'first_ns', 'reply', 'versions'], array_keys($started));
        self::assertTrue($before < $started['main_ns'] && $started['main_ns'] < hrtime(true));
        self::assertSame(['bytes' => base64_encode('key:1')], $started['reply']);
        self::assertSame(['null' => '1', 'PHP' => PHP_VERSION], $started['versions']);
    }

    public function testWhatPhpAsInstalledDoesNotHaveIsAnAnswer(): void
    {
        self::assertSame(['unsupported'], array_keys(self::answer(['jit' => 'on'])));
    }

    /**
     * @param array<string, string> $options
     *
     * @return array<mixed> what it answers
     */
    private static function answer(array $options): array
    {
        $path = (string) tempnam(sys_get_temp_dir(), 'workload');
        $kinds = [['name' => 'GET', 'arguments' => ['key']]];
        $header = ['commands' => 1, 'key_bytes' => 5, 'values' => [], 'kinds' => $kinds, 'steps' => [[0]]];
        file_put_contents($path, json_encode($header)."\n".pack('v', 0).'key:1');
        $trial = ['client' => 'null', 'adapter' => 'NullAdapter.php', 'options' => $options, 'workload' => $path];
        $program = proc_open(
            [PHP_BINARY, __DIR__.'/../runner/cold_start.php', '--packages', ''],
            [['pipe', 'r'], ['pipe', 'w'], STDERR],
            $pipes,
        );
        self::assertIsResource($program);
        fwrite($pipes[0], json_encode($trial)."\n");
        fclose($pipes[0]);
        $answer = json_decode((string) stream_get_contents($pipes[1]), true);
        self::assertSame(0, proc_close($program));
        unlink($path);
        self::assertIsArray($answer);

        return $answer;
    }
}
