s/ioredis/iovalkey/g
