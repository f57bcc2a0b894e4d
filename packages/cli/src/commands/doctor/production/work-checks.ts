import { formatCount } from "../../../lib/terminal/format-count.ts";
import { formatDuration } from "../../../lib/terminal/format-time.ts";
import type { DatabaseFacts } from "./database-facts.ts";
import { type CheckDefinition, fail, ok, warn } from "./production-check.ts";

const subject = "Calls";
/** As the alerts `ParaphCallsOverdue`, `ParaphWebhooksFailing` and `ParaphNoticesWaiting` of `deploy/prometheus`. */
const maxDueMs = 120_000;
const maxWebhookMs = 900_000;
const maxNoticeMs = 600_000;

export const workChecks: readonly CheckDefinition<DatabaseFacts<"work">>[] = [
  {
    ...{ subject, name: "workers" },
    why: "Without a worker, accepted calls wait in the database.",
    judge: ({ workers }) =>
      workers > 0
        ? ok(formatCount(workers, "live worker"))
        : fail("no worker is alive", "start one with `paraph start`, or `systemctl start paraph`"),
  },
  {
    ...{ subject, name: "due" },
    why: "A worker continues a due call within seconds. An older one means too few workers, or one that hangs.",
    judge: ({ due: { count, oldestMs = 0 } }) =>
      oldestMs <= maxDueMs
        ? ok("no overdue calls")
        : warn(
            `${formatCount(count, "call")} due, the oldest for ${formatDuration(oldestMs)}`,
            "check the workers' log, or start further workers (docs/operate/runbooks.md)",
          ),
  },
  {
    ...{ subject, name: "stuck" },
    why: "A stuck call goes on only after `paraph retry`.",
    judge: ({ stuck }) =>
      stuck === 0
        ? ok("none stuck")
        : warn(
            `${formatCount(stuck, "call")} stuck`,
            "list them with `paraph calls --stuck`, then `paraph retry`",
          ),
  },
  {
    ...{ subject, name: "unknown" },
    why: "The effect of such a call may have happened or not. A person must find out.",
    judge: ({ unknown }) =>
      unknown === 0
        ? ok("no unknown outcomes")
        : warn(
            `${formatCount(unknown, "call")} with an unknown outcome`,
            "list them with `paraph calls --unknown`, then `paraph resolve`",
          ),
  },
  {
    ...{ subject, name: "webhooks" },
    why: "Paraph gives up a delivery after three days.",
    judge: ({ webhooks: { count, oldestMs = 0 } }) =>
      oldestMs <= maxWebhookMs
        ? ok("no failing webhooks")
        : warn(
            `webhooks: ${count} ${count === 1 ? "delivery fails" : "deliveries fail"}, the oldest for ${formatDuration(oldestMs)}`,
            "check the endpoint and its secret (docs/operate/runbooks.md)",
          ),
  },
  {
    ...{ subject, name: "notices" },
    why: "Approvers do not know of requests. Paraph gives up a notice after a day.",
    judge: ({ notices }) => {
      const late = notices.find(({ oldestMs = 0 }) => oldestMs > maxNoticeMs);
      return late === undefined
        ? ok("no late notices")
        : warn(
            `notices by ${late.channel}: ${formatCount(late.count, "notice")} late, the oldest for ${formatDuration(late.oldestMs ?? 0)}`,
            "check the server of the channel (docs/operate/runbooks.md)",
          );
    },
  },
];
