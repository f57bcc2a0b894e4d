import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/client";
import { canonical, digest, type Json, type JsonObject } from "@paraph/core";
import type { McpConnection } from "../connection/mcp-connection.ts";

/** The definition of a tool or a prompt, with every field that Paraph shows to people or agents. */
export type ServerDefinition =
  | { readonly kind: "tool"; readonly tool: Tool }
  | { readonly kind: "prompt"; readonly prompt: Prompt };

/** A definition that Paraph does not offer, and why. */
export interface UnusableDefinition {
  readonly name: string;
  /** The reason, for people. It contains no text of the server. */
  readonly reason: string;
}

export interface ServerListing {
  readonly definitions: readonly ServerDefinition[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** The definitions that cannot be distinguished, called or stored. */
  readonly unusable: readonly UnusableDefinition[];
  readonly hasResources: boolean;
}

/** Lists everything that the server offers now. */
export async function listDefinitions(link: McpConnection, signal: AbortSignal): Promise<ServerListing> {
  const client = link.requireClient();
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const options = { signal, cacheMode: "bypass" } as const;
  const [toolList, promptList, resourceList, templateList] = await Promise.all([
    tools ? client.listTools(undefined, options).then((each) => each.tools) : [],
    prompts ? client.listPrompts(undefined, options).then((each) => each.prompts) : [],
    // If listing the resources fails, the list is empty. The tools stay usable, because no contract names a resource.
    resources ? client.listResources(undefined, options).then((each) => each.resources, emptyList) : [],
    resources
      ? client.listResourceTemplates(undefined, options).then((each) => each.resourceTemplates, emptyList)
      : [],
  ]);
  const all: ServerDefinition[] = [
    ...toolList.map((tool) => ({ kind: "tool" as const, tool: pickToolFields(tool) })),
    ...promptList.map((prompt) => ({ kind: "prompt" as const, prompt: pickPromptFields(prompt) })),
  ];
  const usable = new Map<string, ServerDefinition>();
  const unusable: UnusableDefinition[] = [];
  for (const definition of all) {
    const name = getDefinitionName(definition);
    if (usable.size === maxDefinitions) unusable.push({ name, reason: "too many" });
    else if (usable.has(toDefinitionId(definition))) unusable.push({ name, reason: "named twice" });
    else if (!isPinnable(definition)) unusable.push({ name, reason: "too large or invalid Unicode" });
    else usable.set(toDefinitionId(definition), definition);
  }
  return {
    definitions: [...usable.values()],
    resources: resourceList.slice(0, maxResources),
    templates: templateList.slice(0, maxResources),
    unusable,
    hasResources: resources !== undefined,
  };
}

/** Returns an id that is unique within the server. */
export function toDefinitionId(definition: ServerDefinition): string {
  return `${definition.kind}:${getDefinitionName(definition)}`;
}

export function getDefinitionName(definition: ServerDefinition): string {
  return definition.kind === "tool" ? definition.tool.name : definition.prompt.name;
}

/** Picks the pinned fields. No other field of a definition reaches an agent or a person. */
function pickToolFields({
  name,
  title,
  description,
  inputSchema,
  outputSchema,
  annotations,
  execution,
}: Tool): Tool {
  return {
    name,
    inputSchema,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(annotations !== undefined && { annotations }),
    ...(execution !== undefined && { execution }),
  };
}

function pickPromptFields({ name, title, description, arguments: given }: Prompt): Prompt {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(given !== undefined && { arguments: given }),
  };
}

/**
 * Whether the definition can be pinned. A definition with an unpaired surrogate has no digest and cannot be pinned. The
 * same applies to a definition that is too large.
 */
function isPinnable(definition: ServerDefinition): boolean {
  try {
    return canonical(definition as unknown as Json).length <= maxDefinitionLength;
  } catch {
    return false;
  }
}

const emptyList = () => [];
const maxResources = 1_000;
/** [TRUST 24] The maximum number of tools and prompts. Paraph compiles every definition, and reads it at every listing. */
const maxDefinitions = 2_000;
const maxDefinitionLength = 256 * 1024;

/** Returns the digest of the whole definition. It is cached, because every call needs it. */
export function digestDefinition(definition: ServerDefinition): string {
  const key = definition.kind === "tool" ? definition.tool : definition.prompt;
  const known = digests.get(key) ?? digest(toDefinitionJson(definition));
  digests.set(key, known);
  return known;
}

const digests = new WeakMap<Tool | Prompt, string>();

export function toDefinitionJson(definition: ServerDefinition): JsonObject {
  return JSON.parse(JSON.stringify(definition));
}
