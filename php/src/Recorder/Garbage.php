<?php

declare(strict_types=1);

namespace Respmark\Recorder;

/** Garbage from before the first slice. */
final class Garbage
{
    /** Collects it, so no slice has to. */
    public static function setAside(): void
    {
        gc_collect_cycles();
        gc_mem_caches();
    }
}
