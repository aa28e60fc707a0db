<?php

declare(strict_types=1);

namespace Respmark\Tests\Main;

use PHPUnit\Framework\Attributes\DataProvider;
use PHPUnit\Framework\Attributes\DataProviderExternal;
use Respmark\Tests\Support\Certificates;
use Respmark\Tests\Support\Json;
use Respmark\Tests\Support\Numbers;
use Respmark\Tests\Support\Server;
use Respmark\Tests\Support\ServerTestCase;
use Respmark\Tests\Support\Trials;

/** @internal */
final class TlsTest extends ServerTestCase
{
    private Certificates $certificates;
    private Server $secured;
    private int $port;

    protected function setUp(): void
    {
        parent::setUp();
        $this->certificates = new Certificates();
        $this->port = Server::freePort();
        $this->secured = $this->ownServer(
            '--tls-port',
            (string) $this->port,
            '--tls-cert-file',
            $this->certificates->file,
            '--tls-key-file',
            $this->certificates->keyFile,
            '--tls-ca-cert-file',
            $this->certificates->file,
            '--tls-auth-clients',
            'optional',
        );
    }

    protected function tearDown(): void
    {
        parent::tearDown();
        $this->certificates->remove();
    }

    /** A target that speaks TLS is measured, its certificate checked or not, as asked. */
    #[DataProvider('provideTlsIsSpokenCases')]
    public function testTlsIsSpoken(string $library, string $environment, string $scenario): void
    {
        $files = ['ca_file' => $this->certificates->file];
        $own = $files + ['certificate_file' => $this->certificates->file, 'key_file' => $this->certificates->keyFile];
        $shape = 'batching' === $scenario ? ['depth' => 5] : [];
        foreach ([$files, ['verify' => false], $own] as $tls) {
            $target = ['host' => 'localhost', 'port' => $this->port, 'tls' => $tls];
            [, $slice] = Trials::measure(Trials::of($library, 0, $scenario, $shape, ['target' => $target]), $environment);
            self::assertGreaterThan(0, Numbers::of(Json::part($slice['measured'])['operations']));
        }
    }

    /** @return iterable<string, array{string, string, string}> */
    public static function provideTlsIsSpokenCases(): iterable
    {
        foreach (Trials::clients() as $name => [$library, $environment]) {
            foreach (['sync' => [], 'batching' => ['depth' => 5], 'new-connection' => []] as $scenario => $shape) {
                yield "{$name}, {$scenario}" => [$library, $environment, $scenario];
            }
        }
    }

    /** A certificate of an authority that is not trusted is refused. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testAnUntrustedCertificate(string $library, string $environment): void
    {
        $target = ['host' => 'localhost', 'port' => $this->port, 'tls' => (object) []];
        [$code, $errors] = Trials::unready(Trials::of($library, 0, changes: ['target' => $target]), $environment);
        self::assertSame(4, $code, $errors);
        self::assertStringContainsString('has a certificate that is not trusted', $errors);
    }

    /** A target that expects TLS closes the connection; one that does not answers no handshake. Both are told. */
    #[DataProviderExternal(Trials::class, 'clients')]
    public function testOneSideSpeaksTls(string $library, string $environment): void
    {
        [$code, $errors] = Trials::unready(Trials::of($library, $this->port), $environment);
        self::assertSame(4, $code, $errors);
        self::assertStringContainsString('TLS', $errors);
        $target = ['host' => '127.0.0.1', 'port' => $this->secured->port, 'tls' => ['verify' => false]];
        [$code, $errors] = Trials::unready(Trials::of($library, 0, changes: ['target' => $target]), $environment, ['-d', 'default_socket_timeout=1']);
        self::assertSame(4, $code, $errors);
        self::assertStringContainsString('TLS', $errors);
    }
}
