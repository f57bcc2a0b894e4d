import type { Json, Ports } from "@paraph/core";
import type { Administration, BacktestSummary, PublishCandidate } from "../builtin/admin/index.ts";
import {
  type AdminQueries,
  createCallHistory,
  createPolicySetStore,
  type Database,
} from "../postgres/index.ts";
import { backtestPolicies } from "./analysis/index.ts";
import { lintPolicies, loadPolicies, type PolicyDocument, PolicyLoadError } from "./cedar/index.ts";
import { applyCandidate } from "./policy-service.ts";

/** Creates the functions that parse a policy set strictly, backtest it, store it, and activate it for every process. */
export function createPolicyAdmin(
  { app, reports }: Pick<Database, "app" | "reports">,
  sights: AdminQueries,
  ports: () => Pick<Ports, "catalog" | "policy" | "settings" | "clock">,
): Administration["policies"] {
  const sets = createPolicySetStore(app);
  const contracts = () =>
    ports()
      .catalog.everything()
      .map(({ contract }) => contract);
  const inForce = async (tenant: string): Promise<VersionedDocument> => {
    const found = await sets.findActive(tenant);
    if (!found) throw new Error("no set of policies is in force");
    return { version: found.version, document: found.document as unknown as PolicyDocument };
  };
  const wanted = async (tenant: string, candidate: PublishCandidate): Promise<PolicyDocument | undefined> => {
    if ("version" in candidate) return (await sights.findPolicySet(tenant, candidate.version)) as never;
    return applyCandidate((await inForce(tenant)).document, toBacktestCandidate(candidate));
  };
  const pastOf = cacheBacktests(async (tenant: string, document: PolicyDocument) => {
    const { catalog, settings, clock } = ports();
    const history = createCallHistory(reports, tenant);
    const until = clock.now();
    const total = await history.count(until - backtestSpanMs, until);
    const since = until - Math.floor(backtestSpanMs * Math.min(1, maxBacktestCalls / Math.max(1, total)));
    const lines = backtestPolicies(document, {
      load: (wanted) => loadPolicies(wanted, contracts()),
      capability: (name) => catalog.find(tenant, name),
      confirm: settings.enforcement.confirm,
      tenant,
      history,
      since,
      until,
      maxDifferences: 0,
      signal: AbortSignal.timeout(backtestTimeoutMs),
    });
    for await (const line of lines) {
      if (line.kind === "progress") continue;
      const notEvaluated = Object.values(line.notEvaluated).reduce((sum, calls) => sum + calls, 0);
      return {
        since,
        calls: line.calls,
        changed: line.changed,
        byRuling: line.byRuling,
        notEvaluated,
        cutShort: total > maxBacktestCalls,
      };
    }
    return undefined;
  });

  return {
    async findActive(tenant) {
      const { version, document } = await inForce(tenant);
      return { version, ...toPolicyTexts(document) };
    },
    async prepare(tenant, candidate) {
      const document = await wanted(tenant, candidate);
      if (!document) return { kind: "unknown" };
      try {
        const { version } = loadPolicies(document, contracts());
        const found = lintPolicies(document, contracts(), {
          people: await sights.countPeople(tenant),
        });
        const findings = found.map((finding) => ({ ...finding, grave: finding.weight === "error" }));
        return { kind: "sound", version, document, findings, ...toPolicyTexts(document) };
      } catch (error) {
        if (error instanceof PolicyLoadError) return { kind: "faulty", faults: error.faults };
        throw error;
      }
    },
    async backtest(tenant, { version, document }) {
      const base = (await inForce(tenant)).version;
      return pastOf(JSON.stringify([tenant, base, version]), tenant, document as PolicyDocument);
    },
    async publish(tenant, id, { version, document }, by) {
      const before = await inForce(tenant);
      // The previous set is stored too, so that an undo can name it.
      await sets.put(tenant, toStoredPolicySet(before.version, before.document), by);
      await sets.put(tenant, toStoredPolicySet(version, document as PolicyDocument), by);
      await sets.activate(tenant, { id, version, by });
      await ports().policy.refresh(tenant);
    },
  };
}

interface VersionedDocument {
  readonly version: string;
  readonly document: PolicyDocument;
}

function toStoredPolicySet(version: string, document: PolicyDocument) {
  return { version, document: document as unknown as Json };
}

function toPolicyTexts({ preset, sources, unattended }: PolicyDocument) {
  return { preset: preset.name, sources, unattended };
}

/**
 * Converts the candidate into the form that `paraph policy backtest` uses, so that the backtest and the publication use
 * the same set.
 */
function toBacktestCandidate(
  candidate: Exclude<PublishCandidate, { version: string }>,
): Parameters<typeof applyCandidate>[1] {
  const { sources, replace, preset, unattended, checkLevels } = candidate;
  return {
    sources: [...sources],
    replace,
    ...(preset !== undefined && { preset }),
    ...(unattended && { unattended: [...unattended] }),
    ...(checkLevels && {
      checkLevels: Object.fromEntries(
        Object.entries(checkLevels).map(([level, names]) => [level, [...names]]),
      ),
    }),
  };
}

/** The limits of the backtest in a preview. The command `paraph policy backtest` can run a larger or longer one. */
const backtestSpanMs = 30 * 24 * 3_600_000;
const maxBacktestCalls = 20_000;
const backtestTimeoutMs = 20_000;
const cacheLifetimeMs = 10 * 60_000;

type RunBacktest = (tenant: string, document: PolicyDocument) => Promise<BacktestSummary | undefined>;

/**
 * Caches backtests by key. Paraph previews a publication several times between its request and its execution. One
 * backtest serves all these previews. A backtest continues even if its caller no longer waits. If a backtest fails or
 * takes too long, the preview does not show it.
 */
function cacheBacktests(run: RunBacktest) {
  const known = new Map<string, { readonly result: ReturnType<RunBacktest>; readonly at: number }>();
  return (key: string, ...given: Parameters<RunBacktest>): ReturnType<RunBacktest> => {
    for (const [other, { at }] of known) if (performance.now() - at > cacheLifetimeMs) known.delete(other);
    const found = known.get(key);
    if (found) return found.result;
    const result = run(...given).catch(() => {
      known.delete(key);
      return undefined;
    });
    known.set(key, { result, at: performance.now() });
    return result;
  };
}
