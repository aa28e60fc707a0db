package respmark.recorder;

/** The measured window: its clock, its CPU time, its ends. */
public final class Window {
    public static final long SECOND_NS = 1_000_000_000;

    private final long durationNs;
    private long startNs;
    private Cpu cpu = new Cpu(0, 0);
    private Health health = new Health(0, 0, 0);

    public Window(double seconds) {
        durationNs = Math.round(seconds * SECOND_NS);
    }

    /** Begins now. */
    public void open() {
        health = Health.now();
        cpu = Cpu.now();
        startNs = System.nanoTime();
    }

    /** Ends now: from here on CPU and health are what the window used. */
    public void close() {
        cpu = Cpu.now().since(cpu);
        health = Health.now().since(health);
    }

    public long startNs() {
        return startNs;
    }

    long halfNs() {
        return startNs + durationNs / 2;
    }

    long endNs() {
        return startNs + durationNs;
    }

    public Cpu cpu() {
        return cpu;
    }

    public Health health() {
        return health;
    }
}
