<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Clients\Packages;
use Respmark\Errors\ExitCode;
use Respmark\Errors\InvalidInput;

/** The commands `describe` and `run`, and their exit codes. */
final class Program
{
    private const USAGE = 'usage: respmark-php --packages FOLDER describe|run';

    /** @param list<string> $arguments */
    public static function main(array $arguments): int
    {
        $ending = new Ending();
        $ending->prepare();

        try {
            self::carryOut($arguments, $ending);
        } catch (\Throwable $error) {
            return $ending->fail($error);
        }

        return ExitCode::DONE;
    }

    /** @param list<string> $arguments */
    private static function carryOut(array $arguments, Ending $ending): void
    {
        [$option, $folder, $command] = $arguments + ['', '', ''];
        if ('--packages' !== $option || 3 !== count($arguments)) {
            throw new InvalidInput(self::USAGE);
        }
        $packages = new Packages($folder);
        match ($command) {
            'describe' => Describe::print($packages),
            'run' => (new Run($packages, new Channel(STDIN, STDOUT), $ending))->trial(),
            default => throw new InvalidInput(self::USAGE),
        };
    }
}
