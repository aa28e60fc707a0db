import glide.api.BaseClient;
import glide.api.GlideClient;
import glide.api.GlideClusterClient;
import glide.api.models.BaseBatch;
import java.util.HashMap;
import java.util.Map;
import respmark.Commands;

/** The library's methods, of a client and of a batch; any other command, SETEX among them, is a customCommand. */
final class ValkeyGlideAdapterCommands {
    private ValkeyGlideAdapterCommands() {}

    /** Those of a server's client. */
    @SuppressWarnings("FutureReturnValueIgnored") // the future is returned
    static Map<String, Commands.Method<BaseClient, String>> ofServer() {
        Map<String, Commands.Method<BaseClient, String>> commands = ofBoth();
        commands.put("PING", (on, w, i) -> ((GlideClient) on).ping());
        commands.put(Commands.ANY, (on, w, i) -> ((GlideClient) on).customCommand(w.line(i)));
        return commands;
    }

    /** Those of a cluster's client. */
    @SuppressWarnings("FutureReturnValueIgnored") // the future is returned
    static Map<String, Commands.Method<BaseClient, String>> ofCluster() {
        Map<String, Commands.Method<BaseClient, String>> commands = ofBoth();
        commands.put(Commands.ANY, (on, w, i) -> ((GlideClusterClient) on).customCommand(w.line(i)));
        return commands;
    }

    /** Each returns a CompletableFuture. */
    @SuppressWarnings("FutureReturnValueIgnored") // the future is returned
    private static Map<String, Commands.Method<BaseClient, String>> ofBoth() {
        Map<String, Commands.Method<BaseClient, String>> commands = new HashMap<>();
        commands.put("GET", (on, w, i) -> on.get(w.key(i)));
        commands.put("SET", (on, w, i) -> on.set(w.key(i), w.value(i)));
        commands.put("GETRANGE", (on, w, i) -> on.getrange(w.key(i), (int) w.number(i, 0), (int) w.number(i, 1)));
        commands.put("MGET", (on, w, i) -> on.mget(w.several(i).words()));
        commands.put("MSET", (on, w, i) -> on.mset(w.several(i).pairs()));
        commands.put("EXPIRE", (on, w, i) -> on.expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (on, w, i) -> on.incrBy(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (on, w, i) -> on.lpush(w.key(i), w.values(i)));
        commands.put("LTRIM", (on, w, i) -> on.ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (on, w, i) -> on.lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (on, w, i) -> on.hgetall(w.key(i)));
        commands.put("SADD", (on, w, i) -> on.sadd(w.key(i), w.values(i)));
        commands.put("ZADD", (on, w, i) -> on.zadd(w.key(i), Map.of(w.value(i), w.score(i))));
        return commands;
    }

    static <B extends BaseBatch<B>> Map<String, Commands.Method<B, String>> ofBatch() {
        Map<String, Commands.Method<B, String>> commands = new HashMap<>();
        commands.put("PING", (on, w, i) -> on.ping());
        commands.put("GET", (on, w, i) -> on.get(w.key(i)));
        commands.put("SET", (on, w, i) -> on.set(w.key(i), w.value(i)));
        commands.put(Commands.ANY, (on, w, i) -> on.customCommand(w.line(i)));
        commands.put("GETRANGE", (on, w, i) -> on.getrange(w.key(i), (int) w.number(i, 0), (int) w.number(i, 1)));
        commands.put("MGET", (on, w, i) -> on.mget(w.several(i).words()));
        commands.put("MSET", (on, w, i) -> on.mset(w.several(i).pairs()));
        commands.put("EXPIRE", (on, w, i) -> on.expire(w.key(i), w.number(i, 0)));
        commands.put("INCRBY", (on, w, i) -> on.incrBy(w.key(i), w.number(i, 0)));
        commands.put("LPUSH", (on, w, i) -> on.lpush(w.key(i), w.values(i)));
        commands.put("LTRIM", (on, w, i) -> on.ltrim(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("LRANGE", (on, w, i) -> on.lrange(w.key(i), w.number(i, 0), w.number(i, 1)));
        commands.put("HGETALL", (on, w, i) -> on.hgetall(w.key(i)));
        commands.put("SADD", (on, w, i) -> on.sadd(w.key(i), w.values(i)));
        commands.put("ZADD", (on, w, i) -> on.zadd(w.key(i), Map.of(w.value(i), w.score(i))));
        return commands;
    }
}
