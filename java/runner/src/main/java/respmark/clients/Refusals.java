package respmark.clients;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import respmark.errors.TargetFailure;

/**
 * Explains in one sentence what a target's refusal means and what to do; knows the errors of
 * servers but no library.
 */
public final class Refusals {
    /** A pattern in errors, what it means, and what to do. */
    private record Refusal(Pattern pattern, String meaning, String advice) {
        Refusal(String pattern, String meaning, String advice) {
            this(Pattern.compile(pattern), meaning, advice);
        }
    }

    private static final List<Refusal> REPLIES = List.of(
            new Refusal(
                    "WRONGPASS|NOAUTH|invalid (username|password)|ERR AUTH",
                    "refused the user or the password",
                    "check the target's username and password"),
            new Refusal(
                    "NOPERM",
                    "refused a command of the workload",
                    "let the user run the workload's commands on its keys (ACL SETUSER)"),
            new Refusal("LOADING", "is still loading its data set", "wait until it has loaded and try again"),
            new Refusal("READONLY", "is a read-only replica", "name the primary as target"),
            new Refusal(
                    "MISCONF",
                    "refuses writes because it cannot save its data set to disk",
                    "repair its persistence or set stop-writes-on-bgsave-error to no"),
            new Refusal(
                    "max number of clients", "accepts no more clients", "raise its maxclients or close other clients"),
            new Refusal("\\bOOM\\b", "has no memory left", "raise its maxmemory or choose a smaller workload"),
            new Refusal("\\bDENIED\\b", "is in protected mode", "set a password or turn protected mode off"),
            new Refusal("DB index", "refused the database", "check the target's database"),
            new Refusal(
                    "MOVED|\\bASK\\b|CLUSTERDOWN|TRYAGAIN|CROSSSLOT",
                    "is part of a cluster that does not serve the workload's keys here",
                    "name a server that holds all keys"),
            new Refusal("MASTERDOWN|NOREPLICAS|\\bBUSY\\b", "cannot serve now", "see its log"),
            new Refusal(
                    "PKIX|CertificateException|certificate_unknown|unknown_ca",
                    "has a certificate that is not trusted",
                    "give the right ca_file, or verify = false"),
            new Refusal(
                    "SSLException|SSLHandshake|NotSslRecord|handshake timed out",
                    "did not complete the TLS handshake",
                    "check that it speaks TLS on this port, and the certificate files"));

    private static final List<Refusal> CONNECTIONS = List.of(
            new Refusal("[Rr]efused", "refuses connections", "start the server, or correct host and port"),
            new Refusal("No such file", "does not exist", "start the server, or correct the path of the socket"),
            new Refusal("Permission denied", "may not be opened by this user", "check the socket's permissions"),
            new Refusal("UnknownHost|Failed to resolve|NoSuchRecord", "is not a known host", "correct the host"),
            new Refusal(
                    "(?i)timed? ?out",
                    "does not answer in time",
                    "check that it is up, that no firewall is between, and whether it speaks TLS on this port"),
            new Refusal(
                    "(?i)closed|reset|broken pipe|end of stream|disconnected",
                    "closed the connection",
                    "check that it is up, and whether it expects TLS on this port"),
            new Refusal("(?i)unreachable|no route to host", "cannot be reached", "check host, port and network"));
    private static final Refusal OTHER = new Refusal("", "failed", "see its log");

    private Refusals() {}

    /** What the error means, if the server refused the runner as a whole. */
    public static Optional<TargetFailure> refusal(Throwable error, String address) {
        return match(REPLIES, error, address);
    }

    /** What a failed connection means. */
    public static TargetFailure unreachable(Throwable error, String address) {
        return match(CONNECTIONS, error, address).orElseGet(() -> sentence(OTHER, error, address));
    }

    /** The failure when nothing succeeds with a target any more; `error` is the last, or null. */
    public static TargetFailure lost(String complaint, Throwable error, String address) {
        String heard = error == null ? "" : " (" + Causes.words(error) + ")";
        return new TargetFailure(
                "%s was lost: %s%s: see whether it still runs, then run again".formatted(address, complaint, heard),
                error);
    }

    /** Every meaning with its advice. */
    static List<Map.Entry<String, String>> sentences() {
        return Stream.of(REPLIES, CONNECTIONS, List.of(OTHER))
                .flatMap(List::stream)
                .map(refusal -> Map.entry(refusal.meaning(), refusal.advice()))
                .toList();
    }

    /** What the error means for the trial, if it is about the target and not about a command. */
    public static Optional<TargetFailure> explain(Throwable error, Library library, String address) {
        return refusal(error, address)
                .or(() -> library.isDisconnection(error) ? Optional.of(unreachable(error, address)) : Optional.empty());
    }

    private static Optional<TargetFailure> match(List<Refusal> table, Throwable error, String address) {
        String words = Causes.words(error);
        return table.stream()
                .filter(refusal -> refusal.pattern().matcher(words).find())
                .findFirst()
                .map(refusal -> sentence(refusal, error, address));
    }

    private static TargetFailure sentence(Refusal refusal, Throwable error, String address) {
        return new TargetFailure(
                "%s %s (%s): %s".formatted(address, refusal.meaning(), Causes.words(error), refusal.advice()), error);
    }
}
