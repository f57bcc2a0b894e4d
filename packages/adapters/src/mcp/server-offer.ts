import {
  type Capability,
  CapabilityError,
  createUnavailableCapability,
  type Duration,
  defineCapability,
  type Facade,
  type FacadePrompt,
  type FacadeResource,
  type FacadeTemplate,
  type JsonObject,
} from "@paraph/core";
import { z } from "zod";
import { createPromptCapability, createResourceCapability } from "./capabilities/read-capabilities.ts";
import { createMcpToolCapability, readToolTraits } from "./capabilities/tool-capability.ts";
import type { McpServerClient } from "./connection/server-client.ts";
import {
  getDefinitionName,
  type ServerDefinition,
  type ServerListing,
  toDefinitionId,
  type UnusableDefinition,
} from "./definitions/definitions.ts";
import type { Pin, PinStatus } from "./definitions/pins.ts";
import { findSuspicions } from "./definitions/suspicion.ts";
import { readResourceVerb } from "./definitions/verbs.ts";
import { filterVisibleResources, listSuspiciousResources } from "./definitions/visible-resources.ts";
import type { FaultRule, ToolTerms } from "./profile/profile.ts";
import { findProfileMismatches } from "./profile/profile-check.ts";
import type { ReadTool } from "./profile/recipe.ts";

/** The operator's terms for a server. The keys of `tools` are the server's own names for its tools. */
export interface ServerTerms {
  readonly tools: Readonly<Record<string, ToolTerms>>;
  readonly faults: readonly FaultRule[];
}

/**
 * The capabilities of a server, with notes for people. For MCP clients, `facade` contains the definitions under the
 * server's own names.
 */
export interface ServerOffer {
  readonly capabilities: readonly Capability[];
  readonly facade: Facade;
  readonly notes: OfferNotes;
}

/** The notes about a server's definitions, for people. */
export interface OfferNotes {
  /** The number of definitions that wait for approval. */
  readonly waiting: number;
  /** The definitions that cannot be used. */
  readonly unusable: readonly UnusableDefinition[];
  /** The names of definitions whose texts a person should review. */
  readonly suspicious: readonly string[];
  /** The names of tools for which the profile contradicts the server's definitions. */
  readonly misfits: readonly string[];
}

interface OfferContext {
  readonly adapter: string;
  readonly server: McpServerClient;
  readonly timeout: Duration;
  readonly terms: ServerTerms;
}

/** Builds the capabilities of a server from its listing and the status of its pins. */
export function createOffer(
  context: OfferContext,
  listed: ServerListing,
  standings: readonly PinStatus[],
): ServerOffer {
  const { adapter, terms } = context;
  const approved = standings.flatMap((each) => (each.kind === "approved" ? [each.pin] : []));
  const verbs = new Map(approved.map(({ definition, verb }) => [toDefinitionId(definition), verb]));
  const capabilityOf = (tool: string) => {
    const verb = verbs.get(`tool:${tool}`);
    return verb === undefined ? undefined : `${adapter}.${verb}`;
  };
  const making = {
    ...context,
    faults: terms.faults,
    look: createPreviewReader(context, approved),
    capabilityOf,
  };
  const make = ({ definition, verb }: Pin): Capability =>
    definition.kind === "tool"
      ? createMcpToolCapability(making, verb, definition.tool, getOwn(terms.tools, definition.tool.name))
      : createPromptCapability(context, verb, definition.prompt);

  const made = new Map<Pin, Capability>();
  const unusable = [...listed.unusable];
  const omit = ({ definition }: Pin, reason: string) =>
    unusable.push({ name: getDefinitionName(definition), reason });
  for (const standing of standings) {
    const pin = standing.kind === "new" ? standing.now : standing.pin;
    try {
      if (requiresTask(pin.definition)) omit(pin, "runs only as an MCP task");
      else if (standing.kind === "approved") made.set(pin, make(pin));
      else
        made.set(
          pin,
          createUnavailableCapability(
            toUnavailableContract(standing, adapter, make),
            unavailableReasons[standing.kind],
          ),
        );
    } catch {
      omit(pin, "a schema that cannot be used, or a profile with fields that the tool does not have");
    }
  }
  const facing = approved.filter((pin) => made.has(pin));
  return {
    capabilities: [...made.values(), ...(listed.hasResources ? [createResourceCapability(context)] : [])],
    facade: createFacade(adapter, facing, filterVisibleResources(listed)),
    notes: {
      waiting: standings.length - approved.length,
      unusable,
      misfits: [...new Set(findProfileMismatches(terms.tools, listTools(listed)).map(({ tool }) => tool))],
      suspicious: [
        ...facing
          .filter(({ definition }) => findSuspicions(definition).length > 0)
          .map((pin) => getDefinitionName(pin.definition)),
        ...listSuspiciousResources(listed),
      ],
    },
  };
}

