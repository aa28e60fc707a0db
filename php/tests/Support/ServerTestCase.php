<?php

declare(strict_types=1);

namespace Respmark\Tests\Support;

use PHPUnit\Framework\TestCase;

/** Tests that share one server; each begins with the golden workload's keys and fresh counters. */
abstract class ServerTestCase extends TestCase
{
    private static ?Server $shared = null;

    /** @var list<Server> */
    private array $own = [];

    public static function setUpBeforeClass(): void
    {
        self::$shared = Server::start();
    }

    public static function tearDownAfterClass(): void
    {
        self::$shared?->stop();
        self::$shared = null;
    }

    protected function setUp(): void
    {
        self::server()->preload();
        self::server()->control->rawcommand('CONFIG', 'RESETSTAT');
    }

    protected function tearDown(): void
    {
        array_map(static fn (Server $server) => $server->stop(), $this->own);
        $this->own = [];
    }

    protected static function server(): Server
    {
        return self::$shared ?? throw new \LogicException('the server is not started');
    }

    /** A server for one test, which may treat it as it likes. */
    protected function ownServer(string ...$settings): Server
    {
        $server = Server::start(...$settings);
        $this->own[] = $server;
        $server->preload();

        return $server;
    }
}
