<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

/** Calls the methods of commands on a client that sends, or, in a pipeline or transaction, collects them. */
interface Sender
{
    public function send(\Redis $redis, int $at): mixed;

    /** Commands from number `at` on, before number `end`. */
    public function fill(\Redis $redis, int $at, int $end): void;
}
