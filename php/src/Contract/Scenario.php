<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** Ways of using a client; what goes on the wire is part of each definition. */
enum Scenario: string
{
    case Sync = 'sync';
    case Pipelining = 'pipelining';
    case Batching = 'batching';
    case Transaction = 'transaction';
    case Threads = 'threads';
    case Pool = 'pool';
    case NewConnection = 'new-connection';
    case Caching = 'caching';

    /** @return list<string> fields that the shape must have */
    public function required(): array
    {
        return match ($this) {
            self::Sync, self::NewConnection => [],
            self::Pipelining => ['depth', 'window'],
            self::Batching => ['depth'],
            self::Transaction => ['depth', 'form'],
            self::Threads => ['threads', 'connections'],
            self::Pool => ['threads', 'max_total'],
            self::Caching => ['cache_entries'],
        };
    }

    /** @return list<string> fields that the shape may have */
    public function optional(): array
    {
        return match ($this) {
            self::Pipelining => ['threads'],
            self::Pool => ['max_idle'],
            default => [],
        };
    }
}
