<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Predis\Pipeline\Pipeline;
use Predis\Transaction\MultiExec;

/** Calls the methods of commands on a client, which sends them, or on a pipeline or transaction. */
interface Sender
{
    public function send(Client $client, int $at): mixed;

    /** Commands from number `at` on, before number `end`. */
    public function fill(MultiExec|Pipeline $target, int $at, int $end): void;
}
