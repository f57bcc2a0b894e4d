import { type Envelope, type PublicKey, type RecordedEvent, verifyReceipt } from "@paraph/core";
import type { StoredReceipt } from "../../packages/server/src/postgres/index.ts";
import { summarizeSweep } from "../crash-points/coverage.ts";
import { crashAtPoints } from "../crash-points/crash-at-points.ts";
import { type CrashPoint, discoverPoints } from "../crash-points/points.ts";
import { ScenarioRun } from "../crash-points/scenario-run.ts";
import type { Script } from "../crash-points/script.ts";
import type { Violation } from "../history/checker.ts";
import { readEnvelope } from "../history/read-rows.ts";
import type { LabOptions, LabResult } from "../lab.ts";
import { LabCluster } from "../lab-cluster.ts";
import { type EffectCounts, ExternalSystems } from "./external-systems.ts";

/** For each kind of effect, the capability that performs it and whether its outcome may be unknown. */
const effects = {
  push: { capability: "repo.push", unknown: false },
  insert: { capability: "db.execute", unknown: false },
  append: { capability: "ops.append", unknown: true },
  note: { capability: "ops.note", unknown: false },
} as const satisfies Record<keyof EffectCounts, object>;

type Effect = keyof typeof effects;

/** The delays, counted from the intent, after which a process dies during the effect. */
const crashDelaysMs = [5, 15, 30, 60, 90, 130, 200, 400];

/**
 * [P7] Runs crash points with real adapters, whose effects are `git push`, a change in PostgreSQL and command-line
 * tools. Each effect must happen once. An outcome may be unknown only if the contract provides no means to determine
 * it.
 */
export async function runEffects(options: LabOptions): Promise<LabResult> {
  const startedAt = Date.now();
  const cluster = await LabCluster.start({ engine: options.engine });
  try {
    const outside = await ExternalSystems.create(cluster);
    const script: Script = {
      env: { api: outside.env(), worker: outside.env() },
      play: async (client, prefix) => {
        const story = new ScenarioRun(client, prefix);
        await outside.createBranch(prefix);
        const input: Record<Effect, object> = {
          push: { branch: prefix },
          insert: { sql: "insert into orders (name) values ($1)", parameters: [prefix] },
          append: { name: prefix },
          note: { name: prefix },
        };
        await Promise.all(
          (Object.keys(effects) as Effect[]).map(async (effect) =>
            story.waitForEnd(await story.place(effect, effects[effect].capability, input[effect])),
          ),
        );
      },
    };
    options.progress("finding the boundaries");
    const found = await discoverPoints(cluster, script);
    const all = [...found, ...listMidEffectPoints(found)];
    const { crashed, points } = await crashAtPoints([{ cluster, script }], all, options);
    const names = ["discover", ...crashed.map(({ prefix }) => prefix)];
    const { violations, counted } = await judgeEffects(cluster, await outside.countEffects(names), names);
    return {
      run: "effects",
      seed: options.seed,
      violations,
      timelines: {},
      points,
      covers: [
        `${cluster.engineText}.`,
        ...summarizeSweep(crashed, all.length),
        `Effects, each counted at the external system: ${Object.values(effects)
          .map(({ capability }) => capability)
          .join(", ")}.`,
        ...Object.entries(counted).map(([ending, count]) => `${ending}: ${count}.`),
      ],
      figures: {
        boundaries: new Set(all.map(({ role, boundary }) => `${role} ${boundary}`)).size,
        points: points.known.length,
        "points tried": crashed.length,
        reached: crashed.filter(({ reached }) => reached).length,
        ...counted,
        seconds: Math.round((Date.now() - startedAt) / 1_000),
      },
    };
  } finally {
    await cluster.stop();
  }
}

/**
 * Returns the points that kill a process some time after its intent. Paraph writes nothing while the effect runs, so no
 * boundary falls into that time.
 */
function listMidEffectPoints(found: readonly CrashPoint[]): CrashPoint[] {
  return found
    .filter(
      ({ boundary, when, victim }) =>
        boundary.includes("+intent") && when === "after" && victim === "process",
    )
    .flatMap((point) => crashDelaysMs.map((afterMs) => ({ ...point, afterMs })));
}

interface EndedCall {
  readonly key: string;
  readonly outcome: string | null;
  readonly code: string | null;
  readonly events: readonly RecordedEvent[];
  readonly receipts: readonly StoredReceipt[] | null;
}

/**
 * Compares every call with the external systems. Each call must end, and each effect must agree with its call's outcome.
 */
async function judgeEffects(
  cluster: LabCluster,
  happened: ReadonlyMap<string, EffectCounts>,
  names: readonly string[],
): Promise<{ violations: Violation[]; counted: Record<string, number> }> {
  const rows = await cluster.query<EndedCall>(
    `select c.key, c.outcome, c.outcome_code as code, paraph.load(c.tenant, c.id)->'events' as events,
            (select json_agg(paraph.read_receipt(r)) from paraph.receipt r where r.tenant = c.tenant and r.call = c.id) as receipts
     from paraph.call c`,
  );
  const byKey = new Map(rows.map((row) => [row.key, row]));
  const violations: Violation[] = [];
  const counted: Record<string, number> = {};
  for (const name of names) {
    for (const effect of Object.keys(effects) as Effect[]) {
      const key = `${name}-${effect}`;
      const broken = (rule: string, what: string) => violations.push({ rule, call: key, what });
      const { outcome = null, code = null, receipts = null, events = [] } = byKey.get(key) ?? {};
      const times = happened.get(name)![effect];
      const end = outcome === "succeeded" ? `${effect} succeeded` : `${effect} ${outcome} (${code})`;
      counted[end] = (counted[end] ?? 0) + 1;
      if (outcome === null) broken("P2", "never ended");
      if (receipts?.length !== 1) broken("P2", `has ${receipts?.length ?? 0} receipts`);
      for (const receipt of receipts ?? [])
        if (!(await isReceiptValid(readEnvelope(receipt, events), cluster.publicKeys)))
          broken("P2", "its receipt does not verify");
      if (times > 1) broken("P7", `happened ${times} times`);
      if (outcome === "succeeded" && times !== 1) broken("P7", "succeeded, and nothing happened");
      if (outcome !== "succeeded" && outcome !== "unknown" && times > 0)
        broken("P7", `${outcome}, and it happened`);
      if (outcome === "unknown" && !effects[effect].unknown)
        broken("P7", "unknown, although it can be found out");
    }
  }
  return { violations, counted };
}

async function isReceiptValid(envelope: Envelope, keys: readonly PublicKey[]): Promise<boolean> {
  const bundle = { mediaType: "application/vnd.paraph.receipt.v1+json", envelope, disclosures: {} };
  return verifyReceipt(bundle, keys).then(
    () => true,
    () => false,
  );
}
