import { type Capability, CapabilityError, type Change, type Preview } from "@paraph/core";
import { createTwoFilesPatch, FILE_HEADERS_ONLY } from "diff";
import { z } from "zod";
import type {
  Administration,
  BacktestSummary,
  LocatedSentence,
  PolicyText,
  PolicyTexts,
  PreparedSet,
  PublishCandidate,
} from "./administration.ts";
import { adminPrefix, createRefusal, defineAdminCapability } from "./define-admin-capability.ts";
import { formatParts, formatUtcDate, pluralize } from "./format.ts";
import { capabilityNameInput } from "./input-schemas.ts";

/**
 * Creates `admin.policy_publish`. Its preview is a backtest, which shows approvers how the set would have ruled on the
 * calls of the last 30 days.
 */
export function createPolicyPublishCapability({ policies }: Administration): Capability {
  const prepared = async (tenant: string, input: PublishInput): Promise<PreparedSet> => {
    const found = await policies.prepare(tenant, toCandidate(input));
    if (found.kind === "sound") return found;
    throw found.kind === "unknown"
      ? createRefusal(
          "version-unknown",
          "No policy set with this version has been in force here. Name a version that was in force before.",
        )
      : createRefusal("policy-invalid", found.faults.map(formatFinding).join("\n"));
  };
  return defineAdminCapability({
    verb: "policy_publish",
    version: 2,
    summary: "Publish a policy set",
    risk: "critical",
    timeout: "60s",
    input: publishInput,
    output: z.object({ version: z.string(), previous: z.string() }),
    locks: () => [`${adminPrefix}:policy`],
    preview: async (input, { tenant }) => {
      const candidate = await prepared(tenant, input);
      const inForce = await policies.findActive(tenant);
      if (candidate.version === inForce.version)
        throw createRefusal(
          "policy-unchanged",
          "This policy set is already in force, so there is nothing to publish.",
        );
      return buildPublishPreview(inForce, candidate, await policies.backtest(tenant, candidate));
    },
    headline: (_input, preview) => formatHeadline(preview),
    apply: async (input, { tenant, key, principal, basis }) => {
      const candidate = await prepared(tenant, input);
      const { inForce, candidate: approved } = basis as unknown as PublishBasis;
      // Stops if the candidate is no longer the approved one. For example, an upgrade of Paraph can reword a preset
      // between the approval and this attempt.
      if (candidate.version !== approved)
        throw new CapabilityError(
          "permanent",
          "candidate-changed",
          "The policy set differs from the approved one. Request the call again.",
        );
      await policies.publish(tenant, key, candidate, principal.id);
      return { version: candidate.version, previous: inForce };
    },
    undo: (_, { version, previous }) =>
      version === previous
        ? undefined
        : { capability: `${adminPrefix}.policy_publish`, input: { version: previous } },
  });
}

const publishInput = z
  .strictObject({
    sources: z
      .array(z.strictObject({ file: z.string().min(1).max(255), text: z.string().max(256 * 1024) }))
      .max(200)
      .default([])
      .describe("Cedar policies; each file replaces the one of the same name in force"),
    replace: z.boolean().default(false).describe("whether to use only these texts, without those in force"),
    preset: z
      .enum(["permissive", "balanced", "strict"])
      .optional()
      .describe("preset of the policy set (default: unchanged)"),
    unattended: z
      .array(capabilityNameInput)
      .max(1_000)
      .optional()
      .describe("capabilities that agents may use unattended (default: unchanged)"),
    checkLevels: z
      .record(z.string().min(1).max(50), z.array(capabilityNameInput).max(50))
      .optional()
      .describe("checks of each check level (default: unchanged)"),
    version: z
      .string()
      .regex(/^[0-9a-f]{64}$/)
      .optional()
      .describe("version of an earlier policy set to publish again, instead of all other fields"),
  })
  .refine((given) => given.version === undefined || isVersionOnly(given), {
    message: "with `version`, leave out all other fields",
  });

type PublishInput = z.output<typeof publishInput>;

interface PublishBasis {
  readonly inForce: string;
  readonly candidate: string;
}

function isVersionOnly(given: { sources: readonly unknown[]; replace: boolean }): boolean {
  const { sources, replace, ...rest } = given;
  const named = Object.entries(rest).filter(([, value]) => value !== undefined);
  return sources.length === 0 && !replace && named.length === 1;
}

function toCandidate({ version, ...rest }: PublishInput): PublishCandidate {
  return version === undefined ? rest : { version };
}

function buildPublishPreview(
  inForce: PolicyTexts,
  candidate: PreparedSet,
  backtested: BacktestSummary | undefined,
): Preview {
  const basis: PublishBasis = { inForce: inForce.version, candidate: candidate.version };
  const findings = candidate.findings.slice(0, maxFindings).map(formatFinding);
  return {
    changes: [
      {
        kind: "update",
        target: "policy",
        summary: `${describeBacktest(backtested)} ${describeFindings(candidate.findings)}`,
        details: {
          version: { before: inForce.version, after: candidate.version },
          ...(backtested && listBacktestDetails(backtested)),
          ...(findings.length > 0 && { findings }),
        },
      },
      ...listSettingChanges(inForce, candidate),
      ...listTextChanges(inForce.sources, candidate.sources),
    ],
    basis: { ...basis },
  };
}

