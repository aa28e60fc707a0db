<?php

declare(strict_types=1);

namespace Respmark\Main;

use Respmark\Clients\Library;
use Respmark\Clients\Packages;
use Respmark\Clients\Refusals;
use Respmark\Clients\Registry;
use Respmark\Clients\Session;
use Respmark\Contract\Go;
use Respmark\Contract\Trial;
use Respmark\Contract\TrialParser;
use Respmark\Contract\Version;
use Respmark\Errors\InvalidTrial;
use Respmark\Errors\RunnerError;
use Respmark\Recorder\Cpu;
use Respmark\Recorder\Health;
use Respmark\Recorder\Jit;
use Respmark\Scenarios\Counted;
use Respmark\Scenarios\Layout;
use Respmark\Scenarios\Loop;
use Respmark\Scenarios\Lost;
use Respmark\Scenarios\Strict;
use Respmark\Scenarios\Window;
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
        $session = $library->open($trial, $workload);

        try {
            $this->conduct($trial, $workload, $library, $session);
        } catch (\Throwable $error) {
            throw self::explained($error, $trial, $session);
        }
    }

    private function conduct(Trial $trial, Workload $workload, Library $library, Session $session): void
    {
        $layout = Layout::of($trial->shape);
        $walk = Walk::of($trial->workload, $layout->commandsPerUnit, $workload->header->commands);
        $verified = (new Verifier($workload, $session, $layout))->verify($walk->first, $trial->verifyCommands);
        $loop = new Loop($session->unit(), $walk);
        [$warmUpNs, $warmUpUnits] = self::warmUp($loop, $trial);
        $this->channel->print([
            'event' => 'ready',
            'schema_version' => Version::SCHEMA,
            'trial_id' => $trial->id,
            'startup_ns' => self::sinceProcessStart() - $warmUpNs,
            'verified_replies' => $verified,
            'warmup_operations' => $warmUpUnits * $layout->commandsPerUnit,
        ]);
        Go::check($this->channel->line());
        $measured = $this->measure($loop, $trial, $session, $layout);
        $this->channel->print(Result::of($trial, $library, $session, $walk, $layout, $measured, $this->ending->redacted(...)));
        // The harness reads the server's counters first: a connection that closes counts there.
        $this->channel->awaitEnd();
        $session->close();
    }

    /** @return array{int, int} how long it took, and the units that it completed */
    private static function warmUp(Loop $loop, Trial $trial): array
    {
        if (0.0 === $trial->warmupS) {
            return [0, 0];
        }
        $began = hrtime(true);
        $tally = $loop->run(new Window($trial->warmupS), new Strict(), static fn (): int => hrtime(true));

        return [hrtime(true) - $began, $tally->units];
    }

    private function measure(Loop $loop, Trial $trial, Session $session, Layout $layout): Measured
    {
        $window = new Window($trial->measureS, fn (int $elapsedNs, int $units) => $this->channel->print([
            'event' => 'progress',
            'trial_id' => $trial->id,
            'elapsed_ns' => $elapsedNs,
            'operations' => $units * $layout->commandsPerUnit,
        ]));
        $failures = new Counted($session, static fn (): int => hrtime(true));
        $health = $cpu = null;
        $tally = $loop->run($window, $failures, static function () use (&$health, &$cpu): int {
            [$health, $cpu] = [Health::start(), Cpu::now()];

            return hrtime(true);
        });
        $used = Cpu::now()->since($cpu ?? throw new \LogicException('the window was not opened'));
        if ($failures->isFailing($tally->units)) {
            // A window too short for enough failures lost the target all the same.
            $session->check();
        }

        return new Measured($window, $tally, $failures, $used, $health?->stop() ?? []);
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

        return $session->failure($error) ?? new RunnerError("a command failed before the window: {$error->getMessage()}");
    }

    private static function sinceProcessStart(): int
    {
        $started = $_SERVER['REQUEST_TIME_FLOAT'] ?? null;

        return is_float($started) ? (int) ((microtime(true) - $started) * 1e9) : 0;
    }
}
