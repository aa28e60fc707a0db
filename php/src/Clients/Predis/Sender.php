<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Predis\Pipeline\Pipeline;
use Predis\Transaction\MultiExec;

/** Calls the commands' methods on a client or transaction, which sends them, or on a pipeline, which collects them. */
interface Sender
{
    public function send(Client $client, int $at): mixed;

    /** Sends or collects the commands from number `at` up to, but not including, number `end`. */
    public function fill(MultiExec|Pipeline $target, int $at, int $end): void;
}
