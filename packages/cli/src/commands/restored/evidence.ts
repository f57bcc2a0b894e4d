import { type CallStanding, findCallStandings } from "@paraph/server";
import type { Context } from "../../lib/context.ts";
import { type ExitCode, exitCode } from "../../lib/exit-code.ts";
import { pickOutcomeStyle } from "../../lib/render/outcome.ts";
import { formatTimestamp } from "../../lib/terminal/format-time.ts";
import { formatTable, type TableColumn } from "../../lib/terminal/table.ts";
import { loadTrustedKeys } from "../audit/trusted-keys.ts";
import { explainDatabase, requireOwnerUrl } from "../start/owner-database.ts";
import { type EvidenceCall, readEvidence } from "./read-evidence.ts";

export interface EvidenceOptions {
  readonly database?: string;
  readonly key?: string;
}

/** An effect that the restored database does not know, or whose call it keeps as open or unknown. */
interface MissingEffect extends Omit<EvidenceCall, "acted"> {
  readonly database: "missing" | "open" | "unknown";
  readonly key?: string;
}

/** Lists the effects that evidence shows and that the restored database does not know. Changes nothing. */
export async function listMissingEffects(
  context: Context,
  paths: readonly string[],
  options: EvidenceOptions,
): Promise<ExitCode> {
  const { output } = context;
  const ownerUrl = requireOwnerUrl(context, options.database);
  const { calls, rejectedReceipts, unknownEntries } = await readEvidence(
    paths,
    async () => (await loadTrustedKeys(options.key, context)).keys,
  );
  const acted = [...calls.values()].filter((one) => one.acted);
  const standings = await findCallStandings(
    ownerUrl,
    acted.map(({ call }) => call),
  ).catch(explainDatabase(ownerUrl));
  const missing = acted
    .flatMap((one) => toMissing(one, standings.get(one.call)))
    .sort((a, b) => a.at - b.at || (a.call < b.call ? -1 : 1));
  if (context.json)
    output.json({ effects: missing, callsInEvidence: calls.size, rejectedReceipts, unknownEntries });
  else {
    if (missing.length > 0) output.data(formatTable(columns, missing, output.paint));
    output.info(
      missing.length === 0
        ? `The database knows the outcome of all ${acted.length} calls that acted according to the evidence.`
        : `${missing.length} of ${acted.length} calls that acted according to the evidence are missing, open or unknown in the database.`,
    );
    if (rejectedReceipts > 0)
      output.info(`${rejectedReceipts} receipts do not verify with the trusted keys and do not count.`);
    if (unknownEntries > 0)
      output.info(`${unknownEntries} entries are neither activity, receipts nor webhook bodies.`);
  }
  return missing.length === 0 ? exitCode.ok : exitCode.failed;
}

function toMissing(
  { acted: _acted, ...found }: EvidenceCall,
  standing: CallStanding | undefined,
): MissingEffect[] {
  if (!standing) return [{ ...found, database: "missing" }];
  const { key, outcome } = standing;
  if (outcome !== undefined && outcome !== "unknown") return [];
  return [{ ...found, key, database: outcome === undefined ? "open" : "unknown" }];
}

const columns: readonly TableColumn<MissingEffect>[] = [
  { title: "WHEN", text: ({ at }) => formatTimestamp(at) },
  { title: "CALL", text: ({ call }) => call },
  { title: "CAPABILITY", text: ({ capability = "" }) => capability, flexible: true },
  {
    title: "OUTCOME",
    text: ({ outcome = "began" }) => outcome,
    style: ({ outcome }) => (outcome === undefined ? undefined : pickOutcomeStyle(outcome)),
  },
  {
    title: "EVIDENCE",
    text: ({ verified }) => (verified ? "receipt" : "unverified"),
    style: ({ verified }) => (verified ? "green" : undefined),
  },
  { title: "IN DATABASE", text: ({ database }) => database },
  { title: "KEY", text: ({ key = "" }) => key, flexible: true },
];
