<?php

declare(strict_types=1);

namespace Respmark\Main;

/** Standard input and output: one JSON object a line. */
final readonly class Channel
{
    /**
     * @param resource $input
     * @param resource $output
     */
    public function __construct(
        private mixed $input,
        private mixed $output,
    ) {}

    /** The next line, or null when standard input has ended. */
    public function line(): ?string
    {
        $line = fgets($this->input);

        return false === $line ? null : rtrim($line, "\r\n");
    }

    /** @param array<string, mixed> $message */
    public function print(array $message): void
    {
        $json = json_encode(
            $message,
            JSON_UNESCAPED_SLASHES | JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE | JSON_THROW_ON_ERROR,
        );
        fwrite($this->output, "{$json}\n");
        fflush($this->output);
    }
}
