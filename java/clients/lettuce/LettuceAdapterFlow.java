import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.reactive.RedisTransactionalReactiveCommands;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import reactor.core.Exceptions;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import respmark.Arrivals;
import respmark.OpenWindow;
import respmark.Unit;
import respmark.Walker;

/** The reactive API as its users have it: several commands are a flatMap. This is a burst of them. */
record LettuceAdapterFlow(StatefulConnection<?, ?> connection, IntFunction<?> send, boolean isFlushed, int depth)
        implements Unit {

    private static void ignore(Object reply) {}

    private Mono<?> command(int i) {
        return (Mono<?>) send.apply(i);
    }

    @Override
    public Object perform(int first) throws Exception {
        return collected(Flux.range(first, depth).flatMap(this::command, depth));
    }

    /** The same flow, in which each command says what it has replied: their order, and null, are not in its own list. */
    @Override
    public List<?> replies(int first) throws Exception {
        Object[] replies = new Object[depth];
        collected(Flux.range(first, depth)
                .flatMap(i -> command(i).doOnSuccess(reply -> replies[i - first] = reply), depth));
        return Arrays.asList(replies);
    }

    private <T> List<T> collected(Flux<T> replies) throws Exception {
        return awaited(replies.collectList());
    }

    private <T> T awaited(Mono<T> mono) throws Exception {
        CompletableFuture<T> reply = mono.toFuture();
        if (!isFlushed) {
            connection.flushCommands();
        }
        return reply.get(connection.getTimeout().toNanos(), TimeUnit.NANOSECONDS);
    }

    /** Commands are subscribed to between MULTI and EXEC, whose reply has theirs, and their errors. */
    Unit within(RedisTransactionalReactiveCommands<?, ?> transaction) {
        return new Unit() {
            @Override
            public Object perform(int first) throws Exception {
                transaction.multi().subscribe(LettuceAdapterFlow::ignore, LettuceAdapterFlow::ignore);
                for (int i = first; i < first + depth; i++) {
                    command(i).subscribe(LettuceAdapterFlow::ignore, LettuceAdapterFlow::ignore);
                }
                return executed();
            }

            /** The same, but that each command's subscriber keeps its reply, or its error. */
            @Override
            public List<?> replies(int first) throws Exception {
                Object[] replies = new Object[depth];
                transaction.multi().subscribe(LettuceAdapterFlow::ignore, LettuceAdapterFlow::ignore);
                for (int i = first; i < first + depth; i++) {
                    int place = i - first;
                    command(i).subscribe(reply -> replies[place] = reply, error -> replies[place] = error);
                }
                executed();
                return Arrays.asList(replies);
            }

            private TransactionResult executed() throws Exception {
                TransactionResult result = awaited(transaction.exec());
                LettuceAdapterBurst.check(result, depth);
                return result;
            }
        };
    }

    /** A sliding window: a flatMap with that concurrency. */
    final class Window extends Walker {
        private final OpenWindow open = new OpenWindow(this, this::send, depth);

        Window(Place place, Unit command) {
            super(place, command);
        }

        /** A unit that fails ends the flow, and another one begins. */
        @Override
        protected void until(long endNs) {
            do {
                try {
                    commands(endNs).flatMap(this::timed, depth).blockLast();
                } catch (RuntimeException error) {
                    failed(Exceptions.unwrap(error));
                }
            } while (System.nanoTime() < endNs);
        }

        private Flux<Integer> commands(long endNs) {
            return Flux.generate(commands -> {
                if (System.nanoTime() < endNs) {
                    commands.next(next());
                } else {
                    commands.complete();
                }
            });
        }

        private synchronized int next() {
            return take();
        }

        private Mono<?> timed(int i) {
            long issuedNs = System.nanoTime();
            return command(i).doOnSuccess(reply -> ended(System.nanoTime() - issuedNs));
        }

        private synchronized void ended(long ns) {
            completed(ns);
        }

        /** Commands that are due are subscribed to one by one. */
        @Override
        protected void open(Arrivals arrivals) throws InterruptedException {
            open.perform(arrivals);
        }

        private void send(int i, BiConsumer<Object, Throwable> ended) {
            command(i)
                    .subscribe(
                            LettuceAdapterFlow::ignore,
                            error -> ended.accept(null, error),
                            () -> ended.accept(null, null));
        }
    }
}
