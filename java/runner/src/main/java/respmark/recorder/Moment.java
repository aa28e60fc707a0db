package respmark.recorder;

import respmark.contract.Event;

/** The process at one moment of a slice; made beforehand and noted when it comes, so that nothing is allocated then. */
public final class Moment {
    private final Cpu cpu = new Cpu();
    private long atNs;

    /** Something begins now: the clock is read first. */
    public void open() {
        atNs = System.nanoTime();
        cpu.read();
    }

    /** Something has ended: the clock is read last. */
    public void close() {
        cpu.read();
        atNs = System.nanoTime();
    }

    /** On CLOCK_MONOTONIC: what Java's clock is on Linux. */
    public long atNs() {
        return atNs;
    }

    /** As the contract has it. */
    public Event.Moment told() {
        return new Event.Moment(atNs, cpu.userNs(), cpu.systemNs());
    }
}
