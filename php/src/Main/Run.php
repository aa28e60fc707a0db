<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Clients\Library;
use Respmark\Clients\Packages;
use Respmark\Clients\Refusals;
use Respmark\Clients\Registry;
use Respmark\Clients\Session;
use Respmark\Contract\Trial;
use Respmark\Contract\TrialParser;
use Respmark\Contract\Version;
use Respmark\Errors\RunnerError;
use Respmark\Recorder\Garbage;
use Respmark\Recorder\Jit;
use Respmark\Recorder\Samples;
use Respmark\Scenarios\Failures;
use Respmark\Scenarios\Layout;
use Respmark\Scenarios\Loop;
use Respmark\Scenarios\Lost;
use Respmark\Scenarios\Slices;
use Respmark\Verification\Verifier;
use Respmark\Workload\Walker;
use Respmark\Workload\Workload;
use Respmark\Workload\WorkloadFile;

/** A trial, step by step, as the contract numbers them. */
final readonly class Run
{
    public function __construct(
        private Packages $packages,
        private Channel $channel,
        private Ending $ending,
    ) {}

    public function trial(): void
    {
        $trial = TrialParser::parse($this->channel->trial());
        $this->ending->keepSecret($trial->target->password);
        if ('on' === ($trial->client->options['jit'] ?? 'off')) {
            Jit::switchOn();
        }
        $library = (new Registry($this->packages))->libraryFor($trial);
        $workload = WorkloadFile::read($trial->workload->path);
        $session = $library->load($trial, $workload);
        $samples = new Samples();
        Garbage::setAside();
        $this->channel->print([
            'event' => 'loaded',
            'schema_version' => Version::SCHEMA,
            'trial_id' => $trial->id,
            'startup_ns' => self::sinceProcessStart(),
        ]);

        try {
            $this->obey($trial, $workload, $library, $session, $samples);
        } catch (\Throwable $error) {
            throw self::explained($error, $trial, $session);
        }
    }

    private function obey(Trial $trial, Workload $workload, Library $library, Session $session, Samples $samples): void
    {
        $layout = Layout::of($trial->shape);
        $walker = Walker::of($trial->workload, $layout->commandsPerUnit, $workload->header->commands);
        $failures = new Failures($session, static fn (): int => hrtime(true));
        $loop = new Loop($session->unit(), $walker->step, $walker->length, $failures, $samples);
        $slices = new Slices($trial, $walker, $layout, $loop, $failures, $samples, $this->ending->redacted(...));
        $this->channel->awaitConnect();
        $this->connect($trial, $session, new Verifier($workload, $session, $layout), $walker);
        while (null !== ($order = $this->channel->slice())) {
            $this->channel->print($slices->work($order));
        }
        $this->channel->print(Result::of($trial, $library, $session, $layout, $samples, $slices->health));
        // The harness reads the server's counters first: a connection that closes counts there.
        $this->channel->awaitEnd();
        $session->close();
    }

    private function connect(Trial $trial, Session $session, Verifier $verifier, Walker $walker): void
    {
        $ordered = hrtime(true);
        $session->connect();
        $connectNs = hrtime(true) - $ordered;
        $this->channel->print([
            'event' => 'ready',
            'trial_id' => $trial->id,
            'connect_ns' => $connectNs,
            'verified_replies' => $verifier->verify($walker->first(0), $trial->verifyCommands),
        ]);
    }

    private static function explained(\Throwable $error, Trial $trial, Session $session): \Throwable
    {
        if ($error instanceof Lost) {
            $cause = $error->getPrevious();

            return Refusals::lost($error->getMessage(), $cause?->getMessage() ?? '', $trial->target);
        }
        if ($error instanceof RunnerError || null === $session->kind($error)) {
            return $error;
        }

        return $session->failure($error) ?? Refusals::ofConnection($error->getMessage(), $trial->target);
    }

    private static function sinceProcessStart(): int
    {
        $started = $_SERVER['REQUEST_TIME_FLOAT'] ?? null;

        return is_float($started) ? (int) ((microtime(true) - $started) * 1e9) : 0;
    }
}
