<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Respmark\Clients\Unit;

/** Connect, one command, close. */
final readonly class NewConnection implements Unit
{
    public function __construct(
        private Connector $connector,
        private Sender $sender,
    ) {}

    public function perform(int $at): mixed
    {
        $client = $this->connector->client();
        $reply = $this->sender->send($client, $at);
        $client->disconnect();

        return $reply;
    }
}
