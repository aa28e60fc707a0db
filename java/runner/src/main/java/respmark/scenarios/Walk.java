package respmark.scenarios;

import respmark.contract.Trial.WorkloadPart;

/** One walk through the workload, number `number` of `all`: where it begins, and how it goes on, cyclically, a unit at a time. */
public record Walk(long number, long all, int step, int length) {
    /** Walk number `walker` of this process. */
    public static Walk of(WorkloadPart part, int walker, Layout layout, int length) {
        long all = (long) part.parts() * layout.walkers();
        long number = (long) part.part() * layout.walkers() + walker;
        return new Walk(number, all, layout.commandsPerUnit() % length, length);
    }

    /** This walk's first command, when the first of all walks begins at `firstCommand`. */
    public int first(long firstCommand) {
        return (int) ((firstCommand % length + number * length / all) % length);
    }

    /** The first command of the unit after the one that begins here. */
    public int after(int at) {
        int next = at + step;
        return next >= length ? next - length : next;
    }
}
