package respmark.contract;

/** What holds for every message. */
public final class Contract {
    /** Version of every message and file format; any other is refused. */
    public static final int SCHEMA_VERSION = 2;

    private Contract() {}

    /** Reads the version of a message. */
    public static int schemaVersion(Object value, String where) {
        int version = Fields.whole(1).apply(value, where);
        if (version != SCHEMA_VERSION) {
            throw Fields.refusal(
                    where,
                    "must be %d, which this runner reads, not %d; use harness and runner of one checkout"
                            .formatted(SCHEMA_VERSION, version));
        }
        return version;
    }
}
