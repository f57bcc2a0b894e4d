import { CapabilityError, type FaultKind } from "@paraph/core";
import { ResponseRefused } from "./connection/message-guard.ts";

/**
 * Converts a database error to a fault that the retry rule knows. PostgreSQL rolls back a transaction that it has not
 * committed. A connection that breaks before the commit has therefore changed nothing.
 */
export function toSqlFault(error: unknown): unknown {
  // These errors come from Paraph's own code and not from the database, so the function must not mark them as
  // retryable.
  if (error instanceof CapabilityError || error instanceof TypeError || error instanceof RangeError)
    return error;
  const { code, message } = readErrorTraits(error);
  const [kind, name, reason] = findFault(code) ?? (isSqlState(code) ? permanentlyRefused : connectionLost);
  return new CapabilityError(
    kind,
    name,
    `${reason}${isSqlState(code) ? ` PostgreSQL says: ${message}.` : ""}`,
  );
}

/**
 * Converts an error of a commit. Unless the error proves that PostgreSQL rejected the commit, the outcome of the commit
 * is unknown.
 */
export function toCommitFault(error: unknown): unknown {
  // Returns Paraph's own errors unchanged, except `ResponseRefused`. In that case, the adapter did not read the
  // response to the commit, so the outcome is unknown.
  if (error instanceof CapabilityError && !(error instanceof ResponseRefused)) return error;
  const { code } = error instanceof ResponseRefused ? { code: "" } : readErrorTraits(error);
  if (isSqlState(code) && !uncertainStates.test(code)) return toSqlFault(error);
  return new CapabilityError(
    "ambiguous",
    "commit-unseen",
    "The connection was lost during the commit, so the outcome is unknown. The marker table, if there is one, shows whether the change was committed.",
  );
}

/** The SQLSTATEs of a broken connection, of an unknown outcome, and of a server that failed during the commit. */
const uncertainStates = /^(?:08|40003|53|57P|58|XX)/;

type FaultDescription = readonly [kind: FaultKind, code: string, reason: string];

const permanentlyRefused: FaultDescription = [
  "permanent",
  "sql-refused",
  "The database rejected the statement.",
];
const connectionLost: FaultDescription = [
  "not-performed",
  "database-unavailable",
  "The connection to the database failed. Nothing was changed. Paraph retries the call.",
];
const databaseFull: FaultDescription = [
  "not-performed",
  "database-full",
  "The database lacks disk space, memory or another resource. Nothing was changed. Paraph retries the call.",
];
const notAuthenticated: FaultDescription = [
  "permanent",
  "not-authenticated",
  "The database rejected the login. Check the user and the password in `connection` or its secret.",
];

/** The faults by SQLSTATE or by class of SQLSTATEs. */
const faultsByState: Readonly<Record<string, FaultDescription>> = {
  "08": connectionLost,
  "08P01": permanentlyRefused,
  "22": ["permanent", "value-invalid", "A value is not valid."],
  "23": ["permanent", "constraint-violated", "The change violates a constraint of the table."],
  "25006": ["permanent", "not-a-read", "The statement would write, and a query can only read."],
  "28": notAuthenticated,
  "3D000": [
    "permanent",
    "database-missing",
    "There is no such database. Check the database name in `connection` or its secret.",
  ],
  "40001": [
    "not-performed",
    "raced",
    "Another session changed the same rows at the same time. Nothing was changed. Paraph retries the call.",
  ],
  "40P01": [
    "not-performed",
    "raced",
    "The statement and another session blocked each other. Nothing was changed. Paraph retries the call.",
  ],
  "42501": [
    "permanent",
    "not-permitted",
    "The login or its role does not have the required permission. Ask a database administrator to grant it.",
  ],
  "42P01": ["permanent", "table-missing", "There is no such table."],
  "53": databaseFull,
  "53300": [
    "not-performed",
    "database-busy",
    "The database has no free connection. Nothing was changed. Paraph retries the call.",
  ],
  "55P03": [
    "not-performed",
    "rows-busy",
    "Another session has locked these rows. Nothing was changed. Paraph retries the call.",
  ],
  "57014": [
    "permanent",
    "too-slow",
    "The statement exceeded its timeout and was stopped. Nothing was changed. Simplify the statement, or raise `timeout` or `previewTimeout`.",
  ],
  "57P": connectionLost,
};

function findFault(code: string): FaultDescription | undefined {
  return faultsByState[code] ?? faultsByState[code.slice(0, 3)] ?? faultsByState[code.slice(0, 2)];
}

/**
 * Whether the code is a SQLSTATE, which only the server sends. A SQLSTATE has five digits or capital letters. Some of
 * Node's error codes, such as `EPIPE`, have the same form, so the function excludes them.
 */
function isSqlState(code: string): boolean {
  return /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
}

function readErrorTraits(error: unknown): { code: string; message: string } {
  const { code, message } = (error ?? {}) as { code?: unknown; message?: unknown };
  return { code: typeof code === "string" ? code : "", message: `${message}` };
}
