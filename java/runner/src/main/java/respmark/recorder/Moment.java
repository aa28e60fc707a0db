package respmark.recorder;

import respmark.contract.Event;

/** The process at one moment of a slice; created beforehand, so noting it allocates nothing. */
public final class Moment {
    private final Cpu cpu = new Cpu();
    private long atNs;

    /** Something begins now, so the clock is read first. */
    public void open() {
        atNs = System.nanoTime();
        cpu.read();
    }

    /** Something has ended, so the clock is read last. */
    public void close() {
        cpu.read();
        atNs = System.nanoTime();
    }

    /** On CLOCK_MONOTONIC, which is Java's clock on Linux. */
    public long atNs() {
        return atNs;
    }

    /** In the contract's form. */
    public Event.Moment told() {
        return new Event.Moment(atNs, cpu.userNs(), cpu.systemNs());
    }
}
