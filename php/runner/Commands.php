<?php

declare(strict_types=1);

namespace Respmark;

/** The workload's commands, made before the first slice. */
interface Commands
{
    /** Sends command number `at`, and returns its reply. */
    public function send(object $client, int $at): mixed;

    /** Adds `count` commands from number `at` on to a pipeline or a transaction. */
    public function fill(object $target, int $at, int $count): void;
}
