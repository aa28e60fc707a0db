package respmark.clients.jedis;

import redis.clients.jedis.Jedis;
import redis.clients.jedis.PipeliningBase;
import redis.clients.jedis.Response;
import redis.clients.jedis.UnifiedJedis;
import redis.clients.jedis.commands.JedisBinaryCommands;
import redis.clients.jedis.commands.JedisCommands;
import respmark.errors.Unsupported;
import respmark.workload.Commands;
import respmark.workload.Method;
import respmark.workload.WordType;
import respmark.workload.Workload;

/** The commands of a workload, and the methods of the library that send them. */
interface JedisCalls {
    Object send(UnifiedJedis client, int command);

    Object send(Jedis connection, int command);

    Response<?> queue(PipeliningBase pipeline, int command);

    static JedisCalls of(Workload workload, boolean isText, int more) {
        return isText
                ? new Text(workload.commands(WordType.TEXT, more))
                : new Bytes(workload.commands(WordType.BYTES, more));
    }

    Commands<?> commands();

    /** Refuses commands for which pipelines and transactions have no method. */
    default void checkQueueable() {
        if (commands().has(Method.PING)) {
            throw new Unsupported("pipelines and transactions of jedis have no ping(): leave PING out of the workload");
        }
    }

    private static IllegalStateException unknown() {
        return new IllegalStateException("a command without a method was let through");
    }

    /** Keys and values are texts. */
    record Text(Commands<String> commands) implements JedisCalls {
        @Override
        public Object send(UnifiedJedis client, int command) {
            return commands.method(command) == Method.PING ? client.ping() : call(client, command);
        }

        @Override
        public Object send(Jedis connection, int command) {
            return commands.method(command) == Method.PING ? connection.ping() : call(connection, command);
        }

        private Object call(JedisCommands redis, int command) {
            return switch (commands.method(command)) {
                case Method.GET -> redis.get(commands.key(command));
                case Method.SET -> redis.set(commands.key(command), commands.value(command));
                case Method.GETRANGE ->
                    redis.getrange(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.MGET -> redis.mget(commands.words(command));
                case Method.MSET -> redis.mset(commands.words(command));
                case Method.EXPIRE -> redis.expire(commands.key(command), commands.number(command));
                case Method.INCRBY -> redis.incrBy(commands.key(command), commands.number(command));
                case Method.LPUSH -> redis.lpush(commands.key(command), commands.value(command));
                case Method.LTRIM ->
                    redis.ltrim(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.LRANGE ->
                    redis.lrange(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.HGETALL -> redis.hgetAll(commands.key(command));
                case Method.SADD -> redis.sadd(commands.key(command), commands.value(command));
                case Method.ZADD -> redis.zadd(commands.key(command), commands.score(command), commands.value(command));
                default -> throw unknown();
            };
        }

        @Override
        public Response<?> queue(PipeliningBase pipeline, int command) {
            return switch (commands.method(command)) {
                case Method.GET -> pipeline.get(commands.key(command));
                case Method.SET -> pipeline.set(commands.key(command), commands.value(command));
                case Method.GETRANGE ->
                    pipeline.getrange(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.MGET -> pipeline.mget(commands.words(command));
                case Method.MSET -> pipeline.mset(commands.words(command));
                case Method.EXPIRE -> pipeline.expire(commands.key(command), commands.number(command));
                case Method.INCRBY -> pipeline.incrBy(commands.key(command), commands.number(command));
                case Method.LPUSH -> pipeline.lpush(commands.key(command), commands.value(command));
                case Method.LTRIM ->
                    pipeline.ltrim(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.LRANGE ->
                    pipeline.lrange(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.HGETALL -> pipeline.hgetAll(commands.key(command));
                case Method.SADD -> pipeline.sadd(commands.key(command), commands.value(command));
                case Method.ZADD ->
                    pipeline.zadd(commands.key(command), commands.score(command), commands.value(command));
                default -> throw unknown();
            };
        }
    }

    /** Keys and values are bytes. */
    record Bytes(Commands<byte[]> commands) implements JedisCalls {
        @Override
        public Object send(UnifiedJedis client, int command) {
            return commands.method(command) == Method.PING ? client.ping() : call(client, command);
        }

        @Override
        public Object send(Jedis connection, int command) {
            return commands.method(command) == Method.PING ? connection.ping() : call(connection, command);
        }

        private Object call(JedisBinaryCommands redis, int command) {
            return switch (commands.method(command)) {
                case Method.GET -> redis.get(commands.key(command));
                case Method.SET -> redis.set(commands.key(command), commands.value(command));
                case Method.GETRANGE ->
                    redis.getrange(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.MGET -> redis.mget(commands.words(command));
                case Method.MSET -> redis.mset(commands.words(command));
                case Method.EXPIRE -> redis.expire(commands.key(command), commands.number(command));
                case Method.INCRBY -> redis.incrBy(commands.key(command), commands.number(command));
                case Method.LPUSH -> redis.lpush(commands.key(command), commands.value(command));
                case Method.LTRIM ->
                    redis.ltrim(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.LRANGE ->
                    redis.lrange(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.HGETALL -> redis.hgetAll(commands.key(command));
                case Method.SADD -> redis.sadd(commands.key(command), commands.value(command));
                case Method.ZADD -> redis.zadd(commands.key(command), commands.score(command), commands.value(command));
                default -> throw unknown();
            };
        }

        @Override
        public Response<?> queue(PipeliningBase pipeline, int command) {
            return switch (commands.method(command)) {
                case Method.GET -> pipeline.get(commands.key(command));
                case Method.SET -> pipeline.set(commands.key(command), commands.value(command));
                case Method.GETRANGE ->
                    pipeline.getrange(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.MGET -> pipeline.mget(commands.words(command));
                case Method.MSET -> pipeline.mset(commands.words(command));
                case Method.EXPIRE -> pipeline.expire(commands.key(command), commands.number(command));
                case Method.INCRBY -> pipeline.incrBy(commands.key(command), commands.number(command));
                case Method.LPUSH -> pipeline.lpush(commands.key(command), commands.value(command));
                case Method.LTRIM ->
                    pipeline.ltrim(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.LRANGE ->
                    pipeline.lrange(commands.key(command), commands.number(command), commands.secondNumber(command));
                case Method.HGETALL -> pipeline.hgetAll(commands.key(command));
                case Method.SADD -> pipeline.sadd(commands.key(command), commands.value(command));
                case Method.ZADD ->
                    pipeline.zadd(commands.key(command), commands.score(command), commands.value(command));
                default -> throw unknown();
            };
        }
    }
}
