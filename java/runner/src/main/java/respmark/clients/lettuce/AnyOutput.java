package respmark.clients.lettuce;

import io.lettuce.core.codec.RedisCodec;
import io.lettuce.core.output.CommandOutput;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Any reply: a value, or lists of values in lists. The library's own output of this kind takes no single value. */
final class AnyOutput<W> extends CommandOutput<W, W, Object> {
    private final Deque<List<Object>> open = new ArrayDeque<>();

    AnyOutput(RedisCodec<W, W> codec) {
        super(codec, null);
    }

    private void add(Object value) {
        if (open.isEmpty()) {
            output = value;
        } else {
            open.getLast().add(value);
        }
    }

    @Override
    public void set(ByteBuffer bytes) {
        add(bytes == null ? null : codec.decodeValue(bytes));
    }

    @Override
    public void setSingle(ByteBuffer bytes) {
        add(bytes == null ? null : decodeString(bytes));
    }

    @Override
    public void set(long integer) {
        add(integer);
    }

    @Override
    public void set(double number) {
        add(number);
    }

    @Override
    public void set(boolean value) {
        add(value);
    }

    @Override
    public void multi(int count) {
        List<Object> list = new ArrayList<>(Math.max(count, 0));
        add(list);
        open.add(list);
    }

    @Override
    public void complete(int depth) {
        if (depth > 0 && depth < open.size()) {
            open.removeLast();
        }
    }
}
