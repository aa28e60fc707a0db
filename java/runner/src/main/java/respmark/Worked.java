package respmark;

import com.fasterxml.jackson.annotation.JsonAutoDetect;
import java.util.Map;
import java.util.TreeMap;

/** What is answered to a slice; filled while it goes on. */
@JsonAutoDetect(fieldVisibility = JsonAutoDetect.Visibility.ANY)
final class Worked {
    long[] started;
    long[] measuredFrom;
    long[] ended;
    final long[] leadIn;
    final long[] measured;
    final Map<String, Long> errors = new TreeMap<>();
    String firstError;
    Client.CacheCounts cache;

    Worked(int walkers) {
        leadIn = new long[walkers];
        measured = new long[walkers];
    }

    /** Notes when it started, is measured from, and has ended, one after the other. */
    void moment(long[] now) {
        if (started == null) {
            started = now;
        } else if (measuredFrom == null) {
            measuredFrom = now;
        } else {
            ended = now;
        }
    }

    /** Counts a unit that failed, by the library's class. */
    synchronized void failed(Throwable error) {
        Failure failure = Failure.of(error);
        errors.merge(failure.error(), 1L, Long::sum);
        if (firstError == null) {
            firstError = failure.text();
        }
    }
}
