<?php

declare(strict_types=1);

namespace Respmark;

/**
 * An application that keeps going, whatever becomes of its server: units when they are due, in a log as they happen. A line
 * of the log is there when it is written, whatever becomes of this process.
 *
 * @phpstan-type Due array{file: string, at: int}
 */
final readonly class KeepGoing
{
    /** Whoever waits looks so often whether it is over. */
    private const MOST_ASLEEP_NS = 50_000_000;

    /** @var resource */
    private mixed $log;

    public function __construct(string $log, private string $enough, private int $until)
    {
        $file = fopen($log, 'a');
        $this->log = false === $file ? throw new \RuntimeException("{$log} cannot be written") : $file;
    }

    /**
     * Performs units, each when it is due, until it is over.
     *
     * @param Due                        $due
     * @param \Closure(int): mixed       $unit    performs the unit of this number, and returns its reply as JSON has it
     * @param \Closure(\Throwable): void $recover makes the client ready again
     */
    public function perform(array $due, \Closure $unit, \Closure $recover): void
    {
        foreach (Part::dues($due['file']) as $number => $ns) {
            $this->sleepUntil($due['at'] + $ns);
            if ($this->isOver()) {
                return;
            }
            $this->write(['unit' => $number, 'walker' => 0, 'began' => \hrtime(true)]);

            try {
                $reply = $unit($number);
                $this->write(['unit' => $number, 'walker' => 0, 'ended' => \hrtime(true), 'reply' => $reply]);
            } catch (\Throwable $error) {
                $this->write(['unit' => $number, 'walker' => 0, 'ended' => \hrtime(true), ...Loop::told($error)]);
                $recover($error);
            }
        }
    }

    /** Says that the client is closed, and how that failed if it did. */
    public function close(?\Throwable $failure): void
    {
        $this->write(['closed' => \hrtime(true), ...(null === $failure ? [] : Loop::told($failure))]);
    }

    /** @param array<string, mixed> $line */
    private function write(array $line): void
    {
        fwrite($this->log, json_encode($line, JSON_THROW_ON_ERROR | JSON_INVALID_UTF8_SUBSTITUTE)."\n");
    }

    private function sleepUntil(int $time): void
    {
        while (($left = $time - \hrtime(true)) > 0 && !$this->isOver()) {
            usleep((int) (min($left, self::MOST_ASLEEP_NS) / 1_000) + 1);
        }
    }

    private function isOver(): bool
    {
        return \hrtime(true) >= $this->until || file_exists($this->enough);
    }
}
