package respmark.clients;

import java.util.List;
import java.util.Map;
import respmark.contract.Description.ClientDescription;
import respmark.contract.Description.Support;
import respmark.contract.Scenario;
import respmark.contract.Trial;
import respmark.workload.Commands;
import respmark.workload.Method;
import respmark.workload.WordType;
import respmark.workload.Workload;

/**
 * No client at all: its commands do nothing. A trial with it shows what the loop costs every
 * client.
 *
 * <p>It is loaded by name only; `describe` does not list it among the clients.
 */
public final class NullLibrary implements Library {
    public static final String NAME = "null";

    @Override
    public ClientDescription description() {
        return new ClientDescription(
                NAME, "0", Map.of(), Options.common(), Map.of(Scenario.SYNC, Support.PLAIN), List.of());
    }

    @Override
    public Map<String, String> versions() {
        return Map.of(NAME, "0");
    }

    @Override
    public String objection(Trial trial) {
        return trial.scenario() == Scenario.SYNC ? null : "it has only sync";
    }

    @Override
    public Session load(Trial trial) {
        return new NullSession();
    }

    @Override
    public boolean isFailure(Throwable error) {
        return false;
    }

    @Override
    public boolean isDisconnection(Throwable error) {
        return false;
    }

    private static final class NullSession implements Session {
        private Commands<String> commands;

        @Override
        public void materialise(Workload workload) {
            commands = workload.commands(WordType.TEXT, 0);
        }

        @Override
        public List<Lane> connect() {
            return List.of(new Lane(new NullUnit(commands)));
        }

        @Override
        public Map<String, Object> settings() {
            return Map.of();
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }

    /** Fetches a command's key or value, as for a client's method, and does nothing with it. */
    private record NullUnit(Commands<String> commands) implements Unit {
        @Override
        public Object perform(int first) {
            return commands.method(first) == Method.SET ? commands.value(first) : commands.key(first);
        }

        @Override
        public List<?> replies(Object outcome) {
            return List.of();
        }
    }
}
