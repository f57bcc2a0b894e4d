import { type Effect, isJsonObject, type Json, type JsonObject } from "@paraph/core";
import { type OpenapiConfig, type OperationTerms, operationTerms } from "./config.ts";
import type { ApiDocument } from "./document.ts";
import { resolveReference, toObject, UnusableOperation } from "./document-node.ts";
import { listSensitiveOutput } from "./output.ts";
import { hasHeaderParameter, type Parameter, readParameters } from "./parameter.ts";
import { type RequestBody, readRequestBody } from "./request-body.ts";
import { listSensitivePaths, SchemaBuilder } from "./schema.ts";
import { type CredentialPlacement, listPlacements } from "./security.ts";
import { findServer } from "./server.ts";
import { toVerb } from "./verb.ts";

/** One parsed operation of a document, with everything that the adapter needs to offer and send it. */
export interface ApiOperation {
  readonly verb: string;
  readonly id: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly server: URL;
  readonly parameters: readonly Parameter[];
  readonly body: RequestBody | undefined;
  readonly placements: readonly CredentialPlacement[];
  /** The header for the idempotency key, if the host supports one. */
  readonly keyHeader: string | undefined;
  readonly effect: Effect;
  readonly terms: OperationTerms;
  /** The JSON Schema of the input. */
  readonly input: JsonObject;
  /** The masked fields of input and output. */
  readonly sensitive: readonly string[];
  /** The masked fields of the output. */
  readonly sensitiveOutput: readonly string[];
}

export const operationMethods = ["get", "head", "query", "put", "post", "patch", "delete"];

const effectByMethod: Record<string, Effect> = {
  GET: "read",
  HEAD: "read",
  QUERY: "read",
  DELETE: "destroy",
};

/**
 * Parses an operation. Throws `UnusableOperation` if the adapter cannot use the operation. The caller then skips only
 * this operation.
 */
export function readOperation(
  document: ApiDocument,
  path: string,
  item: JsonObject,
  name: string,
  config: OpenapiConfig,
): ApiOperation {
  const { root } = document;
  const raw = toObject(item[name]);
  const method = name.toUpperCase();
  const id = typeof raw.operationId === "string" ? raw.operationId : undefined;
  const verb = toVerb(method, path, id);
  const terms = {
    ...readOwnTerms(document, raw),
    ...(config.overrides[verb] ?? config.overrides[id ?? verb]),
  };
  const effect = terms.effect ?? effectByMethod[method] ?? "write";
  const parameters = readParameters(root, item, raw);
  const body = method === "GET" || method === "HEAD" ? undefined : readRequestBody(root, raw);
  const input = toInputSchema(document, parameters, body);
  const marked = terms.sensitive ?? [];
  const hiddenOutput = listSensitiveOutput(document, raw, marked);
  return {
    verb,
    id,
    method,
    path,
    parameters,
    body,
    effect,
    terms,
    input,
    summary: toSummary(raw, method, path),
    server: findServer(document, item, raw, config.server),
    placements: listPlacements(root, raw, config.credential),
    keyHeader: toKeyHeader(method, hasHeaderParameter(root, item, raw, "idempotency-key"), terms, config),
    sensitive: [...new Set([...listSensitivePaths(input, "", marked), ...hiddenOutput, ...marked])],
    sensitiveOutput: hiddenOutput,
  };
}

/**
 * Reads `x-paraph` from the operator's own file. In a fetched document it is ignored, because a host must not rate its
 * own operations.
 */
function readOwnTerms({ from }: ApiDocument, raw: JsonObject): OperationTerms {
  if (from || raw["x-paraph"] === undefined) return {};
  const read = operationTerms.safeParse(raw["x-paraph"]);
  if (read.success) return read.data;
  const { path, message } = read.error.issues[0]!;
  throw new UnusableOperation(`its \`x-paraph\` is invalid (${path.join(".")}: ${message})`);
}

/**
 * Returns the header for the idempotency key. An operation that the terms declare as `keyed` has such a header even if
 * the document declares none.
 */
function toKeyHeader(
  method: string,
  declared: boolean,
  { idempotency }: OperationTerms,
  { idempotencyKey }: OpenapiConfig,
): string | undefined {
  const usual = "idempotency-key";
  if (declared) return usual;
  const configured = idempotencyKey === true ? usual : idempotencyKey?.toLowerCase();
  if (idempotency === "keyed") return configured ?? usual;
  return method === "POST" || method === "PATCH" ? configured : undefined;
}

function toInputSchema(
  document: ApiDocument,
  parameters: readonly Parameter[],
  body: RequestBody | undefined,
): JsonObject {
  const schemas = new SchemaBuilder(document);
  const fields = parameters.map(({ field, schema, description }) => {
    const made = schemas.build(resolveReference(document.root, schema));
    return [
      field,
      isJsonObject(made) && description !== undefined ? { description, ...made } : made,
    ] as const;
  });
  const properties: Record<string, Json> = {
    ...Object.fromEntries(fields),
    ...(body && { body: schemas.build(body.schema) }),
  };
  const required = parameters.filter((each) => each.required).map(({ field }) => field);
  return {
    type: "object",
    properties,
    required: body?.required ? [...required, "body"] : required,
    additionalProperties: false,
    ...schemas.defs,
  };
}

function toSummary({ summary, description }: JsonObject, method: string, path: string): string {
  const said = [summary, description].find((text) => typeof text === "string" && text.trim() !== "");
  const line = String(said ?? `${method} ${path}`)
    .trim()
    .split(/\r?\n/)[0]!;
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
