import type { FaultKind } from "./fault-kind.ts";

/** One row of the table of known errors: a trait of a client's errors, and the fault kind that it means. */
export interface KnownError {
  /**
   * The client whose documentation or source is the reason for the row. docs/decisions/005-faults.md lists the sources
   * of the rows.
   */
  readonly from: string;
  readonly by: "name" | "status" | "code" | "sqlstate" | "grpc" | "message";
  readonly is: readonly (string | number)[];
  readonly kind: FaultKind;
}

/**
 * [P8] The table of known errors. The first row that fits decides, so the order matters. For example, a throttled AWS
 * request has the status 400, so its error name must decide instead of its status.
 */
export const knownErrors: readonly KnownError[] = [
  row("fetch, undici, got, AWS SDK", "name", "ambiguous", "AbortError", "TimeoutError"),
  row("AWS SDK", "name", "ambiguous", "RequestTimeout", "RequestTimeoutException"),
  row("AWS SDK", "name", "ambiguous", "TransactionInProgressException"),
  row(
    ...(["AWS SDK", "name", "not-performed"] as const),
    ...["BandwidthLimitExceeded", "EC2ThrottledException", "ProvisionedThroughputExceededException"],
    ...["LimitExceededException", "PriorRequestNotComplete"],
    ...["RequestLimitExceeded", "RequestThrottled", "RequestThrottledException", "SlowDown"],
    ...["ThrottledException", "Throttling", "ThrottlingException", "TooManyRequestsException"],
  ),
  // Status 503 is not in this row, because a proxy returns 503 when the proxy stops waiting for a host that may still
  // act.
  row("HTTP", "status", "not-performed", 425, 429),
  row("HTTP", "status", "ambiguous", 408),
  row("HTTP", "status", "permanent", 501, 505),

  row("Node.js", "code", "not-performed", "ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN"),
  // A closed client finishes the requests that it has begun, and takes no new ones. A request that fails with
  // `UND_ERR_CLOSED` was therefore not sent.
  row("undici", "code", "not-performed", "UND_ERR_CONNECT_TIMEOUT", "UND_ERR_CLOSED"),
  // These codes are ambiguous, because an established connection can also end with them. If `connect` failed, the
  // system call of the error shows that no request was sent.
  row("Node.js", "code", "ambiguous", "EHOSTUNREACH", "ENETUNREACH"),
  row("Node.js", "code", "ambiguous", "ECONNRESET", "ECONNABORTED", "EPIPE", "ETIMEDOUT", "ABORT_ERR"),
  row("Node.js", "code", "ambiguous", "ERR_STREAM_PREMATURE_CLOSE", "ERR_SOCKET_CLOSED"),
  row("undici", "code", "ambiguous", "UND_ERR_SOCKET", "UND_ERR_HEADERS_TIMEOUT", "UND_ERR_BODY_TIMEOUT"),
  row("undici", "code", "ambiguous", "UND_ERR_ABORTED", "UND_ERR_DESTROYED"),
  // Methods of a response throw errors with this code. The server has therefore already answered, and the effect may
  // have happened.
  row("undici", "code", "ambiguous", "UND_ERR_NOT_SUPPORTED"),
  row("undici", "code", "permanent", "UND_ERR_INVALID_ARG"),
  row("axios", "code", "ambiguous", "ERR_NETWORK", "ERR_CANCELED", "ERR_BAD_RESPONSE"),
  row("axios", "code", "permanent", "ERR_BAD_REQUEST", "ERR_BAD_OPTION", "ERR_BAD_OPTION_VALUE"),
  row("got", "code", "ambiguous", "ERR_READING_RESPONSE_STREAM", "ERR_BODY_PARSE_FAILURE", "ERR_UPLOAD"),
  row("got", "code", "permanent", "ERR_UNSUPPORTED_PROTOCOL"),
  row("Node.js", "code", "permanent", "ERR_INVALID_URL", "ERR_INVALID_ARG_TYPE", "ERR_INVALID_ARG_VALUE"),
  row("Node.js, TLS", "code", "permanent", "ERR_TLS_CERT_ALTNAME_INVALID", "CERT_HAS_EXPIRED"),
  row("Node.js, TLS", "code", "permanent", "DEPTH_ZERO_SELF_SIGNED_CERT", "SELF_SIGNED_CERT_IN_CHAIN"),
  row("Node.js, files", "code", "permanent", "EACCES", "EPERM", "ENOENT", "EEXIST", "ENOTDIR", "EISDIR"),
  row(
    "Node.js, files",
    "code",
    "permanent",
    "ENOTEMPTY",
    "EROFS",
    "EXDEV",
    "ENAMETOOLONG",
    "ELOOP",
    "EINVAL",
  ),

  // Each entry is a whole SQLSTATE or a class of SQLSTATEs. With each of them, the server has rejected the connection
  // or rolled the transaction back.
  row(
    "PostgreSQL",
    "sqlstate",
    "not-performed",
    "08001",
    "08004",
    "57P03",
    "53300",
    "40001",
    "40P01",
    "55P03",
  ),
  row(
    "PostgreSQL",
    "sqlstate",
    "permanent",
    "0A",
    "22",
    "23",
    "25",
    "26",
    "28",
    "2B",
    "3D",
    "3F",
    "42",
    "44",
  ),
  row("pg", "message", "not-performed", "timeout expired", "timeout exceeded when trying to connect"),
  row("pg", "message", "not-performed", "Connection terminated due to connection timeout"),
  row("pg", "message", "not-performed", "Client was closed and is not queryable"),
  row(
    ...(["pg", "message", "not-performed"] as const),
    "Client has encountered a connection error and is not queryable",
    "Cannot use a pool after calling end on the pool",
  ),
  row("pg", "message", "ambiguous", "Connection terminated unexpectedly", "Connection terminated"),
  row("pg", "message", "ambiguous", "Query read timeout"),

  // RESOURCE_EXHAUSTED is ambiguous, because a client also reports it for an answer that exceeds the client's own size
  // limit. UNAVAILABLE is ambiguous, because its documentation states that a repetition is not always safe.
  row("gRPC", "grpc", "ambiguous", 8, 14),
  // These codes are INVALID_ARGUMENT, NOT_FOUND, ALREADY_EXISTS, PERMISSION_DENIED, FAILED_PRECONDITION, OUT_OF_RANGE,
  // UNIMPLEMENTED and UNAUTHENTICATED.
  row("gRPC", "grpc", "permanent", 3, 5, 6, 7, 9, 11, 12, 16),

  row("fetch", "message", "ambiguous", "fetch failed", "terminated"),
];

function row(
  from: string,
  by: KnownError["by"],
  kind: FaultKind,
  ...is: readonly (string | number)[]
): KnownError {
  return { from, by, kind, is };
}
