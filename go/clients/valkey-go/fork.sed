# Makes of the adapter of rueidis that of valkey-go, its fork: the two are to be used in the same way.
s#github.com/redis/rueidis#github.com/valkey-io/valkey-go#
s/An adapter is rueidis/An adapter is valkey-go/
s/rueidis/valkey/g
s/IsRedis/IsValkey/g
s/RedisMessage/ValkeyMessage/g
s/RedisResult/ValkeyResult/g
s/NonRedisError/NonValkeyError/g
