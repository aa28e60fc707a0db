<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Contract\Endpoint;
use Respmark\Contract\Text;
use Respmark\Errors\TargetFailure;

/** Says in one sentence what a target's refusal means and what to do; knows servers' errors, no library. */
final class Refusals
{
    private const LONGEST = 200;

    /** What servers answer when they refuse us as a whole; what it means; what to do. */
    private const REPLIES = [
        ['/WRONGPASS|NOAUTH|ERR AUTH|invalid (?:username|password)/', 'refused the user or the password', 'correct target.username and target.password'],
        ['/NOPERM/', 'does not permit the user what the workload needs', 'grant it with ACL SETUSER, or name another user'],
        ['/LOADING/', 'is still loading its data', 'wait until it is ready, then run again'],
        ['/READONLY/', 'is a replica that takes no writes', 'name its primary instead'],
        ['/MISCONF/', 'takes no writes because it cannot save its data', 'repair or turn off its persistence'],
        ['/max number of clients/', 'has as many clients as it allows', 'raise maxclients or end other clients'],
        ['/\bOOM\b/', 'is out of memory', 'raise maxmemory or choose a smaller workload'],
        ['/DENIED/', 'is in protected mode', 'set a password or turn protected mode off'],
        ['/MOVED|\bASK\b|CLUSTERDOWN|TRYAGAIN|CROSSSLOT/', 'is a node of a cluster', 'name a server that is no cluster'],
        ['/MASTERDOWN|NOREPLICAS|\bBUSY\b|UNKILLABLE/', 'cannot serve now', 'see its log'],
        ['/DB index/', 'refused the database', 'correct target.database'],
    ];

    /** What systems and libraries report when there is no way to a server. */
    private const CONNECTIONS = [
        ['/certificate|CERTIFICATE/', 'has a certificate that is not trusted', 'give the right ca_file, or verify = false'],
        ['/\bSSL\b|\bTLS\b|crypto/', 'and this client do not agree on TLS', 'correct target.tls: null for a server without TLS'],
        ['/refused/', 'has no server', 'start it, or correct target.host and target.port'],
        ['/No such file|Permission denied/', 'has no socket for us', 'correct target.unix_socket or its permissions'],
        ['/getaddrinfo|Name or service not known/', 'has an unknown host name', 'correct target.host'],
        ['/(?i)timed? ?out|unreachable/', 'does not answer in time', 'see whether it is up, whether a firewall is between, and whether it speaks TLS on this port'],
        ['/(?i)went away|reset|broken pipe|closed|lost|read error|socket error|reading|writing|protocol error|already at the end/', 'closed the connection', 'see whether it is up, and whether it expects TLS on this port'],
    ];

    /** The sentence for an answer that refuses us as a whole; null: it concerns one command only. */
    public static function ofReply(string $message, Endpoint $target): ?TargetFailure
    {
        return self::find(self::REPLIES, $message, $target);
    }

    /** The sentence for a connection that failed. */
    public static function ofConnection(string $message, Endpoint $target): TargetFailure
    {
        return self::find([...self::REPLIES, ...self::CONNECTIONS], $message, $target)
            ?? self::sentence('failed', 'see its log', $message, $target);
    }

    /** The sentence for a target that answered no more. */
    public static function lost(string $complaint, string $message, Endpoint $target): TargetFailure
    {
        $heard = Text::shortened($message, self::LONGEST);

        return new TargetFailure(
            "{$target->address()} was lost: {$complaint} ({$heard}): see whether it still runs, then run again",
        );
    }

    /** @param list<array{string, string, string}> $table */
    private static function find(array $table, string $message, Endpoint $target): ?TargetFailure
    {
        foreach ($table as [$pattern, $meaning, $advice]) {
            if (1 === preg_match($pattern, $message)) {
                return self::sentence($meaning, $advice, $message, $target);
            }
        }

        return null;
    }

    private static function sentence(string $meaning, string $advice, string $message, Endpoint $target): TargetFailure
    {
        $heard = Text::shortened($message, self::LONGEST);

        return new TargetFailure("{$target->address()} {$meaning} ({$heard}): {$advice}");
    }
}
