<?php

declare(strict_types=1);

namespace Respmark\Clients;

use Respmark\Contract\Endpoint;
use Respmark\Contract\Text;
use Respmark\Errors\TargetFailure;

/** Says in one sentence what a target's refusal means and what to do; needs no library. */
final class Refusals
{
    private const LONGEST = 200;

    /** What servers answer to refuse the runner as a whole, what it means, and what to do: the contract's sentences. */
    private const REPLIES = [
        ['/WRONGPASS|NOAUTH|ERR AUTH|invalid (?:username|password)/', 'refused the user or the password', 'check the target\'s username and password'],
        ['/NOPERM/', 'refused a command of the workload', 'let the user run the workload\'s commands on its keys (ACL SETUSER)'],
        ['/LOADING/', 'is still loading its data set', 'wait until it has loaded and try again'],
        ['/READONLY/', 'is a read-only replica', 'name the primary as target'],
        ['/MISCONF/', 'refuses writes because it cannot save its data set to disk', 'repair its persistence or set stop-writes-on-bgsave-error to no'],
        ['/max number of clients/', 'accepts no more clients', 'raise its maxclients or close other clients'],
        ['/\bOOM\b/', 'has no memory left', 'raise its maxmemory or choose a smaller workload'],
        ['/\bDENIED\b/', 'is in protected mode', 'set a password or turn protected mode off'],
        ['/MOVED|\bASK\b|CLUSTERDOWN|TRYAGAIN|CROSSSLOT/', 'is part of a cluster that does not serve the workload\'s keys here', 'name a server that holds all keys'],
        ['/MASTERDOWN|NOREPLICAS|\bBUSY\b|UNKILLABLE/', 'cannot serve now', 'see its log'],
        ['/DB index/', 'refused the database', 'check the target\'s database'],
    ];

    /** What systems and libraries report if a connection fails, what it means, and what to do. */
    private const CONNECTIONS = [
        ['/certificate|CERTIFICATE/', 'has a certificate that is not trusted', 'give the right ca_file, or verify = false'],
        ['/\bSSL\b|\bTLS\b|crypto/', 'did not complete the TLS handshake', 'check that it speaks TLS on this port, and the certificate files'],
        ['/refused/', 'refuses connections', 'start the server, or correct host and port'],
        ['/No such file/', 'does not exist', 'start the server, or correct the path of the socket'],
        ['/Permission denied/', 'may not be opened by this user', 'check the socket\'s permissions'],
        ['/getaddrinfo|Name or service not known/', 'is not a known host', 'correct the host'],
        ['/(?i)timed? ?out/', 'does not answer in time', 'check that it is up, that no firewall is between, and whether it speaks TLS on this port'],
        ['/(?i)unreachable|no route to host/', 'cannot be reached', 'check host, port and network'],
        ['/(?i)went away|reset|broken pipe|closed|lost|read error|socket error|reading|writing|protocol error|already at the end/', 'closed the connection', 'check that it is up, and whether it expects TLS on this port'],
    ];

    private const OTHER = ['failed', 'see its log'];

    /** @return list<array{string, string}> every meaning, with its advice */
    public static function sentences(): array
    {
        $rows = [...self::REPLIES, ...self::CONNECTIONS];

        return [...array_map(static fn (array $row): array => [$row[1], $row[2]], $rows), self::OTHER];
    }

    /** The sentence for an answer that refuses the runner as a whole; null: it concerns only one command. */
    public static function ofReply(string $message, Endpoint $target): ?TargetFailure
    {
        return self::find(self::REPLIES, $message, $target);
    }

    /** The sentence for a connection that failed. */
    public static function ofConnection(string $message, Endpoint $target): TargetFailure
    {
        return self::find([...self::REPLIES, ...self::CONNECTIONS], $message, $target)
            ?? self::sentence(...self::OTHER, message: $message, target: $target);
    }

    /** The sentence for a target with which nothing succeeds any more. */
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
