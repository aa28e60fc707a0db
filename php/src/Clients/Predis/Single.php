<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Respmark\Clients\Unit;

/** One command. */
final readonly class Single implements Unit
{
    public function __construct(
        private Client $client,
        private Sender $sender,
    ) {}

    public function perform(int $at): mixed
    {
        return $this->sender->send($this->client, $at);
    }
}
