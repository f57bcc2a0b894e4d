import {
  type Call,
  type CallRequest,
  type Evaluated,
  ParaphError,
  type Ports,
  type Principal,
} from "@paraph/core";
import type {
  BacktestLine,
  ExplanationView,
  NewBacktest,
  PolicyReportView,
  PolicyView,
} from "../http/schemas/policy.ts";
import {
  createAdminQueries,
  createCallHistory,
  createPolicySetStore,
  type Database,
  listPolicyRequests,
  loadPolicyReport,
} from "../postgres/index.ts";
import {
  type BacktestProgress,
  type BacktestResult,
  backtestPolicies,
  explainCall,
} from "./analysis/index.ts";
import {
  assemblePolicyDocument,
  listSources,
  loadPolicies,
  outlinePolicies,
  type PolicyDocument,
  PolicyLoadError,
} from "./cedar/index.ts";

/** The policy operations behind the HTTP API. Each covers only the principal's own tenant. */
export interface PolicyService {
  /** Returns the policy set in force. */
  readActivePolicy(principal: Principal): Promise<DeepReadonly<PolicyView>>;
  /**
   * Explains every ruling on a call. The caller must first check that the reader may see the call, by looking it up for
   * that reader.
   */
  explainCall(call: Call): Promise<DeepReadonly<ExplanationView>>;
  /**
   * Returns how policy would rule on a request of another principal, with a preview of the current state. Returns
   * undefined if the tenant has no such principal.
   */
  whatIf(reader: Principal, request: WhatIfRequest): Promise<Evaluated | undefined>;
  /** Reports the rulings between two times. */
  reportRulings(principal: Principal, since: number, until: number): Promise<DeepReadonly<PolicyReportView>>;
  /** Rules on past calls with a candidate policy set. Returns every fault if the candidate is invalid. */
  backtest(principal: Principal, wanted: NewBacktest, signal: AbortSignal): Promise<BacktestRun>;
}

/** A hypothetical request. `principal` is the id of the principal who would send it. */
export interface WhatIfRequest extends Pick<CallRequest, "capability" | "input"> {
  readonly principal: string;
}

/** The result of starting a backtest: a stream of its output lines, or the candidate's faults. */
export type BacktestRun =
  | { readonly kind: "running"; readonly lines: AsyncIterable<DeepReadonly<BacktestLine>> }
  | { readonly kind: "invalid"; readonly faults: readonly PolicyFault[] };

/** A fault in a policy file. */
export interface PolicyFault {
  readonly file: string;
  readonly line?: number;
  readonly sentence: string;
}

/** A deeply read-only view of a type. The HTTP API passes such values on without changing them. */
type DeepReadonly<T> = T extends readonly (infer Item)[]
  ? readonly DeepReadonly<Item>[]
  : T extends object
    ? { readonly [K in keyof T]: DeepReadonly<T[K]> }
    : T;

export interface PolicyServiceDeps {
  readonly ports: Pick<Ports, "catalog" | "policy" | "settings" | "clock">;
  readonly database: Pick<Database, "app" | "reports">;
  /** Rules on a request without recording it. The work counts against the reader's budget. */
  readonly preview: (reader: Principal, request: CallRequest) => Promise<Evaluated>;
}

