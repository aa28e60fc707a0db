<?php

declare(strict_types=1);

namespace Respmark\Clients\Phpredis;

/** Calls the commands' methods on a client, which sends them or, in a pipeline, collects them. */
interface Sender
{
    public function send(\Redis $redis, int $at): mixed;

    /** Sends or collects the commands from number `at` up to, but not including, number `end`. */
    public function fill(\Redis $redis, int $at, int $end): void;
}
