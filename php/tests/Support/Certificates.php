<?php

declare(strict_types=1);

namespace Respmark\Tests\Support;

/** A certificate for localhost that signs itself, and its key, in files. */
final class Certificates
{
    public readonly string $file;
    public readonly string $keyFile;

    public function __construct()
    {
        [$this->file, $this->keyFile] = [(string) tempnam(sys_get_temp_dir(), 'cert'), (string) tempnam(sys_get_temp_dir(), 'key')];
        $command = ['openssl', 'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1',
            '-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1', '-keyout', $this->keyFile, '-out', $this->file];
        exec(implode(' ', array_map(escapeshellarg(...), $command)).' 2>&1', $output, $code);
        if (0 !== $code) {
            throw new \RuntimeException('openssl makes no certificate: '.implode(' ', $output));
        }
    }

    public function remove(): void
    {
        unlink($this->file);
        unlink($this->keyFile);
    }
}
