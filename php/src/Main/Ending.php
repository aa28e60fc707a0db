<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Clients\Warnings;
use Respmark\Errors\ExitCode;
use Respmark\Errors\RunnerError;

/** How the process ends when it fails, for any reason: one sentence as standard error's last line, and an exit code. */
final class Ending
{
    private const DEBUG = 'RESPMARK_DEBUG';
    private const FATAL = E_ERROR | E_PARSE | E_CORE_ERROR | E_COMPILE_ERROR | E_RECOVERABLE_ERROR | E_USER_ERROR;
    private const HIDDEN = '…';

    private ?string $secret = null;

    /** Memory to free when none is left, so the last line can still be printed. */
    private string $reserve = ''; // @phpstan-ignore property.onlyWritten
    private readonly bool $isDebugging;

    public function __construct()
    {
        $this->isDebugging = '1' === getenv(self::DEBUG);
    }

    /** Standard output carries the contract and nothing else; warnings of libraries are for debugging. */
    public function prepare(): void
    {
        $this->reserve = str_repeat(' ', 1 << 16);
        error_reporting(E_ALL & ~E_DEPRECATED & ~E_USER_DEPRECATED);
        ini_set('display_errors', $this->isDebugging ? 'stderr' : '0');
        ini_set('log_errors', '0');
        ini_set('html_errors', '0');
        set_error_handler(self::onWarning(...));
        register_shutdown_function($this->onEnd(...));
    }

    /** From now on the secret is left out of every message. */
    public function keepSecret(#[\SensitiveParameter] ?string $secret): void
    {
        $this->secret = $secret;
    }

    public function redacted(string $text): string
    {
        return null === $this->secret || '' === $this->secret ? $text : str_replace($this->secret, self::HIDDEN, $text);
    }

    /** Says what was wrong; returns the exit code. */
    public function fail(\Throwable $error): int
    {
        if ($this->isDebugging) {
            fwrite(STDERR, $this->redacted((string) $error)."\n");
        }
        $isKnown = $error instanceof RunnerError;
        $this->say($isKnown ? $error->getMessage() : 'internal error: '.$error::class.": {$error->getMessage()}: set ".self::DEBUG.'=1 to see where');

        return $isKnown ? $error->exitCode() : ExitCode::OTHER;
    }

    /** A warning in the runner's own code is a fault; warnings that libraries cause are noted for messages. */
    private static function onWarning(int $severity, string $message, string $file, int $line): bool
    {
        $isOurs = str_starts_with($file, dirname(__DIR__).'/') && !str_contains($file, '/Clients/');
        if ($isOurs && 0 !== (error_reporting() & $severity)) {
            throw new \ErrorException($message, 0, $severity, $file, $line);
        }
        Warnings::note($message);

        return false;
    }

    private function onEnd(): void
    {
        $error = error_get_last();
        if (null === $error || 0 === ($error['type'] & self::FATAL)) {
            return;
        }
        $this->reserve = '';
        $isMemory = str_contains($error['message'], 'Allowed memory size');
        $limit = ini_get('memory_limit');
        $this->say($isMemory
            ? "PHP's memory limit of {$limit} is reached: choose a workload with fewer or smaller values, or raise memory_limit"
            : "internal error: {$error['message']}");

        exit(ExitCode::OTHER);
    }

    private function say(string $sentence): void
    {
        $line = (string) preg_replace('/\s+/', ' ', $sentence);
        fwrite(STDERR, $this->redacted($line)."\n");
    }
}
