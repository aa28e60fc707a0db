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
use Respmark\Errors\InvalidTrial;
use Respmark\Errors\RunnerError;
use Respmark\Recorder\Jit;
use Respmark\Recorder\Samples;
use Respmark\Scenarios\Failures;
use Respmark\Scenarios\Layout;
use Respmark\Scenarios\Loop;
use Respmark\Scenarios\Lost;
use Respmark\Verification\Verifier;
use Respmark\Workload\Walk;
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
        $trial = TrialParser::parse($this->channel->line() ?? throw new InvalidTrial(
            'standard input is empty: it must start with one trial as JSON on one line',
        ));
        $this->ending->keepSecret($trial->target->password);
        if ('on' === ($trial->client->options['jit'] ?? 'off')) {
            Jit::switchOn();
        }
        $library = (new Registry($this->packages))->libraryFor($trial);
        $workload = WorkloadFile::read($trial->workload->path);
        $session = $library->load($trial, $workload);
        $samples = new Samples();
        // So that no slice collects what loading left.
        gc_collect_cycles();
        gc_mem_caches();
        $this->channel->print([
            'event' => 'loaded',
            'schema_version' => Version::SCHEMA,
            'trial_id' => $trial->id,
            'startup_ns' => self::sinceProcessStart(),
        ]);

        try {
            $this->obey(new Orders($this->channel), $trial, $workload, $library, $session, $samples);
        } catch (\Throwable $error) {
            throw self::explained($error, $trial, $session);
        }
    }

    private function obey(Orders $orders, Trial $trial, Workload $workload, Library $library, Session $session, Samples $samples): void
    {
        $layout = Layout::of($trial->shape);
        $walk = Walk::of($trial->workload, $layout->commandsPerUnit, $workload->header->commands);
        $failures = new Failures($session, static fn (): int => hrtime(true));
        $loop = new Loop($session->unit(), $walk->step, $walk->length, $failures, $samples);
        $slices = new Slices($trial, $walk, $layout, $loop, $failures, $samples, $this->ending->redacted(...));
        $orders->awaitConnect();
        $this->connect($trial, $session, new Verifier($workload, $session, $layout), $walk);
        while (null !== ($order = $orders->slice())) {
            $this->channel->print($slices->work($order));
        }
        $this->channel->print(Result::of($trial, $library, $session, $layout, $samples, $slices->health));
        // The harness reads the server's counters first: a connection that closes counts there.
        $orders->awaitEnd();
        $session->close();
    }

    private function connect(Trial $trial, Session $session, Verifier $verifier, Walk $walk): void
    {
        $ordered = hrtime(true);
        $session->connect();
        $connectNs = hrtime(true) - $ordered;
        $this->channel->print([
            'event' => 'ready',
            'trial_id' => $trial->id,
            'connect_ns' => $connectNs,
            'verified_replies' => $verifier->verify($walk->first(0), $trial->verifyCommands),
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
