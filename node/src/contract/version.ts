/** Version of every message and of the workload file; any other is refused. */
export const SCHEMA_VERSION = 2;
