<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Contract\ClientDescription;
use Respmark\Contract\MissingClient;
use Respmark\Contract\Trial;
use Respmark\Workload\Workload;

/** One client library: says what it can do here, and connects. */
interface Library
{
    public function name(): string;

    public function describe(): ClientDescription|MissingClient;

    /** @return list<MissingClient> values of options that cannot be had here */
    public function missingOptions(): array;

    /** @return list<int|string> every value that some version of the library has for an option; none: no such option */
    public function everyValue(string $option): array;

    /** Connects, and makes the commands of the workload ready. */
    public function open(Trial $trial, Workload $workload): Session;
}
