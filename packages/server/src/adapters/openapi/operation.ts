import type { Effect, Json, JsonObject } from "@paraph/core";
import { type Body, bodyOf } from "./body.ts";
import { type OpenapiConfig, type OperationTerms, operationTerms } from "./config.ts";
import type { Document } from "./document.ts";
import { isObject, objectIn, resolved, Unusable } from "./node.ts";
import { sensitiveOutput } from "./output.ts";
import { type Parameter, parametersOf, takesHeader } from "./parameter.ts";
import { Schemas, sensitiveIn } from "./schema.ts";
import { type Placement, placementsOf } from "./security.ts";
import { serverOf } from "./server.ts";
import { verbOf } from "./verb.ts";

/** One operation of a document, read: everything that is needed to offer it and to send it. */
export interface Operation {
  readonly verb: string;
  readonly id: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly server: URL;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly placements: readonly Placement[];
  /** The header for the call's key, where the host performs a request with the same key once. */
  readonly keyHeader: string | undefined;
  readonly effect: Effect;
  readonly terms: OperationTerms;
  /** JSON Schema of what agents send. */
  readonly input: JsonObject;
  /** The fields of input and output that are not shown. */
  readonly sensitive: readonly string[];
  /** Of those, the ones of the output. */
  readonly sensitiveOutput: readonly string[];
}

export const methods = ["get", "head", "query", "put", "post", "patch", "delete"];

const effectOf: Record<string, Effect> = { GET: "read", HEAD: "read", QUERY: "read", DELETE: "destroy" };

/** Throws what it finds unusable: then this one operation is left out. */
export function readOperation(
  document: Document,
  path: string,
  item: JsonObject,
  name: string,
  config: OpenapiConfig,
): Operation {
  const { root } = document;
  const raw = objectIn(item[name]);
  const method = name.toUpperCase();
  const id = typeof raw.operationId === "string" ? raw.operationId : undefined;
  const verb = verbOf(method, path, id);
  const terms = { ...ownTerms(document, raw), ...(config.overrides[verb] ?? config.overrides[id ?? verb]) };
  const effect = terms.effect ?? effectOf[method] ?? "write";
  const parameters = parametersOf(root, item, raw);
  const body = method === "GET" || method === "HEAD" ? undefined : bodyOf(root, raw);
  const input = inputOf(document, parameters, body);
  const marked = terms.sensitive ?? [];
  const hiddenOutput = sensitiveOutput(document, raw, marked);
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
    summary: summaryOf(raw, method, path),
    server: serverOf(document, item, raw, config.server),
    placements: placementsOf(root, raw, config.credential),
    keyHeader: keyHeaderOf(method, takesHeader(root, item, raw, "idempotency-key"), terms, config),
    sensitive: [...new Set([...sensitiveIn(input, "", marked), ...hiddenOutput, ...marked])],
    sensitiveOutput: hiddenOutput,
  };
}

/** A host does not say of its own operations how dangerous they are: only a file of the operator's may. */
function ownTerms({ from }: Document, raw: JsonObject): OperationTerms {
  if (from || raw["x-paraph"] === undefined) return {};
  const read = operationTerms.safeParse(raw["x-paraph"]);
  if (read.success) return read.data;
  const { path, message } = read.error.issues[0]!;
  throw new Unusable(`its \`x-paraph\` is not understood (${path.join(".")}: ${message})`);
}

/** What is said to be keyed has a key, though its document does not know. */
function keyHeaderOf(
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

function inputOf(document: Document, parameters: readonly Parameter[], body: Body | undefined): JsonObject {
  const schemas = new Schemas(document);
  const fields = parameters.map(({ field, schema, description }) => {
    const made = schemas.made(resolved(document.root, schema));
    return [field, isObject(made) && description !== undefined ? { description, ...made } : made] as const;
  });
  const properties: Record<string, Json> = {
    ...Object.fromEntries(fields),
    ...(body && { body: schemas.made(body.schema) }),
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

function summaryOf({ summary, description }: JsonObject, method: string, path: string): string {
  const said = [summary, description].find((text) => typeof text === "string" && text.trim() !== "");
  const line = String(said ?? `${method} ${path}`)
    .trim()
    .split(/\r?\n/)[0]!;
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
