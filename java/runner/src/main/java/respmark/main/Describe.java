package respmark.main;

import respmark.clients.Registry;

/** What this runner can do here and now. */
final class Describe {
    private Describe() {}

    static void print(Channel channel) {
        channel.say(Registry.describe());
    }
}
