package respmark.scenarios;

import java.lang.reflect.InvocationTargetException;
import java.util.concurrent.ThreadFactory;

/**
 * The kind of the walkers' threads: platform threads, or virtual ones on a JDK where these do not
 * hold each other up.
 */
public enum ThreadKind {
    PLATFORM {
        @Override
        ThreadFactory factory(int number) {
            return walk -> {
                Thread thread = new Thread(walk, "walker-" + number);
                thread.setDaemon(true);
                return thread;
            };
        }
    },
    VIRTUAL {
        @Override
        ThreadFactory factory(int number) {
            try {
                Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
                return (ThreadFactory) Class.forName("java.lang.Thread$Builder")
                        .getMethod("factory")
                        .invoke(builder);
            } catch (ClassNotFoundException
                    | NoSuchMethodException
                    | IllegalAccessException
                    | InvocationTargetException error) {
                throw new IllegalStateException("this JDK has no virtual threads", error);
            }
        }
    };

    abstract ThreadFactory factory(int number);

    /** Whether this JDK's virtual threads can share a pool. */
    public static boolean hasVirtual() {
        return Runtime.version().feature() >= FIRST_WITH_VIRTUAL;
    }

    /**
     * JDK 21 has virtual threads, but before JDK 24 one that waits inside `synchronized` keeps its
     * carrier. In commons-pool2, threads wait that way while others connect: once as many wait as
     * there are processors, none can connect any more.
     */
    private static final int FIRST_WITH_VIRTUAL = 24;
}
