/** The facts that can be read from an error of any client. */
export interface ErrorTraits {
  readonly name?: string;
  readonly status?: number;
  readonly code?: string;
  /** The system call that failed. If `connect` failed, the client has sent nothing. */
  readonly syscall?: string;
  readonly sqlstate?: string;
  readonly grpc?: number;
  readonly message: string;
  /** Whether the error came from a client that had sent a request, or was about to send one. */
  readonly fromTheWire: boolean;
}

type Fields = Record<string, unknown>;

/**
 * Reads the traits of an error and of its causes, starting with the outermost error. It reads the causes because
 * clients wrap system errors.
 */
export function readErrorTraits(error: unknown): ErrorTraits {
  const chain = listCauses(error);
  const [outer] = chain;
  if (outer === undefined)
    return { message: "The capability threw a value that is not an error.", fromTheWire: false };
  const first = <T>(read: (each: Fields) => T | undefined): T | undefined =>
    chain.map(read).find((found) => found !== undefined);
  const status = first(readStatus);
  const sqlstate = first(readSqlstate);
  const grpc = first(readGrpcCode);
  const code = first(({ code }) => (typeof code === "string" && code !== sqlstate ? code : undefined));
  const syscall = first(({ syscall }) => text(syscall));
  return {
    ...given("name", pickFields(chain)),
    ...given("status", status),
    ...given("code", code),
    ...given("syscall", syscall),
    ...given("sqlstate", sqlstate),
    ...given("grpc", grpc),
    message: text(outer.message) ?? "The capability failed without a message.",
    fromTheWire:
      [status, sqlstate, grpc, syscall].some((found) => found !== undefined) ||
      chain.some((each) => "$metadata" in each || each.isAxiosError === true) ||
      /^(?:E[A-Z0-9]{3,}|ERR_[A-Z0-9_]+|UND_ERR_[A-Z_]+|HPE_[A-Z_]+)$/.test(code ?? ""),
  };
}

function listCauses(error: unknown): Fields[] {
  const chain: Fields[] = [];
  for (let each = error; isObject(each) && chain.length < maxCauses; each = each.cause) chain.push(each);
  return chain;
}

/**
 * Returns the first specific error name, starting with the outermost error. Skips the names of `Error` and its built-in
 * subclasses, because they carry no information.
 */
function pickFields(chain: readonly Fields[]): string | undefined {
  const names = chain.flatMap(({ name }) => text(name) ?? []);
  return names.find((name) => !/^(?:Type|Range|Reference|Syntax|Aggregate)?Error$/.test(name));
}

function readStatus({ status, statusCode, response, $metadata }: Fields): number | undefined {
  const inner = isObject(response) ? response : {};
  const aws = isObject($metadata) ? $metadata.httpStatusCode : undefined;
  const all = [status, statusCode, inner.status, inner.statusCode, aws];
  return all.find((each): each is number => typeof each === "number" && each >= 100 && each < 1_000);
}

/**
 * Returns the SQLSTATE if the error comes from PostgreSQL. Such an error has a severity and a code of five characters.
 */
function readSqlstate({ code, severity }: Fields): string | undefined {
  return typeof severity === "string" && typeof code === "string" && /^[0-9A-Z]{5}$/.test(code)
    ? code
    : undefined;
}

function readGrpcCode({ code, details, metadata }: Fields): number | undefined {
  return typeof code === "number" && typeof details === "string" && isObject(metadata) ? code : undefined;
}

function given<K extends string, T>(name: K, value: T | undefined): { readonly [P in K]?: T } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [P in K]?: T };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

const maxCauses = 5;
