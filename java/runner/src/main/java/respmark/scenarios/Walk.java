package respmark.scenarios;

import respmark.contract.Trial.WorkloadPart;

/** Where one walk through the workload begins, and how it goes on: cyclically, a unit at a time. */
public record Walk(int first, int step, int length) {
    /** Walk number `walker` of this process. */
    public static Walk of(WorkloadPart part, int walker, Layout layout, int length) {
        long all = (long) part.parts() * layout.walkers();
        long number = (long) part.part() * layout.walkers() + walker;
        return new Walk((int) (number * length / all), layout.commandsPerUnit() % length, length);
    }

    /** The first command of the unit after the one that begins here. */
    public int after(int at) {
        int next = at + step;
        return next >= length ? next - length : next;
    }
}
