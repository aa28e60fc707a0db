package org.respmark.bench.lettuce;

import io.lettuce.core.RedisURI;
import org.respmark.bench.Target;

/** The target in Lettuce's form. */
final class Address {
    private Address() {}

    static RedisURI of(Target target) {
        RedisURI.Builder uri = RedisURI.Builder.redis(target.host(), target.port());
        if (target.password() != null) {
            uri.withPassword((CharSequence) target.password());
        }
        return uri.build();
    }
}
