package respmark.recorder;

/** Garbage from before the first slice. */
public final class Garbage {
    private Garbage() {}

    /** Collects it; moves all else to the old generation, which no collection in a slice copies. */
    public static void setAside() {
        System.gc();
    }
}
