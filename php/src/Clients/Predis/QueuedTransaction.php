<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Predis\Transaction\MultiExec;
use Respmark\Clients\Unit;

/** MULTI, commands and EXEC with a round trip each. */
final readonly class QueuedTransaction implements Unit
{
    public function __construct(
        private Client $client,
        private Sender $sender,
        private int $depth,
    ) {}

    public function perform(int $at): mixed
    {
        $transaction = $this->client->transaction();
        if (!$transaction instanceof MultiExec) {
            throw new \LogicException('predis gives no transaction');
        }
        $this->sender->fill($transaction, $at, $at + $this->depth);

        return $transaction->execute();
    }
}
