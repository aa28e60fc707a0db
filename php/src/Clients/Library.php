<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Contract\ClientDescription;
use Respmark\Contract\MissingClient;
use Respmark\Contract\Trial;
use Respmark\Workload\Workload;

/** One client library: says what it can do here, and makes a session for a trial. */
interface Library
{
    public function name(): string;

    public function describe(): ClientDescription|MissingClient;

    /** @return list<MissingClient> values of options that are not available here */
    public function missingOptions(): array;

    /** @return array<string, list<int|string>> every option, with every value that some version has for it */
    public function everyOption(): array;

    /** Materialises the commands of the workload; opens no connection. */
    public function load(Trial $trial, Workload $workload): Session;
}
