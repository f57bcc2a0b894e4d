import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { type AdapterContext, CapabilityError, type Json, type JsonObject, ParaphError } from "@paraph/core";
import { parse } from "yaml";
import type { Ways } from "../../outbound/connect.ts";
import { exchange } from "../../outbound/exchange.ts";
import { statusFault } from "../../outbound/fault.ts";
import type { OpenapiConfig } from "./config.ts";
import { isObject } from "./node.ts";

/** An OpenAPI document, as it was read. */
export interface Document {
  readonly root: JsonObject;
  /** In 3.0 schemas are a dialect of their own. */
  readonly version: "3.0" | "3.1" | "3.2";
  /** Where it was fetched from; nothing where it is a file of the operator's own. */
  readonly from: URL | undefined;
}

const mostBytes = 10 * 1024 * 1024;

export async function readDocument(
  { document: named = "", shipped }: Pick<OpenapiConfig, "document" | "shipped">,
  setting: AdapterContext,
  ways: Ways,
): Promise<Document> {
  const from = /^https?:\/\//i.test(named) ? new URL(named) : undefined;
  const path = shipped
    ? new URL(`./shipped/${shipped}.yaml`, import.meta.url)
    : resolve(setting.folder, named);
  const text = from ? await fetched(from, ways, setting.signal) : await fromFile(path);
  const root = parsed(text);
  return { root, version: versionOf(root), from };
}

async function fetched(url: URL, ways: Ways, signal: AbortSignal): Promise<string> {
  const answered = await exchange(ways, {
    method: "GET",
    url,
    headers: { accept: "application/json, application/yaml;q=0.9, */*;q=0.5" },
    signal,
    mostBytes,
    mayFollow: (next) => next.origin === url.origin,
  });
  const fault = statusFault(answered, { method: "GET", attempt: 1 }, "");
  if (fault) throw fault;
  if (answered.cut) throw unusable("is larger than 10 MiB");
  return answered.body.toString("utf8");
}

async function fromFile(path: string | URL): Promise<string> {
  const bytes = await readFile(path).catch(() => {
    throw new CapabilityError(
      "not-performed",
      "document-missing",
      `There is no document \`${String(path)}\` that can be read.`,
    );
  });
  if (bytes.length > mostBytes) throw unusable("is larger than 10 MiB");
  return bytes.toString("utf8");
}

/** Most JSON is YAML too, but a hundred times faster to read as what it is. */
function parsed(text: string): JsonObject {
  let root: Json;
  try {
    root = /^\s*\{/.test(text)
      ? JSON.parse(text)
      : plain(parse(text, { maxAliasCount: 100, schema: "core" }));
  } catch {
    throw unusable("is neither JSON nor YAML");
  }
  if (!isObject(root)) throw unusable("is no object");
  return root;
}

/** As JSON has it: YAML can give one thing two places, and dates. */
function plain(value: unknown): Json {
  return JSON.parse(JSON.stringify(value ?? null));
}

function versionOf({ openapi, swagger }: JsonObject): Document["version"] {
  const version = /^3\.[012](?=\.|$)/.exec(String(openapi ?? ""))?.[0];
  if (version) return version as Document["version"];
  if (swagger !== undefined) throw unusable("is Swagger 2: convert it to OpenAPI 3 first");
  throw unusable("does not say `openapi: 3.0`, `3.1` or `3.2`");
}

export function unusable(what: string): ParaphError {
  return new ParaphError("adapter-invalid", `The OpenAPI document ${what}.`);
}
