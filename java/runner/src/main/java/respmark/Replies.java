package respmark;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Replies as the library returned them, in the form of the contract. */
final class Replies {
    private final Client<?, ?> client;
    private long bytes;

    Replies(Client<?, ?> client) {
        this.client = client;
    }

    /** Performs units of this walker from its first command, until there are enough replies. */
    List<Object> of(Walker walker, Order.Echo echo) throws Exception {
        List<Object> replies = new ArrayList<>();
        walker.begin(0, null);
        while (replies.size() < echo.commands() && bytes < echo.bytes()) {
            replies.addAll(forms(walker.unit().replies(walker.take())));
        }
        return replies;
    }

    /** Replies in that form. */
    List<Object> forms(Collection<?> replies) throws Exception {
        List<Object> forms = new ArrayList<>();
        for (Object reply : replies) {
            forms.add(form(client.plain(reply)));
        }
        return forms;
    }

    private Object form(Object reply) throws Exception {
        if (reply instanceof Exception error) {
            throw error;
        }
        if (reply instanceof byte[] binary) {
            bytes += binary.length;
            return Map.of("bytes", binary);
        }
        if (reply instanceof Map<?, ?> map) {
            List<List<?>> entries = new ArrayList<>();
            map.forEach((field, value) -> entries.add(List.of(field, value)));
            return Map.of("map", forms(entries));
        }
        bytes += reply instanceof String text ? text.length() : 0;
        return reply instanceof Collection<?> list ? forms(list) : reply;
    }
}
