/** Version of every message and of the workload file; a newer one is refused. */
export const SCHEMA_VERSION = 1;
