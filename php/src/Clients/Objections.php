<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Contract\Scenario;
use Respmark\Contract\Trial;
use Respmark\Errors\Unsupported;

/** What PHP's clients, which all wait for their replies on one thread, cannot express. */
final class Objections
{
    public static function check(Trial $trial): void
    {
        $library = $trial->client->library;
        $reason = match ($trial->shape->scenario) {
            Scenario::Pipelining => "{$library} has no asynchronous API: its pipeline() is batching",
            Scenario::Threads => 'PHP runs a script on one thread; processes do it instead',
            Scenario::Pool => "{$library} has no pool: a PHP process has one connection; processes do it instead",
            Scenario::Caching => "{$library} has no client-side caching",
            default => null,
        };
        if (null !== $reason) {
            throw new Unsupported($reason);
        }
    }
}
