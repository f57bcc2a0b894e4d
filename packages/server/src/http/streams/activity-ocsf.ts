import type { Effect } from "@paraph/core";
import type { Activity } from "../../services/activity.ts";

/** The version of the schema at https://schema.ocsf.io/1.8.0/classes/api_activity */
const version = "1.8.0";
const categoryUid = 6;
const apiActivityUid = 6003;
const otherActivityId = 99;

/**
 * The OCSF activity of an applied or undone call, by the effect of its capability. Any other entry gets the id of
 * `Other`, and the entry's kind as the name.
 */
const activities: Readonly<Record<Effect, readonly [id: number, name: string]>> = {
  read: [2, "Read"],
  write: [3, "Update"],
  destroy: [4, "Delete"],
};

/**
 * Returns an activity as an OCSF API Activity event. `effect` is the effect of the capability, if this server knows it.
 */
export function toOcsfEvent(entry: Activity, tenant: string, effect: Effect | undefined) {
  const { id, at, kind, call, plan, capability, principal, by, outcome, code } = entry;
  const acted = kind === "apply" || kind === "undo";
  const [activityId, activityName] = (acted && effect && activities[effect]) || [otherActivityId, kind];
  const status = toOcsfStatus(entry);
  const { step, undoes, onBehalfOf, to, as, approval, round, finding, declined, successor, receipt } = entry;
  return {
    category_uid: categoryUid,
    class_uid: apiActivityUid,
    class_name: "API Activity",
    activity_id: activityId,
    activity_name: activityName,
    type_uid: apiActivityUid * 100 + activityId,
    // An unknown outcome needs a person's attention, so its severity is higher.
    severity_id: outcome === "unknown" ? 3 : 1,
    time: at,
    ...(status && { status_id: status[0], status: status[1] }),
    ...(code !== undefined && { status_code: code }),
    actor: { user: { uid: by ?? principal } },
    api: {
      operation: capability,
      service: { name: "Paraph" },
      request: { uid: call },
      ...(outcome !== undefined && {
        response: { message: outcome, ...(outcome === "failed" && code !== undefined && { error: code }) },
      }),
    },
    // Paraph does not store the network origin of a request, so this field names the requester.
    src_endpoint: { uid: principal },
    ...(receipt !== undefined && { resources: [{ type: "receipt", uid: receipt }] }),
    metadata: {
      version,
      product: { name: "Paraph", vendor_name: "Paraph" },
      log_name: "activity",
      uid: id,
      event_code: kind,
      tenant_uid: tenant,
      correlation_uid: plan ?? call,
    },
    unmapped: {
      plan,
      step,
      undoes,
      on_behalf_of: onBehalfOf,
      to,
      as,
      approval,
      round,
      finding,
      declined,
      successor,
    },
  };
}

function toOcsfStatus({ outcome, finding }: Activity): readonly [id: number, name: string] | undefined {
  if (finding !== undefined) return [1, "Success"];
  if (outcome === undefined) return undefined;
  if (outcome === "succeeded") return [1, "Success"];
  return outcome === "unknown" ? [0, "Unknown"] : [2, "Failure"];
}
