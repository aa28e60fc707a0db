<?php

declare(strict_types=1);

namespace Respmark;

/** An adapter of a library that has a local cache. */
interface Caching
{
    /** @return object a client that caches at most so many entries, connected */
    public function cache(int $entries): object;

    /** @return array{hits: ?int, misses: ?int, invalidations: ?int} since the last time; null: the library does not count them */
    public function counts(): array;
}
