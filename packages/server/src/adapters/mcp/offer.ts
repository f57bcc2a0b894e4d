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
import { type Definition, idOf, type Listed, nameOf } from "./definitions.ts";
import { readResource } from "./names.ts";
import type { Pin, Standing } from "./pins.ts";
import type { FaultRule, ToolTerms } from "./profile.ts";
import { misfitsOf } from "./profile-fit.ts";
import { promptCapability, resourceCapability } from "./reading-capability.ts";
import type { Look } from "./recipe.ts";
import type { Server } from "./server.ts";
import { shownResources, suspiciousResources } from "./shown-resources.ts";
import { suspicionsIn } from "./suspicion.ts";
import { natureOf, toolCapability } from "./tool-capability.ts";

/** What the operator says of a server's tools, by the server's names of them. */
export interface Terms {
  readonly tools: Readonly<Record<string, ToolTerms>>;
  readonly faults: readonly FaultRule[];
}

/** What a server comes to: capabilities, what it calls its own, and what people should know of it. */
export interface Offer {
  readonly capabilities: readonly Capability[];
  readonly facade: Facade;
  readonly notes: Notes;
}

export interface Notes {
  /** How many wait for a person to approve them. */
  readonly waiting: number;
  /** Names of what cannot be used. */
  readonly unusable: readonly string[];
  /** Names of those whose texts a person should read. */
  readonly suspicious: readonly string[];
  /** Names of those of which the profile says what the server's own definitions do not bear out. */
  readonly misfits: readonly string[];
}

interface OfferSetting {
  readonly adapter: string;
  readonly server: Server;
  readonly timeout: Duration;
  readonly terms: Terms;
}

export function offerOf(setting: OfferSetting, listed: Listed, standings: readonly Standing[]): Offer {
  const { adapter, terms } = setting;
  const approved = standings.flatMap((each) => (each.kind === "approved" ? [each.pin] : []));
  const verbs = new Map(approved.map(({ definition, verb }) => [idOf(definition), verb]));
  const capabilityOf = (tool: string) => {
    const verb = verbs.get(`tool:${tool}`);
    return verb === undefined ? undefined : `${adapter}.${verb}`;
  };
  const making = { ...setting, faults: terms.faults, look: lookingWith(setting, approved), capabilityOf };
  const make = ({ definition, verb }: Pin): Capability =>
    definition.kind === "tool"
      ? toolCapability(making, verb, definition.tool, own(terms.tools, definition.tool.name))
      : promptCapability(setting, verb, definition.prompt);

  const made = new Map<Pin, Capability>();
  const unusable = [...listed.unusable];
  for (const standing of standings) {
    const pin = standing.kind === "new" ? standing.now : standing.pin;
    try {
      if (needsTask(pin.definition)) unusable.push(nameOf(pin.definition));
      else if (standing.kind === "approved") made.set(pin, make(pin));
      else
        made.set(
          pin,
          createUnavailableCapability(contractOf(standing, adapter, make), unavailableReasons[standing.kind]),
        );
    } catch {
      // Its schema is one that nothing can be held against, or the profile speaks of fields that it has not.
      unusable.push(nameOf(pin.definition));
    }
  }
  const facing = approved.filter((pin) => made.has(pin));
  return {
    capabilities: [...made.values(), ...(listed.hasResources ? [resourceCapability(setting)] : [])],
    facade: facadeOf(adapter, facing, shownResources(listed)),
    notes: {
      waiting: standings.length - approved.length,
      unusable,
      misfits: [...new Set(misfitsOf(terms.tools, toolsIn(listed)).map(({ tool }) => tool))],
      suspicious: [
        ...facing
          .filter(({ definition }) => suspicionsIn(definition).length > 0)
          .map((pin) => nameOf(pin.definition)),
        ...suspiciousResources(listed),
      ],
    },
  };
}

function toolsIn({ definitions }: Listed) {
  return definitions.flatMap((each) => (each.kind === "tool" ? [each.tool] : []));
}

/** [P3] For previews: only what the operator calls a read and the server does not call destructive, or a tool's own dry run. */
function lookingWith({ server, terms }: OfferSetting, approved: readonly Pin[]): Look {
  return async ({ tool: name, dry = false }, given, world) => {
    const pin = approved.find(({ definition }) => idOf(definition) === `tool:${name}`);
    if (pin?.definition.kind !== "tool")
      throw new CapabilityError(
        "not-performed",
        "mcp-preview-away",
        `Its preview rests on \`${name}\`, which is not offered or not approved: see \`paraph adapters\`.`,
      );
    const { tool } = pin.definition;
    const said = own(terms.tools, name);
    if (!dry && natureOf(tool, said).effect !== "read")
      throw new CapabilityError(
        "permanent",
        "mcp-preview-unsafe",
        `Its preview rests on \`${name}\`, which is no read.`,
      );
    return server.call(tool, given, "read", world);
  };
}

/** Its old contract keeps policies valid; of one that nobody has seen, not a word reaches a model. */
function contractOf(
  standing: Exclude<Standing, { kind: "approved" }>,
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
    apply: () => Promise.reject(new Error("It is away.")),
  }).contract;
}

const unavailableReasons = {
  changed: {
    code: "mcp-definition-changed",
    message:
      "The MCP server describes it otherwise than it was approved: `paraph mcp pins` shows the difference, for somebody to approve.",
  },
  new: {
    code: "mcp-definition-new",
    message:
      "The MCP server did not offer it when it was approved: `paraph mcp pins` shows it, for somebody to approve.",
  },
} as const;

/** It can only be done as a task of the server's, which is not passed on. */
function needsTask(definition: Definition): boolean {
  return definition.kind === "tool" && definition.tool.execution?.taskSupport === "required";
}

function facadeOf(
  adapter: string,
  pins: readonly Pin[],
  { resources, templates }: Pick<Listed, "resources" | "templates">,
): Facade {
  const reader = `${adapter}.${readResource}`;
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
        ? [asData<FacadePrompt>({ capability: `${adapter}.${verb}`, ...definition.prompt })]
        : [],
    ),
    resources: resources.map(({ uri, name, title, description, mimeType }) =>
      asData<FacadeResource>({ capability: reader, uri, name, title, description, mimeType }),
    ),
    resourceTemplates: templates.map(({ uriTemplate, name, title, description, mimeType }) =>
      asData<FacadeTemplate>({ capability: reader, uriTemplate, name, title, description, mimeType }),
    ),
  };
}

/** Without what is not there. */
function asData<T>(value: object): T {
  return JSON.parse(JSON.stringify(value));
}

/** A tool may be called `constructor`. */
function own<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
