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
use Respmark\Clients\Warnings;
use Respmark\Contract\Form;
use Respmark\Contract\Scenario;
use Respmark\Contract\Trial;
use Respmark\Errors\TargetFailure;
use Respmark\Scenarios\Unit;
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

    /** A connection that failed may still bring the lost command's reply; predis opens another for the next command. */
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

    /** Where the library's files are: not all that they throw is of its own classes. */
    private static function home(): string
    {
        return dirname((string) (new \ReflectionClass(Client::class))->getFileName()).'/';
    }

    /**
     * How a command of any kind is called: by its method where that sends the command's own words, else as it stands.
     */
    private function call(Kind $kind): Call
    {
        $asItStands = static fn (string $word): string => $word;
        $call = Call::of($kind, strtolower($kind->name), [], $asItStands);

        return $this->sends($call->method, $call->with('key', 'value'), strtoupper($kind->name))
            ? $call
            : Call::of($kind, Calls::RAW, explode(' ', $kind->name), $asItStands);
    }

    /** @param array<int, null|int|string> $arguments */
    private function sends(string $method, array $arguments, string $name): bool
    {
        try {
            $command = $this->client->createCommand($method, $arguments);
        } catch (ClientException) {
            return false;
        }

        return [$command->getId(), ...array_values($command->getArguments())] === [$name, ...$arguments];
    }

    private function makeUnit(Workload $workload): Unit
    {
        $shape = $this->trial->shape;
        $commands = Commands::of($workload, $shape->depth);
        $sender = $workload->header->hasOnlyGetsAndSets()
            ? new GetsAndSets($commands)
            : new Calls($commands, array_map($this->call(...), $workload->header->mix));

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
