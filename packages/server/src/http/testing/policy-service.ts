import {
  type Call,
  type Catalog,
  type Event,
  eventsOfKind,
  type PolicySet,
  type Ports,
  type Preview,
  previewOnly,
  sha256Hex,
} from "@paraph/core";
import type { ModelStore } from "@paraph/core/testing";
import { createPlainPolicy } from "@paraph/core/testing";
import { backtestPolicies, explainCall } from "../../policy/analysis/index.ts";
import { formatBacktestLines, type PolicyService } from "../../policy/policy-service.ts";

/**
 * Creates the real policy service over the model store. A candidate is a list of lines such as `block notes.append`.
 */
export function createTestPolicyService(ports: Ports, store: ModelStore): PolicyService {
  const { catalog, policy } = ports;
  const of = (tenant: string) => store.calls().filter((call) => call.tenant === tenant);
  const show = async ({ tenant }: { tenant: string }) => ({
    version: sha256Hex(policy.current(tenant).version),
    source: "configuration" as const,
    mode: "enforce" as const,
    preset: "balanced",
    unattended: [],
    policies: [...policy.current(tenant).guards.values()].map(({ id, ruling, sentence }) => ({
      id,
      sentence,
      file: "test.cedar",
      line: 1,
      effect: "forbid" as const,
      demands: ruling,
      shadow: false,
    })),
    files: [{ file: "test.cedar", text: "// The rules of the test." }],
  });
  return {
    readActivePolicy: show,
    async explainCall(call) {
      const set = policy.current(call.tenant);
      const { request } = call.payloads;
      const { rulings, ...about } = explainCall(call, {
        requests: request ? [request] : [],
        set: () => set,
        inForce: set.version,
      });
      return { ...about, rulings: rulings.map((ruling) => ({ ...ruling, at: toIso(ruling.at) })) };
    },
    async whatIf({ tenant }, { principal, ...request }) {
      const requester = store.people.find(tenant, principal);
      return requester && previewOnly({ principal: requester, ...request }, ports);
    },
    async reportRulings({ tenant }, since, until) {
      const made = of(tenant).filter(({ createdAt }) => createdAt >= since && createdAt < until);
      const said = made.flatMap((call) => findFirstRuling(call)?.data.ruling ?? []);
      const rulings = { allow: 0, check: 0, ask: 0, block: 0 };
      for (const kind of said) rulings[kind]++;
      return {
        since: toIso(since),
        until: toIso(until),
        calls: said.length,
        rulings,
        byPolicy: [],
        byCapability: [],
        enforced: said.filter((kind) => kind !== "allow").length,
        shadow: { calls: 0, byPolicy: [] },
      };
    },
    async backtest({ tenant }, { since, maxDifferences, candidate }, signal) {
      const text = candidate.sources.map((source) => source.text).join("\n");
      if (text.includes("nonsense"))
        return { kind: "invalid", faults: [{ file: "candidate", line: 1, sentence: "it is nonsense" }] };
      const pages = async function* () {
        yield of(tenant).map(toPastCall);
      };
      const lines = backtestPolicies(text, {
        load: (wanted) => createBlockingPolicy(wanted, catalog),
        capability: (name) => catalog.find(tenant, name),
        history: { count: async () => of(tenant).length, pages },
        tenant,
        since: Date.parse(since),
        until: Date.now(),
        maxDifferences,
        signal,
        confirm: true,
      });
      return { kind: "running", lines: formatBacktestLines(lines) };
    },
  };
}

function findFirstRuling({ events }: Call): Event<"ruled"> | undefined {
  return eventsOfKind(events, "ruled")[0];
}

function toPastCall(call: Call) {
  const { ruling, policies } = findFirstRuling(call)!.data;
  const { input, preview, request } = call.payloads;
  return {
    call: call.call,
    capability: call.capability,
    contractDigest: call.contractDigest,
    openedAt: call.createdAt,
    ...(call.outcome && { outcome: call.outcome.kind }),
    requirements: [],
    was: { kind: ruling, policies },
    granted: false,
    recorded: true,
    ...(input && { input: input.value }),
    ...(preview && { preview: preview.value as unknown as Preview }),
    ...(request && { request: request.value as never }),
  };
}

function createBlockingPolicy(text: string, catalog: Catalog): PolicySet {
  return createPlainPolicy(
    Object.fromEntries(
      catalog
        .everything()
        .map(({ contract: { name } }) => [name, text.includes(`block ${name}`) ? "block" : "allow"]),
    ),
  );
}

function toIso(at: number): string {
  return new Date(at).toISOString();
}
