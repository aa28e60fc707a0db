package respmark.clients.jedis;

import java.util.Locale;
import redis.clients.jedis.Builder;
import redis.clients.jedis.BuilderFactory;
import redis.clients.jedis.CommandArguments;
import redis.clients.jedis.CommandObject;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.PipeliningBase;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.commands.ProtocolCommand;
import redis.clients.jedis.util.SafeEncoder;
import respmark.workload.Form;
import respmark.workload.Workload;

/** One command with its arguments, and the method of the library that sends it. */
interface JedisCall {
    Object send(UnifiedJedis client);

    Object send(Jedis connection);

    Response<?> queue(PipeliningBase pipeline);

    /** All commands of the workload, and the first `more` of them again, so that no unit wraps around. */
    static JedisCall[] materialise(Workload workload, boolean isText, int more) {
        JedisCall[] calls = new JedisCall[workload.length() + more];
        for (int i = 0; i < workload.length(); i++) {
            String name = workload.name(i);
            calls[i] = isText
                    ? ofText(name, workload.arguments(i, Form.TEXT))
                    : ofBytes(name, workload.arguments(i, Form.BYTES));
        }
        for (int i = workload.length(); i < calls.length; i++) {
            calls[i] = calls[i - workload.length()];
        }
        return calls;
    }

    private static JedisCall ofText(String name, String[] words) {
        return switch (name) {
            case "GET" -> new GetText(words[0]);
            case "SET" -> new SetText(words[0], words[1]);
            default -> new Other(Name.of(name), words, BuilderFactory.ENCODED_OBJECT);
        };
    }

    private static JedisCall ofBytes(String name, byte[][] words) {
        return switch (name) {
            case "GET" -> new GetBytes(words[0]);
            case "SET" -> new SetBytes(words[0], words[1]);
            default -> new Other(Name.of(name), words, BuilderFactory.RAW_OBJECT);
        };
    }

    record GetText(String key) implements JedisCall {
        @Override
        public Object send(UnifiedJedis client) {
            return client.get(key);
        }

        @Override
        public Object send(Jedis connection) {
            return connection.get(key);
        }

        @Override
        public Response<?> queue(PipeliningBase pipeline) {
            return pipeline.get(key);
        }
    }

    record SetText(String key, String value) implements JedisCall {
        @Override
        public Object send(UnifiedJedis client) {
            return client.set(key, value);
        }

        @Override
        public Object send(Jedis connection) {
            return connection.set(key, value);
        }

        @Override
        public Response<?> queue(PipeliningBase pipeline) {
            return pipeline.set(key, value);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record GetBytes(byte[] key) implements JedisCall {
        @Override
        public Object send(UnifiedJedis client) {
            return client.get(key);
        }

        @Override
        public Object send(Jedis connection) {
            return connection.get(key);
        }

        @Override
        public Response<?> queue(PipeliningBase pipeline) {
            return pipeline.get(key);
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    record SetBytes(byte[] key, byte[] value) implements JedisCall {
        @Override
        public Object send(UnifiedJedis client) {
            return client.set(key, value);
        }

        @Override
        public Object send(Jedis connection) {
            return connection.set(key, value);
        }

        @Override
        public Response<?> queue(PipeliningBase pipeline) {
            return pipeline.set(key, value);
        }
    }

    /** Any other command, through what the library's own methods are made of: arguments and a builder of the reply. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Other(ProtocolCommand name, Object[] words, Builder<Object> builder) implements JedisCall {
        private CommandObject<Object> command() {
            return new CommandObject<>(new CommandArguments(name).addObjects(words), builder);
        }

        @Override
        public Object send(UnifiedJedis client) {
            return client.executeCommand(command());
        }

        @Override
        public Object send(Jedis connection) {
            return connection.getConnection().executeCommand(command());
        }

        @Override
        public Response<?> queue(PipeliningBase pipeline) {
            return pipeline.executeCommand(command());
        }
    }

    /** A command's name; the library's own list does not have every command there is. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    record Name(byte[] raw) implements ProtocolCommand {
        static Name of(String name) {
            return new Name(SafeEncoder.encode(name.toUpperCase(Locale.ROOT)));
        }

        @Override
        public byte[] getRaw() {
            return raw;
        }
    }
}
