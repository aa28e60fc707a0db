<?php

declare(strict_types=1);

namespace Respmark\Verification;

use Respmark\Clients\Session;
use Respmark\Contract\Text;
use Respmark\Errors\WrongReply;
use Respmark\Scenarios\Layout;
use Respmark\Workload\Argument;
use Respmark\Workload\Workload;

/** Checks replies against the workload, before any slice. */
final readonly class Verifier
{
    public function __construct(
        private Workload $workload,
        private Session $session,
        private Layout $layout,
    ) {}

    /**
     * Performs whole units until `commands` commands are done, and checks every reply; returns how many.
     *
     * These are the units of the measured loop, so what is verified is what is measured.
     */
    public function verify(int $first, int $commands): int
    {
        $length = $this->workload->header->commands;
        $checked = 0;
        while ($checked < $commands) {
            $at = ($first + $checked) % $length;
            $this->check($at, $this->layout->replies($this->perform($at)));
            $checked += $this->layout->commandsPerUnit;
        }

        return $checked;
    }

    /** @param list<mixed> $replies */
    public function check(int $first, array $replies): void
    {
        $sent = $this->layout->commandsPerUnit;
        if (count($replies) !== $sent) {
            throw new WrongReply("{$sent} commands were sent, ".count($replies).' replies came: the client lost count');
        }
        foreach ($replies as $offset => $reply) {
            $this->checkOne(($first + $offset) % $this->workload->header->commands, $reply);
        }
    }

    /** A command that the server rejects is a wrong reply, unless the server refuses the runner as a whole. */
    private function perform(int $at): mixed
    {
        try {
            return $this->session->unit()->perform($at);
        } catch (\Throwable $error) {
            if (null === $this->session->kind($error) || null !== $this->session->failure($error)) {
                throw $error;
            }
            $orOther = 1 === $this->layout->commandsPerUnit ? '' : ', or one in its unit,';

            throw new WrongReply(
                "{$this->workload->shown($at)}{$orOther} failed in verification ({$error->getMessage()}): "
                .'the target must know every command of the workload',
            );
        }
    }

    private function checkOne(int $index, mixed $reply): void
    {
        $problem = match (strtoupper($this->workload->kind($index)->name)) {
            'GET' => $this->problemOfGet($this->workload->keyNumber($index), $reply),
            'MGET' => $this->problemOfSeveral($this->keysOf($index), $reply),
            'LRANGE' => $this->problemOfSeveral($this->elementsOf($index), $reply),
            'HGETALL' => $this->problemOfHash($this->workload->keyNumber($index), $reply),
            'INCRBY', 'LPUSH' => is_int($reply) && $reply > 0 ? null : 'must be a number above 0, not '.Text::shown($reply),
            'SADD', 'ZADD' => 0 === $reply ? null : 'must be 0, not '.Text::shown($reply),
            'EXPIRE' => 1 === $reply || true === $reply ? null : 'must be 1, not '.Text::shown($reply),
            'SET', 'MSET', 'LTRIM' => $this->session->isOk($reply) ? null : 'must be OK, not '.Text::shown($reply),
            'PING' => $this->session->isPong($reply) ? null : 'must be PONG, not '.Text::shown($reply),
            default => null,
        };
        if (null !== $problem) {
            throw new WrongReply("the reply to {$this->workload->shown($index)} {$problem}");
        }
    }

    /** @return list<int> the keys that the command names */
    private function keysOf(int $index): array
    {
        $first = $this->workload->keyNumber($index);

        return array_map(static fn (Argument $word): int => $first + $word->offset, $this->workload->kind($index)->arguments);
    }

    /** @return list<int> the key of each element that the indexes of an LRANGE select: every list has all of them */
    private function elementsOf(int $index): array
    {
        [, $first, $last] = $this->workload->kind($index)->arguments;

        return array_fill(0, (int) $last->text - (int) $first->text + 1, $this->workload->keyNumber($index));
    }

    /** @param list<int> $keys of the values */
    private function problemOfSeveral(array $keys, mixed $reply): ?string
    {
        if (!is_array($reply) || count($reply) !== count($keys)) {
            return 'must be '.count($keys).' values, not '.Text::shown($reply);
        }
        foreach (array_values($reply) as $place => $value) {
            $problem = $this->problemOfGet($keys[$place], $value);
            if (null !== $problem) {
                return $problem;
            }
        }

        return null;
    }

    /** A hash is an array of values by field; from a pipelined transaction phpredis gives fields and values in turn. */
    private function problemOfHash(int $key, mixed $reply): ?string
    {
        if (!is_array($reply)) {
            return 'must be fields with values, not '.Text::shown($reply);
        }
        $values = array_is_list($reply) ? array_column(array_chunk($reply, 2), 1) : $reply;

        return $this->problemOfSeveral(array_fill(0, $this->workload->header->hashFields, $key), $values);
    }

    /** Another process may have set a value of another size since: any beginning of the key's value is right. */
    private function problemOfGet(int $key, mixed $reply): ?string
    {
        $header = $this->workload->header;
        if ($key >= $header->preloadKeys) {
            return $this->session->isNull($reply) ? null : 'must be null, not '.Text::shown($reply);
        }
        if ($this->session->isNull($reply)) {
            return 'must be a value, but the key does not exist: preload the target';
        }
        if (!is_string($reply)) {
            return 'must be a value, not '.Text::shown($reply);
        }
        $size = strlen($reply);
        if ($size < $header->valueSizeMin || $size > $header->valueSizeMax) {
            return "has {$size} bytes, which is no size of this workload";
        }

        return $reply === $this->workload->value($key, $size) ? null : 'is not the value of its key: '.Text::shown($reply);
    }
}
