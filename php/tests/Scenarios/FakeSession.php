<?php

declare(strict_types=1);

namespace Respmark\Tests\Scenarios;

use Respmark\Clients\Refusals;
use Respmark\Clients\Session;
use Respmark\Clients\Unit;
use Respmark\Contract\Endpoint;
use Respmark\Errors\TargetFailure;

/** A client without a server: a unit is whatever the test says, and domain errors are the library's. */
final class FakeSession implements Session, Unit
{
    /** @var list<\Throwable> */
    public array $settled = [];

    /** @param \Closure(int): mixed $perform */
    public function __construct(private readonly \Closure $perform) {}

    public function perform(int $at): mixed
    {
        return ($this->perform)($at);
    }

    public function connect(): void {}

    public function unit(): Unit
    {
        return $this;
    }

    public function kind(\Throwable $error): ?string
    {
        return $error instanceof \DomainException ? 'LibraryError' : null;
    }

    public function failure(\Throwable $error): ?TargetFailure
    {
        return Refusals::ofReply($error->getMessage(), new Endpoint('a', 1, null, 0, null, null, null));
    }

    public function settle(\Throwable $error): void
    {
        $this->settled[] = $error;
    }

    public function isOk(mixed $reply): bool
    {
        return 'fine' === $reply;
    }

    public function isPong(mixed $reply): bool
    {
        return 'PONG' === $reply;
    }

    public function isNull(mixed $reply): bool
    {
        return null === $reply;
    }

    public function settings(): array
    {
        return [];
    }

    public function close(): void {}
}
