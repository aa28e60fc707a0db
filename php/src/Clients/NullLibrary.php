<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Contract\ClientDescription;
use Respmark\Contract\Scenario;
use Respmark\Contract\Trial;
use Respmark\Errors\Unsupported;
use Respmark\Workload\Workload;

/**
 * No client at all: its commands do nothing. A trial of it shows what the loop itself costs every client.
 *
 * It is loaded by name only, and is not among the clients that `describe` lists.
 */
final class NullLibrary implements Library
{
    public const NAME = 'null';

    public function name(): string
    {
        return self::NAME;
    }

    public function describe(): ClientDescription
    {
        return new ClientDescription(self::NAME, '0', [], [], []);
    }

    public function missingOptions(): array
    {
        return [];
    }

    public function everyOption(): array
    {
        return [];
    }

    public function load(Trial $trial, Workload $workload): Session
    {
        if (Scenario::Sync !== $trial->shape->scenario) {
            throw new Unsupported('null has only the scenario sync');
        }

        return new NullSession($workload);
    }
}