/** Creates the tools for policy authors and auditors, which read the active policy sets and past calls. */
export function createPolicyService({ ports, database, preview }: PolicyServiceDeps): PolicyService {
  const { app, reports } = database;
  const { catalog, policy, settings, clock } = ports;
  const sets = createPolicySetStore(app);
  const { findPrincipal } = createAdminQueries(app);
  const inForce = async (tenant: string) => {
    const found = await sets.findActive(tenant);
    if (!found)
      throw new ParaphError("policy-unsettled", "No policies are in force yet. Try again in a moment.");
    return { version: found.version, document: found.document as unknown as PolicyDocument };
  };
  return {
    async readActivePolicy({ tenant }) {
      const [{ version, document }, { isPublished, configured }] = await Promise.all([
        inForce(tenant),
        sets.readOrigin(tenant),
      ]);
      return {
        version,
        source: isPublished ? "published" : "configuration",
        ...(configured !== null && { configured }),
        mode: settings.enforcement.mode,
        preset: document.preset.name,
        unattended: document.unattended,
        policies: outlinePolicies(document),
        files: listSources(document),
      };
    },
    async explainCall(call) {
      const current = findCurrentSet(call, policy);
      const { rulings, ...about } = explainCall(call, {
        requests: await listPolicyRequests(app, call.tenant, call.call),
        set: (version) => (version === current?.version ? current : undefined),
        inForce: current?.version ?? "none",
      });
      return { ...about, rulings: rulings.map((ruling) => ({ ...ruling, at: toIsoTime(ruling.at) })) };
    },
    async whatIf(reader, { principal, ...request }) {
      const requester = await findPrincipal(reader.tenant, principal);
      return requester && preview(reader, { principal: requester, ...request });
    },
    async reportRulings({ tenant }, since, until) {
      const { rulings, ...report } = await loadPolicyReport(reports, tenant, since, until);
      return {
        since: toIsoTime(since),
        until: toIsoTime(until),
        ...report,
        rulings: { allow: 0, check: 0, ask: 0, block: 0, ...rulings },
      };
    },
    async backtest({ tenant }, { since, until, maxDifferences, candidate }, signal) {
      const { document } = await inForce(tenant);
      const contracts = catalog.everything().map(({ contract }) => contract);
      try {
        const lines = backtestPolicies(applyCandidate(document, candidate), {
          load: (wanted) => loadPolicies(wanted, contracts),
          capability: (name) => catalog.find(tenant, name),
          confirm: settings.enforcement.confirm,
          history: createCallHistory(reports, tenant),
          since: Date.parse(since),
          // The default end of the period comes from the same clock that dates calls. One millisecond is added to
          // include a call that was opened in the current millisecond.
          until: until === undefined ? clock.now() + 1 : Date.parse(until),
          tenant,
          maxDifferences,
          signal,
        });
        return { kind: "running", lines: formatBacktestLines(lines) };
      } catch (error) {
        if (error instanceof PolicyLoadError) return { kind: "invalid", faults: error.faults };
        throw error;
      }
    },
  };
}

/**
 * [P11] Returns the tenant's active policy set. Returns undefined if the set is unavailable, so that Paraph can still
 * give the rest of the explanation.
 */
function findCurrentSet({ tenant }: Call, policy: Ports["policy"]) {
  try {
    return policy.current(tenant);
  } catch {
    return undefined;
  }
}

/** Returns the document that would become active: the current document with the changes of the candidate. */
export function applyCandidate(
  document: PolicyDocument,
  { sources, replace, preset, unattended, checkLevels }: NewBacktest["candidate"],
): PolicyDocument {
  const files = new Set(sources.map(({ file }) => file));
  const kept = replace ? [] : document.sources.filter(({ file }) => !files.has(file));
  return {
    preset: preset === undefined ? document.preset : assemblePolicyDocument({ preset }).preset,
    sources: [...kept, ...sources],
    unattended: unattended ?? document.unattended,
    checkLevels: { ...document.checkLevels, ...checkLevels },
  };
}

/** Formats the lines of a backtest for the API, whose times are ISO texts. */
export async function* formatBacktestLines(lines: AsyncIterable<BacktestProgress | BacktestResult>) {
  for await (const line of lines)
    yield line.kind === "progress"
      ? line
      : {
          ...line,
          since: toIsoTime(line.since),
          until: toIsoTime(line.until),
          differences: line.differences.map(({ openedAt, ...difference }) => ({
            ...difference,
            openedAt: toIsoTime(openedAt),
          })),
        };
}

function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}
