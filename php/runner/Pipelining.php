<?php

declare(strict_types=1);

namespace Respmark;

/** An adapter of a library whose commands can be issued without waiting for their replies. */
interface Pipelining
{
    /** @return list<mixed> the replies of `depth` commands from number `at` on, all issued before the first is waited for */
    public function burst(object $client, Workload $commands, int $at, int $depth): array;
}
