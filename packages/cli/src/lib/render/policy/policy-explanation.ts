import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { ExplanationView, HypotheticalRulingView, RulingView } from "../../api/policy-views.ts";
import { formatTimestamp } from "../../terminal/format-time.ts";
import type { Paint } from "../../terminal/output.ts";
import { formatFields } from "../fields.ts";
import { formatCallCount, formatNumber, pickRulingStyle } from "./policy-ruling.ts";

/** Formats each ruling of a call: its policies, its evidence, its requirements, and the attributes that policy saw. */
export function formatExplanation({ call, capability, rulings }: ExplanationView, paint: Paint): string {
  const head = `${paint("bold", escapeInvisible(capability))}  ${escapeInvisible(call)}`;
  return [head, ...rulings.map((ruling) => formatRuling(ruling, paint))].join("\n\n");
}

const moments = {
  admission: "at admission",
  revalidation: "at revalidation",
  intent: "before the attempt",
} as const;

function formatRuling(ruling: RulingView, paint: Paint): string {
  const { policies, satisfied, unmet, observed, shadow, asked } = ruling;
  const by = policies.map(({ id, sentence }) => formatPolicy(id, sentence, paint)).join("\n");
  const untold = policies.every(({ sentence }) => sentence === undefined);
  const entries: (readonly [string, string] | undefined)[] = [
    ["by", by === "" ? "no policy" : by],
    untold && ruling.sentence !== undefined ? ["because", escapeInvisible(ruling.sentence)] : undefined,
    satisfied.length > 0 ? ["satisfied", satisfied.map(formatSatisfied).join("\n")] : undefined,
    unmet.length > 0
      ? ["required", unmet.map((need) => escapeInvisible(need.sentence)).join("\n")]
      : undefined,
    observed && [
      "observed",
      `only recorded: the ruling would have been ${formatHypothetical(observed, paint)}`,
    ],
    shadow && ["in shadow", `the ruling would have been ${formatHypothetical(shadow, paint)}`],
    asked && ["facts", formatKnownFacts(asked)],
    ["policy set", ruling.inForce ? "in force" : "earlier, no longer in force"],
  ];
  return `${formatHeading(ruling, paint)}\n${formatFields(entries, paint)}`;
}

function formatHeading({ ruling, code, moment, at }: RulingView, paint: Paint): string {
  const why = code === undefined ? "" : ` (${escapeInvisible(code)})`;
  return `${paint(["bold", pickRulingStyle(ruling)], ruling)}${why}  ${moments[moment]}, ${formatTimestamp(Date.parse(at))}`;
}

function formatPolicy(id: string, sentence: string | undefined, paint: Paint): string {
  return sentence === undefined
    ? escapeInvisible(id)
    : `${escapeInvisible(id)}\n${paint("dim", `  ${escapeInvisible(sentence)}`)}`;
}

function formatSatisfied({ policy, by, who }: RulingView["satisfied"][number]): string {
  const names = who.map(escapeInvisible).join(", ");
  switch (by) {
    case "people":
      return `${escapeInvisible(policy)}, by ${names === "" ? "people" : names}`;
    case "grant":
      return `${escapeInvisible(policy)}, by the grant ${names}`;
    default:
      return `${escapeInvisible(policy)}, because ${names} passed`;
  }
}

function formatHypothetical({ kind, policies, code }: HypotheticalRulingView, paint: Paint): string {
  const why = code === undefined ? "" : ` (${escapeInvisible(code)})`;
  const by = policies.length === 0 ? "" : ` by ${policies.map(escapeInvisible).join(", ")}`;
  return `${paint(pickRulingStyle(kind), kind)}${why}${by}`;
}

function formatKnownFacts({ principal, preview, env }: NonNullable<RulingView["asked"]>): string {
  const { id, kind, owner, onBehalfOf, groups = [] } = principal;
  const who = [
    `${escapeInvisible(id)} (${escapeInvisible(kind)}${owner === undefined ? "" : ` of ${escapeInvisible(owner)}`})`,
    ...(onBehalfOf === undefined ? [] : [`for ${escapeInvisible(onBehalfOf)}`]),
    groups.length === 0 ? "in no group" : `in ${groups.map(escapeInvisible).join(", ")}`,
    preview ? "with the preview" : "without a preview",
  ].join(", ");
  if (!env) return who;
  const use = `${formatCallCount(env.callsLastHour)} in an hour, ${formatNumber(env.callsLastDay)} in a day, ${formatNumber(env.spentToday)} spent today, ${formatNumber(env.deniedLastHour)} denied in an hour`;
  return `${who}\n${use}, at ${formatTimestamp(env.at)}`;
}
