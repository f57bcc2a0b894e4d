/** The classes of SQLSTATE that concern the server and not the statement. */
const serverClasses = new Set(["08", "25", "53", "55", "57", "58"]);
const socketCodes = new Set([
  ...[
    "ECONNREFUSED",
    "ECONNRESET",
    "EPIPE",
    "ETIMEDOUT",
    "EHOSTUNREACH",
    "ENETUNREACH",
    "ENOTFOUND",
    "EAI_AGAIN",
  ],
]);
/** The messages of the driver errors that have no code. */
const driverMessages =
  /^(?:Query read timeout|timeout exceeded when trying to connect|timeout expired|Connection terminated|Client has encountered a connection error)/;

/**
 * Whether the error means that PostgreSQL is unavailable: unreachable, too slow, read-only, shutting down or out of
 * resources.
 */
export function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  if (typeof code !== "string") return driverMessages.test(error.message);
  if (typeof severity === "string") return severity !== "ERROR" || serverClasses.has(code.slice(0, 2));
  return socketCodes.has(code);
}

/** Whether PostgreSQL reported that the statement failed. After any other error, the statement may have been committed. */
export function isRolledBack(error: unknown): boolean {
  return (error as { severity?: unknown } | undefined)?.severity === "ERROR";
}

/**
 * Runs a statement again if PostgreSQL rolled it back because of a deadlock, for example with a migration that locks
 * several tables.
 */
export async function retryDeadlock<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === maxDeadlocks || (error as { code?: unknown }).code !== "40P01") throw error;
    }
  }
}

const maxDeadlocks = 3;
