import { type Call, eventsOfKind, lastPreview, type Principal } from "@paraph/core";
import type { Hono } from "hono";
import type { Env, RouteDeps } from "../../http/context.ts";
import { raiseToHighestRisk } from "../../http/views/highest-risk.ts";
import { type Activity, formatActivityCursor, parseActivityCursor } from "../../services/activity.ts";
import type { DecidedItem } from "../page-data/list-types.ts";
import { loadSeenCall } from "../page-data/load-seen-call.ts";
import { createReasonFinder } from "../page-data/reasons.ts";
import { createPageRouter, sendPage } from "./page-router.ts";

const pageSize = 20;

/** Creates the route of the page that lists the reader's own decisions. */
export function createDecidedPageRoutes({ service, pages }: Pick<RouteDeps, "service" | "pages">): Hono<Env> {
  const app = createPageRouter({ service, pages });

  const isUndone = async (reader: Principal, call: Call) => {
    const undo = call.payloads.undo && (await service.actions.findUndo(call));
    const found = undo === undefined ? undefined : await service.findCall(reader, undo);
    return found?.outcome?.kind === "succeeded";
  };

  const itemOf = async (reader: Principal, entry: Activity): Promise<DecidedItem | undefined> => {
    const call = await service.findCall(reader, entry.call);
    const vote =
      call && eventsOfKind(call.events, "voted").find(({ seq }) => entry.id === `${call.call}.${seq}`);
    if (!vote) return undefined;
    const [{ contract, headline, mask, toPlan }, reasons, undone] = await Promise.all([
      loadSeenCall(reader, call, service),
      service.actions.listReasons(call),
      isUndone(reader, call),
    ]);
    const reason = createReasonFinder(call, reasons, mask)(vote.data);
    const { declined = [] } = vote.data;
    const leftOut = toPlan([])?.steps.filter(({ id }) => declined.includes(id)) ?? [];
    return {
      call: call.call,
      headline,
      capability: call.capability,
      asker: call.principal.id,
      at: vote.at,
      decision: vote.data.decision,
      as: vote.data.as,
      answered: vote.data.answerDigest !== undefined,
      state: call.state,
      undone,
      ...(contract && { risk: raiseToHighestRisk(contract, lastPreview(call)?.steps).risk }),
      ...(call.outcome && { outcome: call.outcome }),
      ...(call.resolution && { resolution: call.resolution }),
      ...(reason !== undefined && { reason }),
      ...(leftOut.length > 0 && { leftOut: leftOut.map(({ headline }) => headline) }),
    };
  };

  return app.get("/approvals/decided", async (c) => {
    const reader = c.get("principal");
    const before = parseActivityCursor(c.req.query("before") ?? "");
    const { activity, next } = await service.listActivity(reader, true, {
      principal: reader.id,
      kinds: ["approve", "deny", "return"],
      limit: pageSize,
      ...(before && { before }),
    });
    // The list also has the votes of other people on the reader's own requests.
    const own = activity.filter(({ by }) => by === reader.id);
    const items = await Promise.all(own.map((entry) => itemOf(reader, entry)));
    const page = {
      reader: reader.id,
      now: Date.now(),
      items: items.filter((item) => item !== undefined),
      ...(next && { next: formatActivityCursor(next) }),
    };
    return sendPage(c, pages.decided(page));
  });
}
