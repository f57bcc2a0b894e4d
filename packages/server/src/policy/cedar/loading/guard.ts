import {
  type Duration,
  type Guard,
  milliseconds,
  type ProofKind,
  proofKinds,
  type Urgency,
  urgencies,
} from "@paraph/core";
import { hasDischarge } from "../analysis/discharge.ts";
import { type CheckLevel, type CheckLevels, checkLevelNames } from "../check-levels.ts";
import { type Annotations, readAnnotations, readSentence } from "./annotations.ts";
import type { LoadFault } from "./load-fault.ts";
import type { ParsedPolicy } from "./policy-text.ts";

const askAnnotations = ["quorum", "urgency", "group", "proof", "deadline", "reply"];
const checkAnnotations = ["checks", "level", "on_fail"];
const guardOnlyAnnotations = ["ruling", ...askAnnotations, ...checkAnnotations];
const maxQuorum = 20;
const maxDeadlineMs = milliseconds("30d");

/** The checks that a check guard may demand. */
export interface KnownChecks {
  readonly levels: CheckLevels;
  /** The names of the capabilities that can serve as checks. */
  readonly names: ReadonlySet<string>;
}

type Require = (holds: boolean, problem: string) => unknown;

/**
 * Returns the guard that a policy defines, or undefined if it defines none. An incomplete guard is a fault, because it
 * would demand nothing, or would block calls for which its author wanted approval.
 */
export function parseGuard(policy: ParsedPolicy, known: KnownChecks, faults: LoadFault[]): Guard | undefined {
  const { file, line, id } = policy;
  const annotations = readAnnotations(policy);
  const problems: string[] = [];
  const need: Require = (holds, problem) => holds || problems.push(problem);

  const guard = "ruling" in annotations ? parseGuardAnnotations(policy, annotations, known, need) : undefined;
  if (!guard) requireNoGuard(policy, annotations, need);
  for (const problem of problems) {
    faults.push({ file, line, sentence: `\`${id}\` is not a valid guard: ${problem}` });
  }
  return problems.length > 0 ? undefined : guard;
}

/**
 * Reports annotations and conditions that only guards have. They show that the author intended a guard but left out
 * `@ruling`.
 */
function requireNoGuard(policy: ParsedPolicy, annotations: Annotations, need: Require): void {
  if ("ruling" in annotations) return;
  const stray = guardOnlyAnnotations.filter((name) => name in annotations).map((name) => `\`@${name}\``);
  need(stray.length === 0, `${stray.join(", ")} needs \`@ruling("ask")\` or \`@ruling("check")\``);
  const lifted = policy.json.effect === "forbid" && hasDischarge(policy);
  need(
    !lifted,
    'its condition lets evidence lift it, so it needs `@ruling("ask")`, `@quorum` and `@urgency`',
  );
}

function parseGuardAnnotations(
  policy: ParsedPolicy,
  annotations: Annotations,
  known: KnownChecks,
  need: Require,
): Guard | undefined {
  const { id } = policy;
  need(policy.json.effect === "forbid", "a guard must be a `forbid`, because a `permit` has nothing to lift");
  const lift = `unless { context.evidence.discharged.contains("${id}") }`;
  need(hasDischarge(policy), `no evidence can lift it; add \`${lift}\``);
  const allowed = ["id", "sentence", "shadow", "future", ...guardOnlyAnnotations];
  for (const name of Object.keys(annotations)) {
    need(allowed.includes(name), `\`@${name}\` is not an annotation of guards`);
  }
  const base = { id, sentence: readSentence(policy) ?? formatSentence(id) };
  switch (annotations.ruling) {
    case "ask":
      requireAbsent(annotations, checkAnnotations, '@ruling("check")', need);
      return { ...base, ruling: "ask", ...parseAskAnnotations(annotations, need) };
    case "check":
      return { ...base, ruling: "check", ...parseCheckAnnotations(annotations, known, need) };
    default:
      need(false, '`@ruling` must be `"ask"` or `"check"`');
      return undefined;
  }
}

type AskSettings = Pick<Guard, "quorum" | "urgency" | "group" | "proof" | "withinMs" | "reply">;

