import { CapabilityError, isJsonObject, type Json, type JsonObject } from "@paraph/core";
import { resolveReference, toObject, UnusableOperation } from "./document-node.ts";
import { encodeComponent } from "./request-url.ts";

export interface RequestBody {
  readonly mediaType: string;
  readonly kind: "json" | "form" | "text";
  readonly required: boolean;
  readonly schema: Json;
}

export function readRequestBody(root: JsonObject, operation: JsonObject): RequestBody | undefined {
  const body = resolveReference(root, operation.requestBody);
  if (!isJsonObject(body)) return undefined;
  const offered = Object.entries(toObject(body.content));
  for (const { kind, fits, as } of bodyMediaTypes) {
    const found = offered.find(([name]) => fits.test(name.split(";")[0]!.trim()));
    if (!found) continue;
    const schema = toObject(resolveReference(root, found[1])).schema ?? true;
    return { mediaType: as ?? found[0], kind, required: body.required === true, schema };
  }
  if (offered.length === 0 || body.required !== true) return undefined;
  throw new UnusableOperation("its body is neither JSON, a form nor text");
}

const bodyMediaTypes: readonly { kind: RequestBody["kind"]; fits: RegExp; as?: string }[] = [
  { kind: "json", fits: /^application\/json$/i },
  { kind: "json", fits: /^[\w.-]+\/[\w.-]+\+json$/i },
  { kind: "json", fits: /^(\*\/\*|application\/\*)$/, as: "application/json" },
  { kind: "form", fits: /^application\/x-www-form-urlencoded$/i },
  { kind: "text", fits: /^text\/plain$/i },
];

export function encodeBody({ kind }: RequestBody, value: Json): string {
  if (kind === "json") return JSON.stringify(value);
  if (kind === "text" && typeof value === "string") return value;
  if (kind === "form" && isJsonObject(value)) return encodeForm(value);
  throw new CapabilityError(
    "permanent",
    "body-invalid",
    "The `body` must be an object for a form, and a string for plain text.",
  );
}

function encodeForm(value: JsonObject): string {
  const text = (each: Json) => (typeof each === "string" ? each : JSON.stringify(each));
  return Object.entries(value)
    .flatMap(([name, each]) => (Array.isArray(each) ? each : [each]).map((one) => [name, text(one)] as const))
    .map(([name, each]) => `${encodeComponent(name)}=${encodeComponent(each)}`)
    .join("&");
}