const maxFindings = 50;
const maxNamed = 3;
const maxNameLength = 40;

/** Names the changed documents and settings. The first change of the preview describes the whole set. */
function formatHeadline(preview: Preview | undefined): string {
  const changed = [...new Set(preview?.changes.slice(1).map(({ target }) => target))];
  if (changed.length === 0) return "Change the policy set";
  const names = changed
    .slice(0, maxNamed)
    .map((name) => (name.length > maxNameLength ? `…${name.slice(1 - maxNameLength)}` : name));
  const rest = changed.length - names.length;
  return `Change policy: ${formatParts(rest > 0 ? [...names, `${rest} more`] : names)}`;
}

/** Lists the numbers of the backtest, so that they can be shown as rows and a table. */
function listBacktestDetails({ calls, changed, notEvaluated, byRuling }: BacktestSummary) {
  return {
    calls,
    changed,
    "not evaluated": notEvaluated,
    rulings: byRuling.map(({ was, wouldBe, calls, otherApprovers }) => ({
      now: was,
      "with this change": wouldBe,
      calls,
      "with other approvals": otherApprovers,
    })),
  };
}

function describeBacktest(backtested: BacktestSummary | undefined): string {
  if (!backtested)
    return "The backtest did not finish in time. Run `paraph policy backtest` before you decide.";
  const { since, calls, changed, byRuling, notEvaluated, cutShort } = backtested;
  const otherApprovers = byRuling.reduce((sum, row) => sum + row.otherApprovers, 0);
  const span = `since ${formatUtcDate(since)}`;
  if (calls === 0) return `There were no calls ${span} to backtest.`;
  const ways = byRuling
    .filter(({ was, wouldBe }) => was !== wouldBe)
    .map((move) => `${move.calls} from ${move.was} to ${move.wouldBe}`);
  if (otherApprovers > 0) ways.push(`${otherApprovers} with other approvals`);
  const same = calls - changed - notEvaluated;
  const parts = [
    `${changed} would be ruled differently${ways.length > 0 ? ` (${ways.join(", ")})` : ""}`,
    `${same} the same`,
    ...(notEvaluated > 0 ? [`${notEvaluated} could not be evaluated`] : []),
  ];
  const older = cutShort ? " Older calls are not included, because there are too many for a preview." : "";
  return `Of ${pluralize(calls, "call")} ${span}, ${formatParts(parts)}.${older}`;
}

/**
 * Puts serious findings into the summary, where approvers cannot overlook them. For example, a guard that no person can
 * satisfy locks all users out.
 */
function describeFindings(findings: PreparedSet["findings"]): string {
  if (findings.length === 0) return "No findings.";
  const grave = findings.filter((finding) => finding.grave).map(formatFinding);
  const warning = grave.length > 0 ? ` CAREFUL: ${grave.slice(0, 3).join("; ")}.` : "";
  return `${pluralize(findings.length, "finding")}, see the details.${warning}`;
}

/** Lists the changes outside the texts: the preset and the unattended capabilities. */
function listSettingChanges(before: PolicyTexts, after: PolicyTexts): Change[] {
  const added = after.unattended.filter((name) => !before.unattended.includes(name));
  const removed = before.unattended.filter((name) => !after.unattended.includes(name));
  const changes: Change[] = [];
  if (before.preset !== after.preset)
    changes.push({ kind: "update", target: "preset", summary: `${before.preset} → ${after.preset}` });
  if (added.length > 0)
    changes.push({
      kind: "update",
      target: "unattended",
      summary: `Agents may use ${formatParts(added)} unattended.`,
    });
  if (removed.length > 0)
    changes.push({
      kind: "update",
      target: "unattended",
      summary: `Agents may no longer use ${formatParts(removed)} unattended.`,
    });
  return changes;
}

function listTextChanges(before: readonly PolicyText[], after: readonly PolicyText[]): Change[] {
  const old = new Map(before.map(({ file, text }) => [file, text]));
  const now = new Map(after.map(({ file, text }) => [file, text]));
  const files = [...new Set([...old.keys(), ...now.keys()])].sort();
  return files
    .filter((file) => old.get(file) !== now.get(file))
    .map((file) => ({
      kind: old.has(file) ? (now.has(file) ? "update" : "delete") : "create",
      target: file,
      diff: createDiff(file, old.get(file), now.get(file)),
    }));
}

/**
 * Creates a diff. The diff is limited by a number of edits instead of a duration, so that the result does not depend on
 * load. The result must be reproducible, because an approval is valid only for this exact result.
 */
function createDiff(file: string, before: string | undefined, after: string | undefined): string {
  const from = before === undefined ? "/dev/null" : `a/${file}`;
  const to = after === undefined ? "/dev/null" : `b/${file}`;
  const patch = (old: string, now: string, max: { maxEditLength?: number } = {}) =>
    createTwoFilesPatch(from, to, old, now, undefined, undefined, {
      context: 3,
      headerOptions: FILE_HEADERS_ONLY,
      ...max,
    }) ?? "";
  const [old, now] = [before ?? "", after ?? ""];
  return patch(old, now, { maxEditLength: 1_000 }) || `${patch(old, "")}${patch("", now)}`;
}

function formatFinding({ file, line, sentence }: LocatedSentence): string {
  return `${file}${line === undefined ? "" : `:${line}`}: ${sentence}`;
}
