package respmark.scenarios;

import java.lang.reflect.InvocationTargetException;

/** Starts the threads that walk: the platform's, or virtual ones where the JDK has them. */
public enum Walkers {
    PLATFORM {
        @Override
        void start(Runnable walk, int number) {
            Thread thread = new Thread(walk, "walker-" + number);
            thread.setDaemon(true);
            thread.start();
        }
    },
    VIRTUAL {
        @Override
        void start(Runnable walk, int number) {
            try {
                Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, walk);
            } catch (NoSuchMethodException | IllegalAccessException | InvocationTargetException error) {
                throw new IllegalStateException("this JDK has no virtual threads", error);
            }
        }
    };

    abstract void start(Runnable walk, int number);

    /** Whether this JDK has virtual threads: since 21. */
    public static boolean hasVirtual() {
        return Runtime.version().feature() >= FIRST_WITH_VIRTUAL;
    }

    private static final int FIRST_WITH_VIRTUAL = 21;
}
