package respmark.contract;

import java.util.List;

/** What the harness orders: one JSON object per line, after the trial. */
public sealed interface Order {
    String CONNECT = "connect";
    String SLICE = "slice";
    String FINISH = "finish";

    /** Its name in the contract. */
    String word();

    /** Connect and verify replies now. */
    record Connect() implements Order {
        @Override
        public String word() {
            return CONNECT;
        }
    }

    /** Work for one slice now. */
    record Slice(long slice, long durationNs, long leadInNs, long firstCommand, boolean keepSamples) implements Order {
        @Override
        public String word() {
            return SLICE;
        }
    }

    /** No more slices; print the result. */
    record Finish() implements Order {
        @Override
        public String word() {
            return FINISH;
        }
    }

    /** The order in one line of JSON. */
    static Order parse(String line) {
        Fields fields = new Fields(Fields.json(line, "order"), "order");
        String word = fields.take("order", Fields.oneOf(List.of(CONNECT, SLICE, FINISH)));
        Order order = switch (word) {
            case CONNECT -> new Connect();
            case FINISH -> new Finish();
            default ->
                new Slice(
                        fields.take("slice", Fields.big(1)),
                        fields.take("duration_ns", Fields.big(1)),
                        fields.take("lead_in_ns", Fields.big(0), 0L),
                        fields.take("first_command", Fields.big(0)),
                        fields.take("keep_samples", Fields::flag));
        };
        fields.finish();
        return order;
    }
}
