import {
  adapterName,
  type Capability,
  defineCapability,
  type ExecutionContext,
  type Json,
  ParaphError,
  type Probe,
  readDeclaredCost,
  readDeclaredLocks,
  type ServedContract,
  sameJson,
  servedDigest,
} from "@paraph/core";
import { Aftermath, withheld } from "./aftermath.ts";
import type { Connection, Question } from "./connection.ts";
import { type AsGiven, termsOf } from "./terms.ts";
import { noAnswer } from "./wire-fault.ts";

/** A capability whose code runs in a service. What must be known before that is asked is data of what it serves. */
export function remoteCapability(served: ServedContract, ask: Connection["ask"]): Capability {
  const { contract } = served;
  const adapter = adapterName(contract);
  const digest = servedDigest(served);
  const aftermath = new Aftermath(adapter);
  const question = (
    operation: "preview" | "apply" | "probe",
    input: Json,
    world: ExecutionContext,
  ): Question => ({
    operation,
    capability: contract.name,
    digest,
    input,
    locks: [...readDeclaredLocks(served, input)],
    cost: readDeclaredCost(served, input),
    world: sentOf(world),
  });

  const capability = defineCapability<AsGiven, AsGiven>({
    ...termsOf(contract),
    // Another adapter's calls are not this service's to hold up.
    locks: (input) => readDeclaredLocks(served, input).map((key) => `${adapter}:${key}`),
    ...(served.cost !== undefined && { cost: (input) => readDeclaredCost(served, input) }),
    ...(contract.previews && {
      preview: async (input, world) => {
        const answer = await ask(question("preview", input, world), world);
        if (answer.kind !== "previewed") throw noAnswer("a look");
        return { changes: answer.changes, basis: answer.basis };
      },
    }),
    apply: async (input, world) => {
      const answer = await ask(question("apply", input, world), world);
      if (answer.kind !== "applied") throw noAnswer("an effect");
      return aftermath.outputOf(input, answer.effect);
    },
    ...(contract.idempotency === "probe" && {
      probe: async (input: Json, world: ExecutionContext): Promise<Probe> => {
        const answer = await ask(question("probe", input, world), world);
        if (answer.kind === "present")
          return { kind: "present", output: aftermath.outputOf(input, answer.effect) };
        if (answer.kind === "absent" || answer.kind === "unsure") return { kind: answer.kind };
        throw noAnswer("a look");
      },
    }),
    ...(served.undoes && { undo: (input, output) => aftermath.of(input, output).undo }),
    spent: (input, output) => aftermath.of(input, output).spent ?? readDeclaredCost(served, input),
    tokens: (input, output) => aftermath.of(input, output).tokens,
  });
  if (!sameJson(capability.contract as unknown as Json, contract as unknown as Json))
    throw new ParaphError(
      "adapter-invalid",
      `\`${contract.name}\`: this Paraph and the service do not mean the same by its contract: bring both up to date.`,
    );
  return Object.freeze({
    ...capability,
    parseOutput: (raw: unknown) =>
      raw === withheld
        ? { kind: "invalid" as const, faults: ["(the whole): the service withheld it"] }
        : capability.parseOutput(raw),
  });
}

/** What a service is told of the world: its secrets are its own matter, and the deadline is when we hang up. */
function sentOf({ tenant, principal, approvers, call, key, attempt, basis }: ExecutionContext) {
  const sent = { tenant, principal, approvers, call, key, attempt, ...(basis !== undefined && { basis }) };
  return JSON.parse(JSON.stringify(sent));
}
