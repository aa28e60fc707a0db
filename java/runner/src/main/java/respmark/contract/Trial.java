package respmark.contract;

import java.util.Map;

/** One trial, for this process. */
public record Trial(
        String trialId,
        Client client,
        Scenario scenario,
        Shape shape,
        WorkloadPart workload,
        Endpoint target,
        int verifyCommands) {

    /** A client library in one configuration. */
    public record Client(String library, String version, Map<String, Object> options) {}

    /** The scenario's numbers and forms; a field that the scenario does not use is null. */
    public record Shape(
            Integer depth,
            String window,
            String form,
            Integer threads,
            Integer connections,
            Integer maxTotal,
            Integer maxIdle,
            Integer cacheEntries,
            int processes) {

        public boolean slides() {
            return "sliding".equals(window);
        }
    }

    /** Which workload file to replay, and this process's part in it. */
    public record WorkloadPart(String path, int part, int parts) {}

    /** How to speak TLS to the target. */
    public record Tls(String caFile, String certificateFile, String keyFile, boolean verify) {}

    /** Where the server is and how to log in. */
    public record Endpoint(
            String host, Integer port, String unixSocket, int database, String username, String password, Tls tls) {

        /** Where the server is, as messages show it: never with user or password. */
        public String address() {
            return unixSocket == null ? host + ":" + port : unixSocket;
        }

        @Override
        public String toString() {
            return address();
        }
    }
}
