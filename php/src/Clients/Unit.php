<?php

declare(strict_types=1);

namespace Respmark\Clients;

/** One unit of work: one command, one batch, one transaction, one connection. */
interface Unit
{
    /**
     * Performs the unit that begins with command number `at`.
     *
     * @return mixed its replies: one for a single command, a list for several
     */
    public function perform(int $at): mixed;
}
