package respmark;

import java.util.List;

/** One slice, on threads that have ended afterwards. */
final class OneSlice {
    private OneSlice() {}

    /** `arrivals` are null in a closed loop. */
    static Worked of(List<Walker> walkers, Order.Work order, Arrivals arrivals) throws Exception {
        Slices slices = new Slices(Slices.threads(false));
        slices.start(walkers);
        Worked worked = slices.work(order, arrivals);
        slices.close();
        return worked;
    }
}
