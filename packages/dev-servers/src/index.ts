// Starts real PostgreSQL and Restate servers from npm packages, without Docker, for `paraph dev` and for tests.
export { findFreePort, requireFreePorts } from "./ports.ts";
export { type LocalPostgres, type LocalPostgresOptions, startPostgres } from "./postgres.ts";
export { type LocalRestate, type LocalRestateOptions, startRestate } from "./restate.ts";
export { ServerError, type ServerErrorCode } from "./server-error.ts";
export type { ServerExit } from "./supervise.ts";
