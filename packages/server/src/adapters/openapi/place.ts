import { CapabilityError, type Json, type JsonObject } from "@paraph/core";
import { headerValue } from "../../outbound/header.ts";
import { isObject } from "./node.ts";
import type { Parameter } from "./parameter.ts";

/** The path of a template with its values in it, each as one segment that cannot become anything else. */
export function pathOf(template: string, parameters: readonly Parameter[], input: JsonObject): string {
  return template.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    const value = parameter && input[parameter.field];
    if (parameter === undefined || value === undefined) throw pathInvalid(name);
    return segment(simple(value, parameter.explode), name);
  });
}

/**
 * [TRUST 18] Encoded as a whole, and refused where somebody on the way who decodes it once more, as some proxies do,
 * would see the path go somewhere else.
 */
function segment(text: string, name: string): string {
  let seen = text;
  for (let rounds = 0; rounds < 3; rounds++) {
    const steps = seen.split(/[/\\]/);
    if (seen === "" || steps.some((step) => /^\.{1,2}(;.*)?$/.test(step)) || hasControl(seen))
      throw pathInvalid(name);
    seen = decoded(seen);
  }
  return encoded(text);
}

function hasControl(text: string): boolean {
  return [...text].some((character) => character < " " || character === "\x7f");
}

function decoded(text: string): string {
  return text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}

/** The whole URL. What the URL parser would make of it must be what was built, to the letter. */
export function placeOf(server: URL, path: string, query: readonly (readonly [string, string])[]): URL {
  const whole = `${server.pathname.replace(/\/$/, "")}${path}`;
  const search = query.map(([name, value]) => `${encoded(name)}=${encoded(value)}`).join("&");
  const url = new URL(`${server.origin}${whole}${search && `?${search}`}`);
  if (url.origin !== server.origin || url.pathname !== whole || url.search !== (search && `?${search}`))
    throw pathInvalid("path");
  return url;
}

export function queryOf(parameters: readonly Parameter[], input: JsonObject): [string, string][] {
  return given(parameters, "query", input).flatMap(([parameter, value]) => pairs(parameter, value));
}

export function headersOf(parameters: readonly Parameter[], input: JsonObject): Record<string, string> {
  return Object.fromEntries(
    given(parameters, "header", input).map(([{ name, explode }, value]) => [
      name.toLowerCase(),
      headerValue(name, simple(value, explode)),
    ]),
  );
}

function given(
  parameters: readonly Parameter[],
  place: Parameter["in"],
  input: JsonObject,
): [Parameter, Json][] {
  return parameters
    .filter((parameter) => parameter.in === place && input[parameter.field] !== undefined)
    .map((parameter) => [parameter, input[parameter.field]!]);
}

function pairs({ name, style, explode }: Parameter, value: Json): [string, string][] {
  if (style === "json") return [[name, JSON.stringify(value)]];
  if (Array.isArray(value)) {
    const texts = value.map(plain);
    if (explode) return texts.map((text) => [name, text]);
    return [[name, texts.join({ spaceDelimited: " ", pipeDelimited: "|" }[style as string] ?? ",")]];
  }
  if (!isObject(value)) return [[name, plain(value)]];
  const entries = Object.entries(value).map(([key, each]): [string, string] => [key, plain(each)]);
  if (style === "deepObject") return entries.map(([key, text]) => [`${name}[${key}]`, text]);
  return explode ? entries : [[name, entries.flat().join(",")]];
}

/** The style of paths and headers. */
function simple(value: Json, explode: boolean): string {
  if (Array.isArray(value)) return value.map(plain).join(",");
  if (!isObject(value)) return plain(value);
  const entries = Object.entries(value).map(([key, each]) => [key, plain(each)]);
  return entries.map((entry) => entry.join(explode ? "=" : ",")).join(",");
}

function plain(value: Json): string {
  return typeof value === "string" ? value : value === null ? "" : JSON.stringify(value);
}

/** Everything but letters, digits and `-_.~`: no server reads anything into what is left. */
export function encoded(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function pathInvalid(name: string): CapabilityError {
  return new CapabilityError(
    "permanent",
    "path-invalid",
    `\`${name}\` cannot be a part of a path: it is empty, leads elsewhere or has control characters in it.`,
  );
}
