package respmark.contract;

/** What holds for every message. */
public final class Contract {
    /** Version of every message and file format; a newer one is refused. */
    public static final int SCHEMA_VERSION = 1;

    private Contract() {}

    /** Reads the version of a message. */
    public static int schemaVersion(Object value, String where) {
        int version = Fields.whole(1).apply(value, where);
        if (version > SCHEMA_VERSION) {
            throw Fields.refusal(
                    where,
                    "%d is newer than %d, which this runner reads; update the runner"
                            .formatted(version, SCHEMA_VERSION));
        }
        return version;
    }
}
