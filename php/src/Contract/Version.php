<?php

declare(strict_types=1);

namespace Respmark\Contract;

final class Version
{
    /** Version of every message and of the workload file; a newer one is refused. */
    public const SCHEMA = 1;
}
