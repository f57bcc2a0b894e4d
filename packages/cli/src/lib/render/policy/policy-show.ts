import { escapeInvisible } from "@paraph/core/escape-invisible";
import { isConfigurationUnused } from "../../api/policy-source.ts";
import type { PolicyView } from "../../api/policy-views.ts";
import type { Paint } from "../../terminal/output.ts";
import { formatTable } from "../../terminal/table.ts";
import { formatFields } from "../fields.ts";

type Policies = PolicyView["policies"];

export function formatPolicySet(view: PolicyView, paint: Paint): string {
  const { version, mode, preset, unattended, policies } = view;
  const observing = mode === "observe";
  const about = formatFields(
    [
      ["version", escapeInvisible(version)],
      ["source", formatSource(view, paint)],
      ["preset", escapeInvisible(preset)],
      ["mode", observing ? paint("yellow", "observe: rulings are recorded and not applied") : "enforce"],
      unattended.length > 0 ? ["unattended", unattended.map(escapeInvisible).join(", ")] : undefined,
    ],
    paint,
  );
  const files = [...Map.groupBy(policies, ({ file }) => file)];
  const count = (wanted: (policy: Policies[number]) => boolean) => (row: [string, Policies]) =>
    String(row[1].filter(wanted).length);
  const inForce = formatTable<[string, Policies]>(
    [
      { title: "FILE", text: ([file]) => file, flexible: true },
      { title: "POLICIES", text: count(() => true), right: true },
      { title: "PERMIT", text: count(({ effect }) => effect === "permit"), right: true },
      { title: "CHECK", text: count(({ demands }) => demands === "check"), right: true },
      { title: "ASK", text: count(({ demands }) => demands === "ask"), right: true },
      {
        title: "FORBID",
        text: count(({ effect, demands }) => effect === "forbid" && !demands),
        right: true,
      },
      { title: "SHADOW", text: count(({ shadow }) => shadow), right: true },
    ],
    [...files, ...(files.length > 1 ? [["all", policies] as [string, Policies]] : [])],
    paint,
  );
  return `${about}\n\n${inForce}`;
}

function formatSource(view: PolicyView, paint: Paint): string {
  if (view.source === "configuration") return "the configuration";
  return isConfigurationUnused(view)
    ? paint("yellow", "published; the configuration's policies differ and are not in force")
    : "published";
}
