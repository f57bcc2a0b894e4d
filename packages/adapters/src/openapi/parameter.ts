import { isJsonObject, type Json, type JsonObject } from "@paraph/core";
import { isAgentHeader } from "../egress/agent-headers.ts";
import { resolveReference, toList, toObject, UnusableOperation } from "./document-node.ts";

export type ParameterPlace = "path" | "query" | "header";

/** One parameter of an operation, as agents see it. */
export interface Parameter {
  /** The name of the parameter's field in the input. */
  readonly field: string;
  readonly name: string;
  readonly in: ParameterPlace;
  readonly required: boolean;
  readonly schema: Json;
  readonly description: string | undefined;
  readonly style: "simple" | "form" | "deepObject" | "spaceDelimited" | "pipeDelimited" | "json";
  readonly explode: boolean;
}

/**
 * Reads the parameters of the path and the operation. A parameter of the operation overrides one of the path. The
 * result omits parameters that Paraph itself sends.
 */
export function readParameters(
  root: JsonObject,
  path: JsonObject,
  operation: JsonObject,
): readonly Parameter[] {
  const byPlace = new Map<string, JsonObject>();
  for (const raw of [...toList(path.parameters), ...toList(operation.parameters)]) {
    const parameter = toObject(resolveReference(root, raw));
    byPlace.set(`${parameter.in} ${parameter.name}`, parameter);
  }
  const offered = [...byPlace.values()].filter(isOfferedParameter);
  const names = offered.map(({ name }) => name);
  return offered.map((parameter) => {
    const twice = names.filter((name) => name === parameter.name).length > 1 || parameter.name === "body";
    return readParameter(parameter, twice ? `${parameter.name}_${parameter.in}` : String(parameter.name));
  });
}

/** Whether an operation has this header parameter. The comparison ignores upper and lower case. */
export function hasHeaderParameter(
  root: JsonObject,
  path: JsonObject,
  operation: JsonObject,
  name: string,
): boolean {
  return [...toList(path.parameters), ...toList(operation.parameters)].some((raw) => {
    const parameter = toObject(resolveReference(root, raw));
    return parameter.in === "header" && String(parameter.name).toLowerCase() === name;
  });
}

function isOfferedParameter(parameter: JsonObject): boolean {
  const { name, in: place, required } = parameter;
  if (typeof name !== "string" || name === "") throw new UnusableOperation("a parameter has no name");
  if (place === "path" || place === "query") return true;
  const ours = ["accept", "content-type", "authorization", "idempotency-key", "if-match", "if-none-match"];
  if (place === "header" && (ours.includes(name.toLowerCase()) || isAgentHeader(name)))
    return !ours.includes(name.toLowerCase());
  if (required === true)
    throw new UnusableOperation(`it needs a parameter in \`${String(place)}\` that agents cannot set`);
  return false;
}

function readParameter(parameter: JsonObject, field: string): Parameter {
  const place = parameter.in as ParameterPlace;
  const content = isJsonObject(parameter.content) ? Object.entries(parameter.content)[0] : undefined;
  const style = content ? "json" : String(parameter.style ?? (place === "query" ? "form" : "simple"));
  const known =
    place === "query" ? ["form", "deepObject", "spaceDelimited", "pipeDelimited", "json"] : ["simple"];
  if (!known.includes(style))
    throw new UnusableOperation(`a parameter has the unsupported style \`${style}\``);
  if (content && !/json/i.test(content[0]))
    throw new UnusableOperation("a parameter has content that is not JSON");
  return {
    field,
    name: String(parameter.name),
    in: place,
    required: place === "path" || parameter.required === true,
    schema: (content ? toObject(content[1]).schema : parameter.schema) ?? true,
    description: typeof parameter.description === "string" ? parameter.description : undefined,
    style: style as Parameter["style"],
    explode: typeof parameter.explode === "boolean" ? parameter.explode : style === "form",
  };
}
