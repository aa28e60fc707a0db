package respmark.clients.jedis;

import java.util.List;
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
import respmark.workload.Commands;
import respmark.workload.Form;
import respmark.workload.Workload;

/** The commands of a workload, and the methods of the library that send them. */
interface JedisCalls {
    Object send(UnifiedJedis client, int command);

    Object send(Jedis connection, int command);

    Response<?> queue(PipeliningBase pipeline, int command);

    static JedisCalls of(Workload workload, boolean isText, int more) {
        return isText ? Text.of(workload.commands(Form.TEXT, more)) : Bytes.of(workload.commands(Form.BYTES, more));
    }

    /** Commands that are sent through what the library's own methods are made of: arguments and a builder of the reply. */
    record Others(Commands<?> commands, List<Name> names, Builder<Object> builder) {
        static Others of(Commands<?> commands, Builder<Object> builder) {
            return new Others(commands, commands.names().stream().map(Name::of).toList(), builder);
        }

        CommandObject<Object> command(int command) {
            CommandArguments arguments = new CommandArguments(names.get(commands.kind(command)));
            for (int i = 0; i < commands.words(command); i++) {
                arguments.add(commands.word(command, i));
            }
            return new CommandObject<>(arguments, builder);
        }
    }

    /** Keys and values are texts. */
    record Text(Commands<String> commands, Others others) implements JedisCalls {
        static Text of(Commands<String> commands) {
            return new Text(commands, Others.of(commands, BuilderFactory.ENCODED_OBJECT));
        }

        @Override
        public Object send(UnifiedJedis client, int command) {
            return switch (commands.method(command)) {
                case Commands.GET -> client.get(commands.key(command));
                case Commands.SET -> client.set(commands.key(command), commands.value(command));
                default -> client.executeCommand(others.command(command));
            };
        }

        @Override
        public Object send(Jedis connection, int command) {
            return switch (commands.method(command)) {
                case Commands.GET -> connection.get(commands.key(command));
                case Commands.SET -> connection.set(commands.key(command), commands.value(command));
                default -> connection.getConnection().executeCommand(others.command(command));
            };
        }

        @Override
        public Response<?> queue(PipeliningBase pipeline, int command) {
            return switch (commands.method(command)) {
                case Commands.GET -> pipeline.get(commands.key(command));
                case Commands.SET -> pipeline.set(commands.key(command), commands.value(command));
                default -> pipeline.executeCommand(others.command(command));
            };
        }
    }

    /** Keys and values are bytes. */
    record Bytes(Commands<byte[]> commands, Others others) implements JedisCalls {
        static Bytes of(Commands<byte[]> commands) {
            return new Bytes(commands, Others.of(commands, BuilderFactory.RAW_OBJECT));
        }

        @Override
        public Object send(UnifiedJedis client, int command) {
            return switch (commands.method(command)) {
                case Commands.GET -> client.get(commands.key(command));
                case Commands.SET -> client.set(commands.key(command), commands.value(command));
                default -> client.executeCommand(others.command(command));
            };
        }

        @Override
        public Object send(Jedis connection, int command) {
            return switch (commands.method(command)) {
                case Commands.GET -> connection.get(commands.key(command));
                case Commands.SET -> connection.set(commands.key(command), commands.value(command));
                default -> connection.getConnection().executeCommand(others.command(command));
            };
        }

        @Override
        public Response<?> queue(PipeliningBase pipeline, int command) {
            return switch (commands.method(command)) {
                case Commands.GET -> pipeline.get(commands.key(command));
                case Commands.SET -> pipeline.set(commands.key(command), commands.value(command));
                default -> pipeline.executeCommand(others.command(command));
            };
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
