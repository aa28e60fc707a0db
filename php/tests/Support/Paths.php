<?php

declare(strict_types=1);

namespace Respmark\Tests\Support;

/** Where things are in the checkout. */
final class Paths
{
    public const CONTRACT = self::ROOT.'/harness/contract';
    public const GOLDEN = self::CONTRACT.'/golden';
    public const WORKLOAD = self::GOLDEN.'/golden.workload';
    private const ROOT = __DIR__.'/../../..';

    /** The folder of packages of one environment. */
    public static function packages(string $environment): string
    {
        return self::ROOT."/.build/php/{$environment}";
    }

    /**
     * The command of the runner, or of its bare loops, as the harness's spec gives it: a list that JSON can read, too.
     *
     * @param array<string, string> $words
     *
     * @return list<string>
     */
    public static function command(string $name, array $words): array
    {
        $spec = (string) file_get_contents(self::ROOT.'/harness/specs/runners/php.toml');
        if (1 !== preg_match("/^{$name} = (\\[.*\\])$/m", $spec, $found)) {
            throw new \LogicException("the spec of the runner has no {$name} on one line");
        }
        $command = [];
        foreach (Json::list($found[1]) as $word) {
            $filled = strtr(is_string($word) ? $word : '', $words);
            $command[] = str_contains($filled, '/') && !str_starts_with($filled, '/') ? self::ROOT."/{$filled}" : $filled;
        }

        return $command;
    }

    /** @return list<string> */
    public static function files(string $pattern): array
    {
        $found = glob(self::GOLDEN."/{$pattern}");

        return false === $found ? [] : $found;
    }

    public static function text(string $name): string
    {
        return (string) file_get_contents(self::GOLDEN."/{$name}");
    }
}
