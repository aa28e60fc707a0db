<?php

declare(strict_types=1);

namespace Respmark\Contract;

/** How to speak TLS to the target. */
final readonly class Tls
{
    public function __construct(
        public ?string $caFile,
        public ?string $certificateFile,
        public ?string $keyFile,
        public bool $verify,
    ) {}

    /** @return array<string, bool|string> as PHP's `ssl` stream context takes it */
    public function context(): array
    {
        $files = ['cafile' => $this->caFile, 'local_cert' => $this->certificateFile, 'local_pk' => $this->keyFile];
        $checks = $this->verify ? [] : ['verify_peer' => false, 'verify_peer_name' => false];

        return array_filter($files, is_string(...)) + $checks;
    }
}
