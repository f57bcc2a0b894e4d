import { escapeInvisible } from "@paraph/core/escape-invisible";
import type { UnreachableReason } from "../../../lib/api/explain-unreachable.ts";
import type { ServerStatus } from "../server-status.ts";
import { type CheckDefinition, fail, ok } from "./production-check.ts";

/** The answer of the API to `/readyz`. */
export interface ApiFacts {
  readonly url: string;
  readonly status: ServerStatus | UnreachableReason;
}

export const apiChecks: readonly CheckDefinition<ApiFacts>[] = [
  {
    ...{ subject: "Calls", name: "API" },
    why: "Agents and approvers reach Paraph at this address. Restate, if you use it, is one of its parts.",
    judge: ({ url, status }) => {
      if ("reason" in status)
        return fail(
          `no answer from ${url}: ${status.reason}`,
          // The usual advice for a server that does not run is `paraph dev`.
          status.reason.includes("TLS")
            ? status.advice
            : "start Paraph, or pass an address that this host reaches with `--url`",
        );
      const failing = Object.entries(status.parts).flatMap(([part, works]) =>
        works ? [] : [escapeInvisible(part)],
      );
      return status.ready
        ? ok(`ready at ${url}`)
        : fail(
            `not ready at ${url}: ${failing.join(", ")} failing`,
            "read the server's log (docs/operate/runbooks.md)",
          );
    },
  },
];
