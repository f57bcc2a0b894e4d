import type { Prompt, Resource, ResourceTemplateType, Tool } from "@modelcontextprotocol/client";
import { canonical, digest, type Json, type JsonObject } from "@paraph/core";
import type { Link } from "./link.ts";

/** What a server says of one thing it offers, with everything of it that anybody is ever shown. */
export type Definition =
  | { readonly kind: "tool"; readonly tool: Tool }
  | { readonly kind: "prompt"; readonly prompt: Prompt };

export interface Listed {
  readonly definitions: readonly Definition[];
  readonly resources: readonly Resource[];
  readonly templates: readonly ResourceTemplateType[];
  /** Names of those that cannot be told apart, called or kept. */
  readonly unusable: readonly string[];
  readonly hasResources: boolean;
}

/** Everything the server offers now. */
export async function listed(link: Link, signal: AbortSignal): Promise<Listed> {
  const client = link.now();
  const { tools, prompts, resources } = client.getServerCapabilities() ?? {};
  const options = { signal, cacheMode: "bypass" } as const;
  const [toolList, promptList, resourceList, templateList] = await Promise.all([
    tools ? client.listTools(undefined, options).then((each) => each.tools) : [],
    prompts ? client.listPrompts(undefined, options).then((each) => each.prompts) : [],
    // They come and go, and no contract names them: without them the tools are what they were.
    resources ? client.listResources(undefined, options).then((each) => each.resources, none) : [],
    resources
      ? client.listResourceTemplates(undefined, options).then((each) => each.resourceTemplates, none)
      : [],
  ]);
  const all: Definition[] = [
    ...toolList.map((tool) => ({ kind: "tool" as const, tool: shownOfTool(tool) })),
    ...promptList.map((prompt) => ({ kind: "prompt" as const, prompt: shownOfPrompt(prompt) })),
  ];
  const usable = new Map<string, Definition>();
  const unusable: string[] = [];
  for (const definition of all) {
    if (usable.has(idOf(definition)) || !isKeepable(definition)) unusable.push(nameOf(definition));
    else usable.set(idOf(definition), definition);
  }
  return {
    definitions: [...usable.values()],
    resources: resourceList.slice(0, mostResources),
    templates: templateList.slice(0, mostResources),
    unusable,
    hasResources: resources !== undefined,
  };
}

/** What tells it from everything else of this server. */
export function idOf(definition: Definition): string {
  return `${definition.kind}:${nameOf(definition)}`;
}

export function nameOf(definition: Definition): string {
  return definition.kind === "tool" ? definition.tool.name : definition.prompt.name;
}

/** What is pinned: nothing else of a definition reaches an agent or a person. */
function shownOfTool({
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

function shownOfPrompt({ name, title, description, arguments: given }: Prompt): Prompt {
  return {
    name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    ...(given !== undefined && { arguments: given }),
  };
}

/** Half a character in a name has no digest, and what is too large no place. */
function isKeepable(definition: Definition): boolean {
  try {
    return canonical(definition as unknown as Json).length <= longestDefinition;
  } catch {
    return false;
  }
}

const none = () => [];
const mostResources = 1_000;
const longestDefinition = 256 * 1024;

/** Over the whole of it; known for as long as the same is asked about, which is at every call. */
export function digestOf(definition: Definition): string {
  const key = definition.kind === "tool" ? definition.tool : definition.prompt;
  const known = digests.get(key) ?? digest(asJson(definition));
  digests.set(key, known);
  return known;
}

const digests = new WeakMap<Tool | Prompt, string>();

export function asJson(definition: Definition): JsonObject {
  return JSON.parse(JSON.stringify(definition));
}
