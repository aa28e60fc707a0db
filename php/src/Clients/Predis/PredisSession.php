<?php

declare(strict_types=1);

namespace Respmark\Clients\Predis;

use Predis\Client;
use Predis\ClientException;
use Predis\CommunicationException;
use Predis\Connection\Resource\Exception\StreamInitException;
use Predis\PredisException;
use Predis\Response\ServerException;
use Predis\Response\Status;
use Respmark\Clients\Refusals;
use Respmark\Clients\Session;
use Respmark\Clients\Unit;
use Respmark\Clients\Warnings;
use Respmark\Contract\Form;
use Respmark\Contract\Scenario;
use Respmark\Contract\Trial;
use Respmark\Errors\TargetFailure;
use Respmark\Errors\Unsupported;
use Respmark\Workload\Argument;
use Respmark\Workload\Call;
use Respmark\Workload\Commands;
use Respmark\Workload\Kind;
use Respmark\Workload\Workload;

/** predis, loaded for one trial. */
final readonly class PredisSession implements Session
{
    private Connector $connector;
    private Client $client;
    private Unit $unit;

    /** @param array<string, int|string> $options */
    public function __construct(
        private Trial $trial,
        Workload $workload,
        private array $options,
        private string $origin,
    ) {
        $this->connector = new Connector($trial->target, $options);
        $this->client = $this->connector->client();
        $this->unit = $this->makeUnit($workload);
    }

    public function connect(): void
    {
        Warnings::forget();
        if (Scenario::NewConnection !== $this->trial->shape->scenario) {
            $this->client->connect();
        }
    }

    public function unit(): Unit
    {
        return $this->unit;
    }

    public function kind(\Throwable $error): ?string
    {
        $isLibrarys = $error instanceof PredisException || str_starts_with($error->getFile(), self::home());

        return $isLibrarys ? (new \ReflectionClass($error))->getShortName() : null;
    }

    public function failure(\Throwable $error): ?TargetFailure
    {
        $isConnections = $error instanceof CommunicationException || $error instanceof StreamInitException
            || $error instanceof \RuntimeException;
        if (!$isConnections) {
            return Refusals::ofReply($error->getMessage(), $this->trial->target);
        }

        return Refusals::ofConnection(Warnings::with($error), $this->trial->target);
    }

    /** A failed connection may still deliver the lost command's reply; predis opens another for the next command. */
    public function settle(\Throwable $error): void
    {
        if (!$error instanceof ServerException) {
            $this->client->disconnect();
        }
    }

    public function isOk(mixed $reply): bool
    {
        return $reply instanceof Status && 'OK' === $reply->getPayload();
    }

    public function isPong(mixed $reply): bool
    {
        return $reply instanceof Status && 'PONG' === $reply->getPayload();
    }

    public function isNull(mixed $reply): bool
    {
        return null === $reply;
    }

    public function settings(): array
    {
        return [
            ...array_diff_key($this->options, ['jit' => true]),
            'packaged_by' => $this->origin,
            'connect_timeout_s' => Connector::TIMEOUT_S,
        ];
    }

    public function close(): void
    {
        $this->client->disconnect();
    }

    /** Where the library's files are: some of what they throw is not of the library's own classes. */
    private static function home(): string
    {
        return dirname((string) (new \ReflectionClass(Client::class))->getFileName()).'/';
    }

    /** How commands of this kind are called: by the method of their name, if it sends the command's own words. */
    private function call(Kind $kind): Call
    {
        $method = strtolower($kind->name);
        $call = match (true) {
            'mget' === $method => Call::ofList($method),
            'mset' === $method => Call::ofPairs($method),
            'zadd' === $method && 3 === count($kind->arguments) => Call::ofScores($method, $kind->arguments[1]->text),
            default => Call::plain($kind, $method),
        };

        return $this->sends($call, $kind) ? $call : throw new Unsupported(
            "predis has no method that sends {$kind->name} as the workload has it: leave the command out",
        );
    }

    private function sends(Call $call, Kind $kind): bool
    {
        $words = array_map(static fn (Argument $argument): string => match ($argument->kind) {
            Argument::LITERAL => $argument->text,
            default => "{$argument->kind}{$argument->offset}",
        }, $kind->arguments);
        $key = null === $call->whole ? 'key0' : ($call->whole)($words);
        $value = null === $call->value ? 'value0' : ($call->value)('value0');

        try {
            $command = $this->client->createCommand($call->method, $call->with($key, $value));
        } catch (ClientException) {
            return false;
        }
        $sent = array_map(static fn (mixed $word): string => is_scalar($word) ? (string) $word : '', $command->getArguments());

        return [$command->getId(), ...array_values($sent)] === [strtoupper($kind->name), ...$words];
    }

    private function makeUnit(Workload $workload): Unit
    {
        $shape = $this->trial->shape;
        $calls = array_map($this->call(...), $workload->header->mix);
        $commands = Commands::of($workload, $shape->depth, $calls);
        $sender = $workload->header->hasOnlyGetsAndSets() ? new GetsAndSets($commands) : new Calls($commands, $calls);

        return match ($shape->scenario) {
            Scenario::Batching => new Batch($this->client, $sender, $shape->depth, ['atomic' => false]),
            Scenario::Transaction => Form::Queued === $shape->form
                ? new QueuedTransaction($this->client, $sender, $shape->depth)
                : new Batch($this->client, $sender, $shape->depth, ['atomic' => true]),
            Scenario::NewConnection => new NewConnection($this->connector, $sender),
            default => new Single($this->client, $sender),
        };
    }
}