function parseAskAnnotations(annotations: Annotations, need: Require): AskSettings {
  const { quorum, urgency, group, proof, deadline, reply } = annotations;
  need(isQuorum(quorum), `\`@quorum("…")\` must be a whole number from 1 to ${maxQuorum}`);
  need(
    urgencies.some((one) => one === urgency),
    `\`@urgency("…")\` must be one of ${urgencies.join(", ")}`,
  );
  need(!("reply" in annotations) || reply === "approve", '`@reply("…")` must be `"approve"`');
  need(!("group" in annotations) || !!group?.trim(), '`@group("…")` is empty');
  need(
    !("proof" in annotations) || proofKinds.some((one) => one === proof),
    `\`@proof("…")\` must be ${proofKinds.map((one) => `\`"${one}"\``).join(" or ")}`,
  );
  const withinMs = "deadline" in annotations ? parseDeadline(deadline, need) : undefined;
  return {
    quorum: Number(quorum),
    urgency: urgency as Urgency,
    ...(group && { group }),
    ...(proof && { proof: proof as ProofKind }),
    ...(withinMs !== undefined && { withinMs }),
    ...(reply === "approve" && { reply }),
  };
}

type CheckSettings = AskSettings & Pick<Guard, "checks" | "onFail">;

function parseCheckAnnotations(annotations: Annotations, known: KnownChecks, need: Require): CheckSettings {
  const checks = parseChecks(annotations, known, need);
  const onFail = annotations.on_fail ?? "refuse";
  need(onFail === "refuse" || onFail === "ask", '`@on_fail("…")` must be `"refuse"` or `"ask"`');
  if (onFail === "ask") return { checks, onFail, ...parseAskAnnotations(annotations, need) };
  requireAbsent(annotations, askAnnotations, '@on_fail("ask")', need);
  // With `refuse`, Paraph asks no approver, so `quorum` and `urgency` have no effect. They are set only because the
  // type requires them.
  return { checks, onFail: "refuse", quorum: 1, urgency: "normal" };
}

function parseChecks(
  annotations: Annotations,
  { levels, names }: KnownChecks,
  need: Require,
): readonly string[] {
  const { level, checks } = annotations;
  need(
    "level" in annotations !== "checks" in annotations,
    'give either `@checks("check.secrets …")` or `@level("…")`',
  );
  const isLevel = checkLevelNames.some((one) => one === level);
  need(!("level" in annotations) || isLevel, `\`@level("…")\` must be one of ${checkLevelNames.join(", ")}`);
  const demanded = isLevel ? levels[level as CheckLevel] : (checks ?? "").split(/[\s,]+/).filter(Boolean);
  const isEmpty = demanded.length === 0 && (isLevel || "checks" in annotations);
  need(!isEmpty, "it names no check, so no call could pass");
  for (const name of demanded) {
    need(
      names.has(name),
      `\`${name}\` is not a check; a check is a read capability that accepts the input of checks`,
    );
  }
  return [...new Set(demanded)];
}

function requireAbsent(
  annotations: Annotations,
  names: readonly string[],
  wants: string,
  need: Require,
): void {
  const stray = names.filter((name) => name in annotations).map((name) => `\`@${name}\``);
  need(stray.length === 0, `${stray.join(", ")} needs \`${wants}\``);
}

function isQuorum(text: string | null | undefined): boolean {
  return /^[1-9]\d?$/.test(text ?? "") && Number(text) <= maxQuorum;
}

function parseDeadline(text: string | null | undefined, need: Require): number | undefined {
  const within = parseDuration(text ?? "");
  const holds = within !== undefined && within > 0 && within <= maxDeadlineMs;
  need(holds, '`@deadline("…")` must be a duration such as `2h`, at most 30d');
  return holds ? within : undefined;
}

function parseDuration(text: string): number | undefined {
  try {
    return milliseconds(text as Duration);
  } catch {
    return undefined;
  }
}

/** Turns an id such as `high-risk-needs-a-person` into a sentence. */
function formatSentence(id: string): string {
  const words = id.replaceAll(/[._:-]+/g, " ").trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}
