package respmark.recorder;

/** Garbage of what is made before the first slice. */
public final class Garbage {
    private Garbage() {}

    /** Collects it, and puts all else that is there now into the old generation: no collection in a slice copies it. */
    public static void setAside() {
        System.gc();
    }
}
