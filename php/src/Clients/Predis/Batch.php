<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Predis\Pipeline\Pipeline;
use Respmark\Clients\Unit;

/** A pipeline, filled, sent and read as a whole; an atomic one is a transaction. */
final readonly class Batch implements Unit
{
    /** @param array{atomic: bool} $options */
    public function __construct(
        private Client $client,
        private Sender $sender,
        private int $depth,
        private array $options,
    ) {}

    public function perform(int $at): mixed
    {
        $pipeline = $this->client->pipeline($this->options);
        if (!$pipeline instanceof Pipeline) {
            throw new \LogicException('predis gives no pipeline');
        }
        $this->sender->fill($pipeline, $at, $at + $this->depth);

        return $pipeline->execute();
    }
}
