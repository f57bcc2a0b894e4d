import {
  adapterName,
  type Call,
  type Caller,
  type CallRequest,
  type Capability,
  type Evaluated,
  foundObjects,
  hasCapabilityScope,
  type Json,
  type Ports,
  type Principal,
  planApplyCapability,
} from "@paraph/core";
import {
  type DraftStep,
  grammarVersion,
  type IntentAnswer,
  type IntentDraft,
  type IntentQuestion,
  type IntentRecord,
  type IntentRequest,
  isIntentSealed,
  type LookupResult,
  type ObjectLookup,
  type SealedIntent,
  sealIntent,
  type Understanding,
  type UnderstoodBy,
  understandWithGrammar,
} from "@paraph/core/intents";

/** Requests in words: understood into a plan, and never performed by understanding. */
export interface IntentService {
  /**
   * Understands the words for this caller. It performs only previews, and the reads that find what the words describe.
   * Such a read is a call of this caller.
   */
  understand(caller: Requester, request: IntentWords, signal?: AbortSignal): Promise<UnderstoodIntent>;
  /** Returns the record of a plan that this deployment understood for this requester, or undefined for any other. */
  openRecord(principal: Principal, plan: Json, sealed: SealedIntent): IntentRecord | undefined;
}

/** A requester, and the scopes of its credential. */
export type Requester = Pick<Caller, "principal" | "scopes">;

/** The words of a requester, as a surface received them. */
export interface IntentWords extends Pick<IntentRequest, "words"> {
  readonly timeZone?: string | undefined;
  readonly answers?: readonly IntentAnswer[] | undefined;
}

/** The plan, question or refusal that the words lead to, and the part of Paraph that understood them. */
export type UnderstoodIntent = { readonly understoodBy: UnderstoodBy } & (
  | {
      readonly kind: "plan";
      readonly plan: Json;
      readonly intent: SealedIntent;
      readonly preview: Evaluated;
    }
  | {
      readonly kind: "question";
      readonly questions: readonly IntentQuestion[];
      /** The values that are certain already, if the words ask for a single step. */
      readonly draft?: IntentDraft;
      readonly steps?: readonly DraftStep[];
    }
  | { readonly kind: "no"; readonly code: string; readonly message: string }
);

/** A model that understands what the grammar does not. It returns undefined if it cannot help with these words. */
export interface IntentModel {
  understand(
    request: IntentRequest,
    grammar: Understanding,
    context: { readonly credential: (name: string) => Promise<string>; readonly signal: AbortSignal },
  ): Promise<{ readonly understanding: Understanding; readonly understoodBy: UnderstoodBy } | undefined>;
}

/** The dependencies of `createIntentService`. */
export interface IntentServiceDeps {
  readonly ports: Ports;
  readonly listAllowed: (principal: Principal) => readonly Capability[];
  readonly previewCall: (request: CallRequest) => Promise<Evaluated>;
  readonly requestCall: (request: CallRequest) => Promise<Call>;
  readonly model?: IntentModel | undefined;
}

/** Creates the service for requests in words. */
export function createIntentService({
  ports,
  listAllowed,
  previewCall,
  requestCall,
  model,
}: IntentServiceDeps): IntentService {
  return {
    async understand(caller, { words, timeZone, answers }, signal = new AbortController().signal) {
      const { principal } = caller;
      const at = ports.clock.now();
      const request: IntentRequest = {
        words,
        now: at,
        timeZone,
        answers,
        capabilities: listAllowed(principal).filter((one) => canAskFor(caller, one)),
      };
      const credential = (name: string) => ports.credentials.resolve(principal.tenant, name);
      const { understanding, understoodBy } = await understandWords(request, {
        model,
        lookUp: (lookup) => findObjects(lookup, principal, { previewCall, requestCall }),
        context: { credential, signal },
      });
      if (understanding.kind === "lookup") throw new Error("A lookup has no result.");
      if (understanding.kind !== "plan") return { understoodBy, ...understanding };
      const plan = JSON.parse(JSON.stringify(understanding.plan)) as Json;
      const record: IntentRecord = { words, ...(answers && { answers }), understoodBy, at };
      const preview = await previewCall({
        principal,
        capability: planApplyCapability.contract.name,
        input: plan,
      });
      return {
        kind: "plan",
        understoodBy,
        plan,
        intent: sealIntent(principal, plan, record, ports.sealer),
        preview,
      };
    },
    openRecord(principal, plan, sealed) {
      if (!isIntentSealed(principal, plan, sealed, ports.sealer)) return undefined;
      const { seal: _proven, ...record } = sealed;
      return record;
    },
  };
}

async function understandWords(
  request: IntentRequest,
  {
    model,
    lookUp,
    context,
  }: {
    readonly model: IntentModel | undefined;
    readonly lookUp: (lookup: ObjectLookup) => Promise<LookupResult>;
    readonly context: Parameters<IntentModel["understand"]>[2];
  },
) {
  const understoodBy = { kind: "grammar", version: grammarVersion } as const;
  const first = understandWithGrammar(request);
  if (first.kind === "lookup") {
    const found: LookupResult[] = [];
    for (const lookup of first.lookups) found.push(await lookUp(lookup));
    return { understanding: understandWithGrammar({ ...request, found }), understoodBy };
  }
  if (first.kind === "plan" || !model) return { understanding: first, understoodBy };
  return (await model.understand(request, first, context)) ?? { understanding: first, understoodBy };
}

/**
 * [TRUST 35] Finds the objects that words describe, with a read of the requester. Paraph requests the read only if policy
 * allows it, so it asks no person for a read that the requester did not name. An allowed read ends with its admission.
 */
async function findObjects(
  { step, capability, input }: ObjectLookup,
  principal: Principal,
  { previewCall, requestCall }: Pick<IntentServiceDeps, "previewCall" | "requestCall">,
): Promise<LookupResult> {
  const request = { principal, capability, input, purpose: "Find what a request in words describes" };
  const evaluated = await previewCall(request);
  if (evaluated.kind !== "ruled" || evaluated.ruledCall.ruling.kind !== "allow") return { step };
  const { payloads } = await requestCall(request);
  const found = foundObjects.safeParse(payloads.output?.value);
  // A list that is cut could lack the object that the words mean.
  return found.success && !found.data.cut ? { step, objects: found.data.objects } : { step };
}

/**
 * [TRUST 35] Returns whether words of this caller may lead to the capability. Capabilities that the credential does not
 * cover do not exist for the words, and neither do plans, checks and unavailable capabilities.
 */
function canAskFor(caller: Requester, { contract, unavailable }: Capability): boolean {
  if (unavailable || contract.name === planApplyCapability.contract.name) return false;
  return adapterName(contract) !== "check" && hasCapabilityScope(caller, contract.name);
}
