<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Errors\TargetFailure;

/** One client, loaded for one trial. */
interface Session
{
    /** Opens every connection that the trial keeps open. */
    public function connect(): void;

    public function unit(): Unit;

    /** The library's own class name for what a unit threw; null: it did not come from the library. */
    public function kind(\Throwable $error): ?string;

    /** What the error means if the target refused the runner or was lost; null: it is one command's reply. */
    public function failure(\Throwable $error): ?TargetFailure;

    /** After a failed unit, makes sure that the next one reads none of its replies. */
    public function settle(\Throwable $error): void;

    /** Whether it is the library's form of the reply `OK`. */
    public function isOk(mixed $reply): bool;

    /** Whether it is the library's form of the reply `PONG`. */
    public function isPong(mixed $reply): bool;

    /** Whether it is the library's form of no value. */
    public function isNull(mixed $reply): bool;

    /** @return array<string, bool|float|int|string> what a reader must know about how the library is used */
    public function settings(): array;

    public function close(): void;
}
