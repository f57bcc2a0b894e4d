import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/client";
import { canonical, digest, type Json, type JsonObject } from "@paraph/core";
import type { McpConnection } from "../connection/mcp-connection.ts";

/** What a server says of one thing it offers, with everything of it that anybody is ever shown. */
export type ServerDefinition =
  | { readonly kind: "tool"; readonly tool: Tool }
  | { readonly kind: "prompt"; readonly prompt: Prompt };

export interface ServerListing {
  readonly definitions: readonly ServerDefinition[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** Names of those that cannot be told apart, called or kept. */
  readonly unusable: readonly string[];
  readonly hasResources: boolean;
}

/** Everything the server offers now. */
export async function listDefinitions(link: McpConnection, signal: AbortSignal): Promise<ServerListing> {
  const client = link.requireClient();
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const options = { signal, cacheMode: "bypass" } as const;
  const [toolList, promptList, resourceList, templateList] = await Promise.all([
    tools ? client.listTools(undefined, options).then((each) => each.tools) : [],
    prompts ? client.listPrompts(undefined, options).then((each) => each.prompts) : [],
    // They come and go, and no contract names them: without them the tools are what they were.
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
  const unusable: string[] = [];
  for (const definition of all) {
    if (usable.has(toDefinitionId(definition)) || !isPinnable(definition))
      unusable.push(getDefinitionName(definition));
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

/** What tells it from everything else of this server. */
export function toDefinitionId(definition: ServerDefinition): string {
  return `${definition.kind}:${getDefinitionName(definition)}`;
}

export function getDefinitionName(definition: ServerDefinition): string {
  return definition.kind === "tool" ? definition.tool.name : definition.prompt.name;
}

/** What is pinned: nothing else of a definition reaches an agent or a person. */
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

/** Half a character in a name has no digest, and what is too large no place. */
function isPinnable(definition: ServerDefinition): boolean {
  try {
    return canonical(definition as unknown as Json).length <= maxDefinitionLength;
  } catch {
    return false;
  }
}

const emptyList = () => [];
const maxResources = 1_000;
const maxDefinitionLength = 256 * 1024;

/** Over the whole of it; known for as long as the same is asked about, which is at every call. */
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
