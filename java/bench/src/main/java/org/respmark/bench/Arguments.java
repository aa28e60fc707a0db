package org.respmark.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.OptionalInt;
import java.util.regex.Pattern;

/** The command line. */
record Arguments(
        String host, int port, String passwordFile, Job job, OptionalInt forks, List<String> filters, Path out) {

    private static final int LAST_PORT = 65_535;

    /** The command line is not valid. */
    static final class InvalidException extends Exception {
        private static final long serialVersionUID = 1L;

        InvalidException(String message) {
            super(message);
        }
    }

    static Arguments parse(List<String> words) throws InvalidException {
        String host = "127.0.0.1";
        int port = 0;
        String passwordFile = "";
        Job job = Job.SHORT;
        OptionalInt forks = OptionalInt.empty();
        List<String> filters = new ArrayList<>();
        Path out = Path.of("jmh");
        for (Iterator<String> left = words.iterator(); left.hasNext(); ) {
            String option = left.next();
            switch (option) {
                case "--host" -> host = value(option, left);
                case "--port" -> port = number(option, left, LAST_PORT);
                case "--password-file" -> passwordFile = value(option, left);
                case "--job" -> job = Job.named(value(option, left));
                case "--forks" -> forks = OptionalInt.of(number(option, left, 100));
                case "--filter" -> filters.add(pattern(value(option, left)));
                case "--out" -> out = Path.of(value(option, left));
                default ->
                    throw new InvalidException(
                            "`" + option + "` is no option; there are --host, --port, --password-file, --job, --forks, "
                                    + "--filter, --out");
            }
        }
        if (port == 0) {
            throw new InvalidException("--port is missing: the port of the server to measure against");
        }
        return new Arguments(host, port, passwordFile, job, forks, List.copyOf(filters), out);
    }

    private static String value(String option, Iterator<String> left) throws InvalidException {
        if (!left.hasNext()) {
            throw new InvalidException(option + " needs a value");
        }
        return left.next();
    }

    private static int number(String option, Iterator<String> left, int most) throws InvalidException {
        String written = value(option, left);
        if (written.matches("[0-9]{1,5}")) {
            int number = Integer.parseInt(written);
            if (number >= 1 && number <= most) {
                return number;
            }
        }
        throw new InvalidException(option + " is `" + written + "`; it must be a number from 1 to " + most);
    }

    /** Turns a glob ({@code *jedis*}) into the whole-name pattern that JMH takes. */
    private static String pattern(String glob) {
        StringBuilder pattern = new StringBuilder("^");
        for (int place = 0; place < glob.length(); place++) {
            char letter = glob.charAt(place);
            pattern.append(
                    switch (letter) {
                        case '*' -> ".*";
                        case '?' -> ".";
                        default -> Pattern.quote(String.valueOf(letter));
                    });
        }
        return pattern.append('$').toString();
    }
}
