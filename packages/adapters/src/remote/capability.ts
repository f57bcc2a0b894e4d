import {
  adapterName,
  type Capability,
  defineCapability,
  digestServedContract,
  type ExecutionContext,
  type Json,
  ParaphError,
  type Probe,
  readDeclaredCost,
  readDeclaredLocks,
  type ServedContract,
  sameJson,
} from "@paraph/core";
import type { ServiceConnection, ServiceRequest } from "./connection.ts";
import { toDefinitionTerms, type UnparsedSchema } from "./definition-terms.ts";
import { EffectDetailsCache, withheldOutput } from "./effect-details.ts";
import { answerMissingFault } from "./service-fault.ts";

/**
 * Creates a capability whose code runs in a service. The served contract contains everything that Paraph needs before
 * it calls the service.
 */
export function createRemoteCapability(served: ServedContract, ask: ServiceConnection["send"]): Capability {
  const { contract } = served;
  const adapter = adapterName(contract);
  const digest = digestServedContract(served);
  const aftermath = new EffectDetailsCache(adapter);
  const question = (
    operation: "preview" | "apply" | "probe",
    input: Json,
    context: ExecutionContext,
  ): ServiceRequest => ({
    operation,
    capability: contract.name,
    digest,
    input,
    locks: [...readDeclaredLocks(served, input)],
    cost: readDeclaredCost(served, input),
    world: toSentContext(context),
  });

  const capability = defineCapability<UnparsedSchema, UnparsedSchema>({
    ...toDefinitionTerms(contract),
    // The prefix keeps a service from blocking calls of other adapters.
    locks: (input) => readDeclaredLocks(served, input).map((key) => `${adapter}:${key}`),
    ...(served.cost !== undefined && { cost: (input) => readDeclaredCost(served, input) }),
    ...(contract.previews && {
      preview: async (input, context) => {
        const answer = await ask(question("preview", input, context), context);
        if (answer.kind !== "previewed") throw answerMissingFault("a look");
        return { changes: answer.changes, basis: answer.basis };
      },
    }),
    apply: async (input, context) => {
      const answer = await ask(question("apply", input, context), context);
      if (answer.kind !== "applied") throw answerMissingFault("an effect");
      return aftermath.storeOutput(input, answer.effect);
    },
    ...(contract.idempotency === "probe" && {
      probe: async (input: Json, context: ExecutionContext): Promise<Probe> => {
        const answer = await ask(question("probe", input, context), context);
        if (answer.kind === "present")
          return { kind: "present", output: aftermath.storeOutput(input, answer.effect) };
        if (answer.kind === "absent" || answer.kind === "unsure") return { kind: answer.kind };
        throw answerMissingFault("a look");
      },
    }),
    ...(served.undoes && { undo: (input, output) => aftermath.find(input, output).undo }),
    spent: (input, output) => aftermath.find(input, output).spent ?? readDeclaredCost(served, input),
    tokens: (input, output) => aftermath.find(input, output).tokens,
  });
  if (!sameJson(capability.contract as unknown as Json, contract as unknown as Json))
    throw new ParaphError(
      "adapter-invalid",
      `Paraph and the service interpret the contract of \`${contract.name}\` differently. Update Paraph and the service's SDK to the same version.`,
    );
  return Object.freeze({
    ...capability,
    parseOutput: (raw: unknown) =>
      raw === withheldOutput
        ? { kind: "invalid" as const, faults: ["(the whole): the service withheld the output"] }
        : capability.parseOutput(raw),
  });
}

/**
 * Returns the parts of the context that a service receives. They omit secrets, because a service has its own. They omit
 * the deadline, because a service learns of it when Paraph disconnects.
 */
function toSentContext({ tenant, principal, approvers, call, key, attempt, basis }: ExecutionContext) {
  const sent = { tenant, principal, approvers, call, key, attempt, ...(basis !== undefined && { basis }) };
  return JSON.parse(JSON.stringify(sent));
}
