package respmark.workload;

import respmark.contract.Trial.WorkloadPart;

/**
 * Walker `number` of `all`: where it starts in the workload, and how it continues, cyclically, one
 * unit at a time.
 */
public record Walker(long number, long all, int step, int length) {
    /** Walker number `walker` of the `walkers` of this process. */
    public static Walker of(WorkloadPart part, int walker, int walkers, int commandsPerUnit, int length) {
        long all = (long) part.parts() * walkers;
        long number = (long) part.part() * walkers + walker;
        return new Walker(number, all, commandsPerUnit % length, length);
    }

    /** Its first command if the first of all walkers starts at `firstCommand`. */
    public int first(long firstCommand) {
        return (int) ((firstCommand % length + number * length / all) % length);
    }

    /** The first command of the unit after the one that starts here. */
    public int after(int at) {
        int next = at + step;
        return next >= length ? next - length : next;
    }
}
