/** Version of every message and of the workload file; another one is refused. */
export const SCHEMA_VERSION = 2;
