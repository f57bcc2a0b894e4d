import { adapterName, type Facade, hasCapabilityScope, type Principal, planCapability } from "@paraph/core";
import { ownNames } from "./builtin-tools/names.ts";
import type { Desk, Offered } from "./desk.ts";
import { type CapabilityTool, facadeToolOf, toolOf } from "./tool.ts";
import { toolNames } from "./tool-names.ts";
import type { Visit } from "./visit.ts";

/** Every tool there is behind one door, by its name. Made once for as long as capabilities stay the same. */
export interface Toolbox {
  readonly byName: ReadonlyMap<string, CapabilityTool>;
  readonly byCapability: ReadonlyMap<string, CapabilityTool>;
}

export interface Toolboxes {
  /** Undefined: for this reader there is no such door. */
  behind(reader: Principal, server: string | undefined): Toolbox | undefined;
  /** Those this visitor may ever use, in the order of their names. */
  shownTo(visit: Visit): readonly CapabilityTool[];
}

export function toolboxesOver(desk: Desk): Toolboxes {
  const known = new WeakMap<object, Toolbox>();
  // While a server is away its tools keep their names, and say that they cannot be used.
  const faced = new Map<string, Facade>();
  const once = (key: object, make: () => Toolbox) => {
    const box = known.get(key) ?? make();
    known.set(key, box);
    return box;
  };
  const everything = (reader: Principal) =>
    once(desk.capabilities(reader), () =>
      boxOf(everythingIn(desk.capabilities(reader), [...faced.values(), ...desk.facades().values()])),
    );
  const of = (reader: Principal, server: string): Toolbox | undefined => {
    // [TRUST 10] A server of other tenants has no door here.
    if (!desk.capabilities(reader).some(({ contract }) => adapterName(contract) === server)) return undefined;
    const facade = desk.facades().get(server) ?? faced.get(server);
    if (facade) faced.set(server, facade);
    if (facade) return once(facade, () => boxOf(toolsIn(facade)));
    const all = [...everything(reader).byName.values()].filter(({ capability }) =>
      capability.startsWith(`${server}.`),
    );
    return all.length > 0 ? boxOf(all) : undefined;
  };
  const behind = (reader: Principal, server: string | undefined) =>
    server === undefined ? everything(reader) : of(reader, server);
  return {
    behind,
    shownTo({ caller, server }) {
      const box = behind(caller.principal, server);
      if (!box) return [];
      const offered = new Set(desk.offered(caller.principal).map(({ contract }) => contract.name));
      return [...box.byName.values()].filter(
        ({ capability }) => offered.has(capability) && hasCapabilityScope(caller, capability),
      );
    },
  };
}

function everythingIn(capabilities: readonly Offered[], facades: readonly Facade[]): CapabilityTool[] {
  const prompts = new Set(facades.flatMap(({ prompts = [] }) => prompts.map(({ capability }) => capability)));
  const usable = capabilities.filter((one) => isForTools(one) && !prompts.has(one.contract.name));
  const names = toolNames(
    usable.map(({ contract }) => contract.name),
    ownNames,
  );
  const faced = new Map(
    facades.flatMap(({ tools }) => tools.map((tool) => [tool.capability, tool] as const)),
  );
  return usable.map(({ contract }) => {
    const name = names.get(contract.name)!;
    const own = faced.get(contract.name);
    return own ? facadeToolOf(own, name) : toolOf(contract, name);
  });
}

/**
 * Plans have a tool of their own, what an agent performs itself is not performed by asking, and checks are run where policy
 * demands them. A prompt is for people to choose, at its server's own door.
 */
function isForTools({ contract }: Offered): boolean {
  return (
    contract.name !== planCapability && contract.performer === undefined && adapterName(contract) !== "check"
  );
}

function toolsIn({ tools }: Facade): CapabilityTool[] {
  return tools.map((tool) => facadeToolOf(tool));
}

function boxOf(tools: readonly CapabilityTool[]): Toolbox {
  const sorted = [...tools].sort((a, b) => (a.definition.name < b.definition.name ? -1 : 1));
  return {
    byName: new Map(sorted.map((tool) => [tool.definition.name, tool])),
    byCapability: new Map(sorted.map((tool) => [tool.capability, tool])),
  };
}
