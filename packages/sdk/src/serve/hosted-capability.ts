import {
  type Capability,
  costPath,
  type DeclaredPaths,
  digestServedContract,
  type JsonObject,
  jsonSchema,
  lockTemplate,
  ParaphError,
  type ServedContract,
} from "@paraph/core";

/**
 * A capability, optionally with its locks and cost declared as data. Paraph must know both before it calls the service.
 */
export type ServedCapability = Capability | ({ readonly capability: Capability } & DeclaredPaths);

/** A served capability, with its transmitted contract and that contract's digest. */
export interface HostedCapability {
  readonly capability: Capability;
  readonly served: ServedContract;
  readonly digest: string;
}

/**
 * [P11] Prepares capabilities for serving. If some of them cannot be served, throws one error that lists every fault.
 */
export function hostCapabilities(all: readonly ServedCapability[]): ReadonlyMap<string, HostedCapability> {
  const hosted = new Map<string, HostedCapability>();
  const faults: string[] = [];
  for (const each of all) {
    const { capability, locks, cost } = "capability" in each ? each : { capability: each };
    const { name } = capability.contract;
    if (hosted.has(name)) faults.push(`\`${name}\` is listed twice`);
    faults.push(...findFaults(capability, { locks, cost }).map((fault) => `\`${name}\`: ${fault}`));
    const served: ServedContract = {
      contract: capability.contract,
      ...(locks && { locks }),
      ...(cost !== undefined && { cost }),
      ...(capability.undo && { undoes: true }),
    };
    hosted.set(name, { capability, served, digest: digestServedContract(served) });
  }
  if (faults.length === 0) return hosted;
  throw new ParaphError(
    "capability-invalid",
    `These capabilities cannot be served:${faults.map((fault) => `\n  - ${fault}`).join("")}`,
  );
}

function findFaults(capability: Capability, { locks, cost }: DeclaredPaths): string[] {
  const { contract } = capability;
  const faults: [boolean, string][] = [
    [contract.composite === true, "a composite cannot be served; define it in Paraph's configuration"],
    [contract.performer === "agent", "the agent performs it, so there is nothing to serve"],
    [capability.parseAnswer !== undefined, "`answer` cannot be served; use a step with `human.ask` instead"],
    [
      locks === undefined && hasLocks(capability),
      'declare its locks as data: `locks: ["payment:{payment}"]`',
    ],
    [
      !(locks ?? []).every((template) => lockTemplate.test(template)),
      "`locks`: use templates such as `payment:{payment}`",
    ],
    [
      cost === undefined && capability.cost !== undefined,
      'declare its cost as data: `cost: "cents"`, or a number',
    ],
    [!isCost(cost), "`cost`: use a path in the input, or a whole number of minor units"],
  ];
  const said = faults.flatMap(([holds, fault]) => (holds ? [fault] : []));
  return [
    ...said,
    ...findSchemaFaults("input", contract.input),
    ...findSchemaFaults("output", contract.output),
  ];
}

/**
 * Finds the faults of a schema. Paraph validates with the transmitted schema. This check therefore reports an
 * unsupported schema as soon as the service starts, before Paraph receives the schema.
 */
function findSchemaFaults(what: "input" | "output", document: JsonObject): string[] {
  try {
    jsonSchema(document);
    return [];
  } catch (error) {
    return [`\`${what}\`: ${error instanceof Error ? error.message : "unreadable"}`];
  }
}

/**
 * Whether the capability takes locks. Its locks are not declared as data, so this function calls the capability's code
 * with an empty input. A thrown error counts as having locks.
 */
function hasLocks(capability: Capability): boolean {
  try {
    return capability.locks({}).length > 0;
  } catch {
    return true;
  }
}

function isCost(cost: DeclaredPaths["cost"]): boolean {
  if (typeof cost === "string") return costPath.test(cost);
  return cost === undefined || (Number.isSafeInteger(cost) && cost >= 0);
}
