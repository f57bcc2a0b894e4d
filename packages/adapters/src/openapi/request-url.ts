import { CapabilityError, isJsonObject, type Json, type JsonObject } from "@paraph/core";
import { requireHeaderValue } from "../egress/agent-headers.ts";
import { isUnsafePathSegment } from "../egress/canonical-url.ts";
import type { Parameter } from "./parameter.ts";

/** Fills a path template. Each value becomes one segment and cannot change the rest of the path. */
export function fillPath(template: string, parameters: readonly Parameter[], input: JsonObject): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    const value = parameter && input[parameter.field];
    if (parameter === undefined || value === undefined) throw pathInvalidFault(name);
    return encodeSegment(toSimpleStyle(value, parameter.explode), name);
  });
}

/** Encodes a value as one segment. Throws if it is empty or could change the path. */
function encodeSegment(text: string, name: string): string {
  if (text === "" || isUnsafePathSegment(text)) throw pathInvalidFault(name);
  return encodeComponent(text);
}

/** Builds the URL. Throws if the URL parser changes anything in it. */
export function buildUrl(server: URL, path: string, query: readonly (readonly [string, string])[]): URL {
  const whole = `${server.pathname.replace(/\/$/, "")}${path}`;
  const search = query.map(([name, value]) => `${encodeComponent(name)}=${encodeComponent(value)}`).join("&");
  const url = new URL(`${server.origin}${whole}${search && `?${search}`}`);
  if (url.origin !== server.origin || url.pathname !== whole || url.search !== (search && `?${search}`))
    throw pathInvalidFault("path");
  return url;
}

/**
 * [TRUST 30] Builds the query. The properties of an object can become query parameters, and the agent chooses their
 * names. The function rejects a name that belongs to a secret. It also rejects the name of another declared parameter,
 * because policy expects that parameter in its own field.
 */
export function buildQuery(
  parameters: readonly Parameter[],
  input: JsonObject,
  reserved: readonly string[] = [],
): [string, string][] {
  const declared = parameters.filter((each) => each.in === "query").map(({ name }) => name);
  return listGiven(parameters, "query", input).flatMap(([parameter, value]) => {
    const made = toPairs(parameter, value);
    const taken = [...reserved, ...declared.filter((name) => name !== parameter.name)];
    if (made.some(([name]) => taken.includes(name))) throw queryInvalidFault(parameter.field);
    return made;
  });
}

export function buildHeaders(parameters: readonly Parameter[], input: JsonObject): Record<string, string> {
  return Object.fromEntries(
    listGiven(parameters, "header", input).map(([{ name, explode }, value]) => [
      name.toLowerCase(),
      requireHeaderValue(name, toSimpleStyle(value, explode)),
    ]),
  );
}

function listGiven(
  parameters: readonly Parameter[],
  place: Parameter["in"],
  input: JsonObject,
): [Parameter, Json][] {
  return parameters
    .filter((parameter) => parameter.in === place && input[parameter.field] !== undefined)
    .map((parameter) => [parameter, input[parameter.field]!]);
}

function toPairs({ name, style, explode }: Parameter, value: Json): [string, string][] {
  if (style === "json") return [[name, JSON.stringify(value)]];
  if (Array.isArray(value)) {
    const texts = value.map(toText);
    if (explode) return texts.map((text) => [name, text]);
    return [[name, texts.join({ spaceDelimited: " ", pipeDelimited: "|" }[style as string] ?? ",")]];
  }
  if (!isJsonObject(value)) return [[name, toText(value)]];
  const entries = Object.entries(value).map(([key, each]): [string, string] => [key, toText(each)]);
  if (style === "deepObject") return entries.map(([key, text]) => [`${name}[${key}]`, text]);
  return explode ? entries : [[name, entries.flat().join(",")]];
}

/** Serializes a value in the style that OpenAPI uses for paths and headers. */
function toSimpleStyle(value: Json, explode: boolean): string {
  if (Array.isArray(value)) return value.map(toText).join(",");
  if (!isJsonObject(value)) return toText(value);
  const entries = Object.entries(value).map(([key, each]) => [key, toText(each)]);
  return entries.map((entry) => entry.join(explode ? "=" : ",")).join(",");
}

function toText(value: Json): string {
  return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
}

/** Encodes every character except letters, digits and `-_.~`, so that no server interprets a character as syntax. */
export function encodeComponent(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function queryInvalidFault(field: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "query-invalid",
    `\`${field}\` has a property with the name of another parameter. Send that parameter in its own field.`,
  );
}

function pathInvalidFault(name: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "path-invalid",
    `\`${name}\` is not a valid path segment. It is empty, contains control characters, or would change the path. Send another value.`,
  );
}