function listTools({ definitions }: ServerListing) {
  return definitions.flatMap((each) => (each.kind === "tool" ? [each.tool] : []));
}

/**
 * [P3] Creates the reader for previews. It calls a tool only if the call is a dry run or the operator declares the tool
 * as a read. A tool that the server marks as destructive does not count as a read.
 */
function createPreviewReader({ server, terms }: OfferContext, approved: readonly Pin[]): ReadTool {
  return async ({ tool: name, dry = false }, given, context) => {
    const pin = approved.find(({ definition }) => toDefinitionId(definition) === `tool:${name}`);
    if (pin?.definition.kind !== "tool")
      throw new CapabilityError(
        "not-performed",
        "mcp-preview-unavailable",
        `The preview uses the tool \`${name}\`, which is not approved, or which the server does not offer. Check the server with \`paraph adapters\`.`,
      );
    const { tool } = pin.definition;
    const said = getOwn(terms.tools, name);
    if (!dry && readToolTraits(tool, said).effect !== "read")
      throw new CapabilityError(
        "permanent",
        "mcp-preview-unsafe",
        `The preview uses the tool \`${name}\`, which is not a read. Use a read in the \`preview\` of the profile.`,
      );
    return server.callTool(tool, given, "read", context);
  };
}

/**
 * Returns the contract of an unapproved definition. For a changed definition, the function returns the old contract, so
 * that policies stay valid. For a new definition, it returns a contract without the server's texts, so that these texts
 * do not reach a model.
 */
function toUnavailableContract(
  standing: Exclude<PinStatus, { kind: "approved" }>,
  adapter: string,
  make: (pin: Pin) => Capability,
) {
  if (standing.kind === "changed") return make(standing.pin).contract;
  return defineCapability({
    name: `${adapter}.${standing.now.verb}`,
    version: 1,
    summary: "Not approved yet",
    effect: "write",
    risk: "high",
    idempotency: "none",
    input: z.unknown(),
    output: z.unknown(),
    apply: () => Promise.reject(new Error("This capability is unavailable.")),
  }).contract;
}

const unavailableReasons = {
  changed: {
    code: "mcp-definition-changed",
    message:
      "The MCP server's definition differs from the approved one. Review and approve the difference with `paraph mcp pins`.",
  },
  new: {
    code: "mcp-definition-new",
    message:
      "This definition of the MCP server is new and not approved yet. Review and approve it with `paraph mcp pins`.",
  },
} as const;

/** Whether the tool runs only as an MCP task, which Paraph does not support. */
function requiresTask(definition: ServerDefinition): boolean {
  return definition.kind === "tool" && definition.tool.execution?.taskSupport === "required";
}

function createFacade(
  adapter: string,
  pins: readonly Pin[],
  { resources, templates }: Pick<ServerListing, "resources" | "templates">,
): Facade {
  const reader = `${adapter}.${readResourceVerb}`;
  return {
    tools: pins.flatMap(({ verb, definition }) => {
      if (definition.kind !== "tool") return [];
      const { name, title, description = "", inputSchema, outputSchema, annotations } = definition.tool;
      return {
        capability: `${adapter}.${verb}`,
        name,
        description,
        inputSchema: inputSchema as JsonObject,
        ...(title !== undefined && { title }),
        ...(outputSchema && { outputSchema: outputSchema as JsonObject }),
        ...(annotations && { annotations: annotations as JsonObject }),
      };
    }),
    prompts: pins.flatMap(({ verb, definition }) =>
      definition.kind === "prompt"
        ? [toPlainData<FacadePrompt>({ capability: `${adapter}.${verb}`, ...definition.prompt })]
        : [],
    ),
    resources: resources.map(({ uri, name, title, description, mimeType }) =>
      toPlainData<FacadeResource>({ capability: reader, uri, name, title, description, mimeType }),
    ),
    resourceTemplates: templates.map(({ uriTemplate, name, title, description, mimeType }) =>
      toPlainData<FacadeTemplate>({ capability: reader, uriTemplate, name, title, description, mimeType }),
    ),
  };
}

/** Removes undefined properties. */
function toPlainData<T>(value: object): T {
  return JSON.parse(JSON.stringify(value));
}

/** Ignores inherited properties, because a tool may be called `constructor`. */
function getOwn<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
