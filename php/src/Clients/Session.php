<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Errors\TargetFailure;

/** One client, loaded for one trial. */
interface Session
{
    /** Opens every connection that the trial keeps. */
    public function connect(): void;

    public function unit(): Unit;

    /** The library's own name for what a unit threw; null: it is not the library's doing. */
    public function kind(\Throwable $error): ?string;

    /** What to tell the user when the target refused us or was lost; null: the error is one command's reply. */
    public function failure(\Throwable $error): ?TargetFailure;

    /** After a failed unit: makes sure that no reply of it is read by the next. */
    public function settle(\Throwable $error): void;

    /** Whether it is the library's form of the reply to SET. */
    public function isOk(mixed $reply): bool;

    /** Whether it is the library's form of the reply to PING. */
    public function isPong(mixed $reply): bool;

    /** Whether it is the library's form of no value. */
    public function isNull(mixed $reply): bool;

    /** @return array<string, bool|float|int|string> what a reader must know of how the library is used */
    public function settings(): array;

    public function close(): void;
}
