package respmark;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/** Replies as the library returned them, in the form of the contract. */
final class Replies<W> {
    private final Client<?, W> client;
    private final Commands<W> commands;
    private final boolean isGrouped;
    private long bytes;

    /** `isGrouped`: a unit has the replies of several commands. */
    Replies(Client<?, W> client, Commands<W> commands, boolean isGrouped) {
        this.client = client;
        this.commands = commands;
        this.isGrouped = isGrouped;
    }

    /** Performs units of this walker from its first command, until there are enough replies. */
    List<Object> of(Walker walker, Order.Echo echo) throws Exception {
        List<Object> replies = new ArrayList<>();
        walker.begin(echo.first(), null);
        while (replies.size() < echo.commands() && bytes < echo.bytes()) {
            int command = walker.take();
            for (Object reply : ofUnit(walker.unit(), command)) {
                replies.add(form(reply, command++));
            }
        }
        return replies;
    }

    private List<?> ofUnit(Unit unit, int first) throws Exception {
        return isGrouped ? unit.replies(first) : Collections.singletonList(unit.perform(first));
    }

    /** Replies to command number `command` in that form. */
    List<Object> forms(Collection<?> replies, int command) throws Exception {
        List<Object> forms = new ArrayList<>();
        for (Object reply : replies) {
            forms.add(form(reply, command));
        }
        return forms;
    }

    /** The reply to command number `command` in that form; throws one that is an error. */
    Object form(Object returned, int command) throws Exception {
        Object reply = client.plain(returned, commands, command);
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
            return Map.of("map", forms(entries, command));
        }
        bytes += reply instanceof String text ? text.length() : 0;
        return reply instanceof Collection<?> list ? forms(list, command) : reply;
    }
}
