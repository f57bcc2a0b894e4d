import { visible } from "@paraph/core/visible";
import type { Paint } from "../output.ts";
import type { ExplanationView, RulingView, SaidView } from "../policy-views.ts";
import { moment } from "../times.ts";
import { fields } from "./fields.ts";
import { grouped, rulingStyle } from "./policy-ruling.ts";

/** Each ruling of a call in words: by what, what was lifted by whom, what is needed, and what policy knew. */
export function explanationText({ call, capability, rulings }: ExplanationView, paint: Paint): string {
  const head = `${paint("bold", visible(capability))}  ${visible(call)}`;
  return [head, ...rulings.map((ruling) => rulingText(ruling, paint))].join("\n\n");
}

const moments = {
  admission: "when it was new",
  again: "when it was looked at again",
  intent: "just before acting",
} as const;

function rulingText(ruling: RulingView, paint: Paint): string {
  const { policies, lifted, needed, observed, shadow, code } = ruling;
  const why = code === undefined ? "" : ` (${visible(code)})`;
  const head = `${paint(["bold", rulingStyle(ruling.ruling)], ruling.ruling)}${why}  ${moments[ruling.moment]}, ${moment(Date.parse(ruling.at))}`;
  const by = policies.map(({ id, sentence }) => said(id, sentence, paint)).join("\n");
  const entries = [
    ["by", by === "" ? "no policy" : by] as const,
    policies.every(({ sentence }) => sentence === undefined) && ruling.sentence !== undefined
      ? (["because", visible(ruling.sentence)] as const)
      : undefined,
    lifted.length > 0 ? (["lifted", lifted.map(liftedText).join("\n")] as const) : undefined,
    needed.length > 0
      ? (["needed", needed.map((need) => visible(need.sentence)).join("\n")] as const)
      : undefined,
    observed && (["observed", `only: it would have been ${would(observed, paint)}`] as const),
    shadow && (["in shadow", `it would have been ${would(shadow, paint)}`] as const),
    ruling.asked && (["policy knew", known(ruling.asked)] as const),
    [
      "policies",
      ruling.inForce ? "those in force now" : "an earlier set, which is not in force any more",
    ] as const,
  ];
  return `${head}\n${fields(entries, paint)}`;
}

function said(id: string, sentence: string | undefined, paint: Paint): string {
  return sentence === undefined ? visible(id) : `${visible(id)}\n${paint("dim", `  ${visible(sentence)}`)}`;
}

function liftedText({ policy, by, who }: RulingView["lifted"][number]): string {
  const names = who.map(visible).join(", ");
  switch (by) {
    case "people":
      return `${visible(policy)}, by ${names === "" ? "people" : names}`;
    case "grant":
      return `${visible(policy)}, by the grant ${names}`;
    default:
      return `${visible(policy)}, since ${names} passed`;
  }
}

function would({ kind, policies, code }: SaidView, paint: Paint): string {
  const why = code === undefined ? "" : ` (${visible(code)})`;
  const by = policies.length === 0 ? "" : ` by ${policies.map(visible).join(", ")}`;
  return `${paint(rulingStyle(kind), kind)}${why}${by}`;
}

function known({ principal, preview, env }: NonNullable<RulingView["asked"]>): string {
  const { id, kind, owner, onBehalfOf, groups = [] } = principal;
  const who = [
    `${visible(id)} (${visible(kind)}${owner === undefined ? "" : ` of ${visible(owner)}`})`,
    ...(onBehalfOf === undefined ? [] : [`for ${visible(onBehalfOf)}`]),
    groups.length === 0 ? "in no group" : `in ${groups.map(visible).join(", ")}`,
    preview ? "with the preview" : "without a preview",
  ].join(", ");
  if (!env) return who;
  const use = `${grouped(env.callsLastHour)} calls in an hour, ${grouped(env.callsLastDay)} in a day, ${grouped(env.spentToday)} spent today`;
  return `${who}\n${use}, at ${moment(env.at)}`;
}
