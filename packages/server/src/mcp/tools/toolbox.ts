import { adapterName, type Facade, hasCapabilityScope, type Principal, planCapability } from "@paraph/core";
import type { KnownCapability, ParaphService } from "../../services/paraph-service.ts";
import { builtinToolNames } from "../builtin-tools/builtin-tool-names.ts";
import type { RequestContext } from "../request-context.ts";
import { type CapabilityTool, toCapabilityTool, toFacadeTool } from "./capability-tool.ts";
import { assignToolNames } from "./tool-names.ts";

/** The tools of one endpoint, by name. A toolbox is created once for each list of capabilities. */
export interface Toolbox {
  readonly byName: ReadonlyMap<string, CapabilityTool>;
  readonly byCapability: ReadonlyMap<string, CapabilityTool>;
}

/** The toolboxes of all endpoints. */
export interface Toolboxes {
  /** Returns the toolbox of an endpoint, or undefined if this reader has no such endpoint. */
  findToolbox(reader: Principal, server: string | undefined): Toolbox | undefined;
  /** Returns the tools that policy and scopes may allow this caller, sorted by name. */
  listVisibleTools(context: RequestContext): readonly CapabilityTool[];
}

/** Creates the toolboxes, and caches one per list of capabilities. */
export function createToolboxes(service: ParaphService): Toolboxes {
  const known = new WeakMap<object, Toolbox>();
  // The last known facade of each server. While a server is unavailable, its tools keep their names and report that
  // they cannot be used.
  const faced = new Map<string, Facade>();
  const once = (key: object, make: () => Toolbox) => {
    const box = known.get(key) ?? make();
    known.set(key, box);
    return box;
  };
  const everything = (reader: Principal) =>
    once(service.listCapabilities(reader), () =>
      createToolbox(
        listAllTools(service.listCapabilities(reader), [...faced.values(), ...service.getFacades().values()]),
      ),
    );
  const of = (reader: Principal, server: string): Toolbox | undefined => {
    // [TRUST 10] A server of other tenants has no endpoint for this reader.
    if (!service.listCapabilities(reader).some(({ contract }) => adapterName(contract) === server))
      return undefined;
    const facade = service.getFacades().get(server) ?? faced.get(server);
    if (facade) faced.set(server, facade);
    if (facade) return once(facade, () => createToolbox(listFacadeTools(facade)));
    const all = [...everything(reader).byName.values()].filter(({ capability }) =>
      capability.startsWith(`${server}.`),
    );
    return all.length > 0 ? createToolbox(all) : undefined;
  };
  const behind = (reader: Principal, server: string | undefined) =>
    server === undefined ? everything(reader) : of(reader, server);
  return {
    findToolbox: behind,
    listVisibleTools({ caller, server }) {
      const box = behind(caller.principal, server);
      if (!box) return [];
      const offered = new Set(
        service.listAllowedCapabilities(caller.principal).map(({ contract }) => contract.name),
      );
      return [...box.byName.values()].filter(
        ({ capability }) => offered.has(capability) && hasCapabilityScope(caller, capability),
      );
    },
  };
}

function listAllTools(
  capabilities: readonly KnownCapability[],
  facades: readonly Facade[],
): CapabilityTool[] {
  const prompts = new Set(facades.flatMap(({ prompts = [] }) => prompts.map(({ capability }) => capability)));
  const usable = capabilities.filter((one) => hasTool(one) && !prompts.has(one.contract.name));
  const names = assignToolNames(
    usable.map(({ contract }) => contract.name),
    builtinToolNames,
  );
  const faced = new Map(
    facades.flatMap(({ tools }) => tools.map((tool) => [tool.capability, tool] as const)),
  );
  return usable.map(({ contract }) => {
    const name = names.get(contract.name)!;
    const own = faced.get(contract.name);
    return own ? toFacadeTool(own, name) : toCapabilityTool(contract, name);
  });
}

/**
 * Returns whether a capability gets a tool. The plan capability gets none here, because plans have their own tool.
 * Capabilities that agents perform get none. Checks get none either, because policy runs them. The caller of this
 * function also excludes prompts, because people choose prompts at the endpoint of the prompt's server.
 */
function hasTool({ contract }: KnownCapability): boolean {
  return (
    contract.name !== planCapability && contract.performer === undefined && adapterName(contract) !== "check"
  );
}

function listFacadeTools({ tools }: Facade): CapabilityTool[] {
  return tools.map((tool) => toFacadeTool(tool));
}

function createToolbox(tools: readonly CapabilityTool[]): Toolbox {
  const sorted = [...tools].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  return {
    byName: new Map(sorted.map((tool) => [tool.definition.name, tool])),
    byCapability: new Map(sorted.map((tool) => [tool.capability, tool])),
  };
}
