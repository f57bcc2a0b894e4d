import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import {
  type AdapterContext,
  CapabilityError,
  isJsonObject,
  type Json,
  type JsonObject,
  ParaphError,
} from "@paraph/core";
import { parse } from "yaml";
import type { HttpAgents } from "../egress/http-agents.ts";
import { toStatusFault } from "../egress/http-fault.ts";
import { sendRequest } from "../egress/send-request.ts";
import type { OpenapiConfig } from "./config.ts";

export interface ApiDocument {
  readonly root: JsonObject;
  /** The OpenAPI version. Schemas of version 3.0 use their own dialect of JSON Schema. */
  readonly version: "3.0" | "3.1" | "3.2";
  /** The URL of a fetched document, or undefined for the operator's own file. */
  readonly from: URL | undefined;
}

const maxDocumentBytes = 10 * 1024 * 1024;

export async function readApiDocument(
  { document = "", shipped }: Pick<OpenapiConfig, "document" | "shipped">,
  adapterContext: AdapterContext,
  agents: HttpAgents,
): Promise<ApiDocument> {
  const from = /^https?:\/\//i.test(document) ? new URL(document) : undefined;
  const path = shipped
    ? new URL(`./shipped/${shipped}.yaml`, import.meta.url)
    : resolve(adapterContext.folder, document);
  const text = from ? await fetchDocument(from, agents, adapterContext.signal) : await readDocumentFile(path);
  const root = parseDocument(text, from);
  return { root, version: readVersion(root), from };
}

async function fetchDocument(url: URL, agents: HttpAgents, signal: AbortSignal): Promise<string> {
  const answered = await sendRequest(agents, {
    method: "GET",
    url,
    headers: { accept: "application/json, application/yaml;q=0.9, */*;q=0.5" },
    signal,
    maxBytes: maxDocumentBytes,
    canFollow: (next) => next.origin === url.origin,
  });
  const fault = toStatusFault(answered, { method: "GET", attempt: 1 }, "");
  if (fault) throw fault;
  if (answered.cut) throw documentFault("is larger than 10 MiB");
  return answered.body.toString("utf8");
}

async function readDocumentFile(path: string | URL): Promise<string> {
  const bytes = await readFile(path).catch(() => {
    throw new CapabilityError(
      "not-performed",
      "document-missing",
      `Paraph can't read the document \`${String(path)}\`. Check its path and its permissions.`,
    );
  });
  if (bytes.length > maxDocumentBytes) throw documentFault("is larger than 10 MiB");
  return bytes.toString("utf8");
}

/**
 * Parses a document. A YAML parser could also read most JSON, but it is a hundred times slower than a JSON parser. The
 * function therefore parses JSON with a JSON parser.
 *
 * [TRUST 24] The YAML parser takes quadratic time to find a name that occurs twice. In a document of others, the last one
 * therefore counts, as in JSON.
 */
function parseDocument(text: string, from: URL | undefined): JsonObject {
  let root: Json;
  try {
    root = /^\s*\{/.test(text)
      ? JSON.parse(text)
      : toPlainJson(parse(text, { maxAliasCount: 100, schema: "core", uniqueKeys: from === undefined }));
  } catch {
    throw documentFault("is neither JSON nor YAML");
  }
  if (!isJsonObject(root)) throw documentFault("is not an object");
  return root;
}

/** Converts a parsed YAML value to plain JSON, because YAML has aliases and dates, which JSON lacks. */
function toPlainJson(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}

function readVersion({ openapi, swagger }: JsonObject): ApiDocument["version"] {
  const version = /^3\.[012](?=\.|$)/.exec(String(openapi ?? ""))?.[0];
  if (version) return version as ApiDocument["version"];
  if (swagger !== undefined) throw documentFault("is in the format Swagger 2. Convert it to OpenAPI 3 first");
  throw documentFault("must contain `openapi: 3.0`, `3.1` or `3.2`");
}

export function documentFault(what: string): ParaphError {
  return new ParaphError("adapter-invalid", `The OpenAPI document ${what}.`);
}
