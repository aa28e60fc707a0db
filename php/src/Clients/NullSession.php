<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Errors\TargetFailure;
use Respmark\Workload\Commands;
use Respmark\Workload\Workload;

/** One trial of nothing. */
final readonly class NullSession implements Session
{
    private Unit $unit;

    public function __construct(Workload $workload)
    {
        $this->unit = new NullUnit(Commands::of($workload, 0));
    }

    public function connect(): void {}

    public function unit(): Unit
    {
        return $this->unit;
    }

    public function kind(\Throwable $error): ?string
    {
        return null;
    }

    public function failure(\Throwable $error): ?TargetFailure
    {
        return null;
    }

    public function settle(\Throwable $error): void {}

    public function isOk(mixed $reply): bool
    {
        return false;
    }

    public function isPong(mixed $reply): bool
    {
        return false;
    }

    public function isNull(mixed $reply): bool
    {
        return false;
    }

    public function settings(): array
    {
        return [];
    }

    public function close(): void {}
}
