import { STATUS_CODES } from "node:http";
import {
  type OutcomeCode,
  type OutcomeCodeType,
  type OutcomeKind,
  outcomeCodes,
  outcomeKinds,
} from "@paraph/core";
import { unknownCall } from "../../packages/server/src/http/problem.ts";
import {
  errorsPath,
  getProblemType,
  type ProblemCode,
  problemCodes,
  toProblemPath,
  toProblemUrl,
} from "../../packages/server/src/http/problem-types.ts";
import { formatCodeBlock, formatPage, formatTable, toCode, wrapParagraph } from "./markdown.ts";

/** Renders the page of all problem codes and all outcome codes. */
export function renderErrorsPage(): string {
  return formatPage(
    "Errors",
    wrapParagraph(
      "Every error of the HTTP API has a stable code with a cause and a remedy. So has every outcome of a call that Paraph itself decides. Find both here by code.",
    ),
    formatCodeBlock("json", JSON.stringify(createExample("call-unknown"), null, 2)),
    ...renderProblemFormat(),
    ...renderProblems(),
    ...renderOutcomes(),
  );
}

/** Returns a problem as the API returns it. */
function createExample(code: ProblemCode): object {
  const { title, status } = getProblemType(code);
  return {
    type: toProblemUrl(code),
    title,
    status,
    detail: unknownCall().message,
    instance: "req_7d0f2a52-0d38-4b0e-a3c6-6c2f2a0b9a11",
    code,
  };
}

function renderProblemFormat(): string[] {
  return [
    "## The format of an error",
    wrapParagraph(
      "An error has the content type `application/problem+json` (RFC 9457) and these fields. Compare `code` in your program. The texts can change.",
    ),
    formatTable(
      ["Field", "Meaning"],
      [
        ["`code`", "the stable code of the error"],
        ["`type`", "the address of the page about the code"],
        ["`title`", "a short description of the code"],
        ["`status`", "the HTTP status"],
        ["`detail`", "what is wrong with this request, and what to do next"],
        ["`instance`", "the id of the request, which is also in `X-Request-Id` and in the server's log"],
        ["`scopes`", "for `scope-missing`: the scopes of which the API key needs one"],
        ["`faults`", "for `policy-invalid`: the faults with file and line"],
        ["`failing`", "for `not-ready`: the parts that do not answer"],
        ["`resetAt`", "the earliest time for a retry, if Paraph knows it. `Retry-After` gives it in seconds"],
      ],
    ),
    wrapParagraph(
      `A running server also serves these texts without access to the internet: \`${errorsPath}\` lists all codes, and \`${toProblemPath("call-unknown")}\` explains one. Each page lists the operations that return the code. The [API](../connect/http.md) explains how to send requests.`,
    ),
  ];
}

function renderProblems(): string[] {
  const byStatus = Map.groupBy(problemCodes, (code) => getProblemType(code).status);
  return [...byStatus].flatMap(([status, codes]) => [
    `## ${status} ${STATUS_CODES[status]}`,
    ...codes.flatMap(renderProblem),
  ]);
}

function renderProblem(code: ProblemCode): string[] {
  const { title, status, cause, remedy } = getProblemType(code);
  return [
    `### ${toCode(code)}`,
    `${status}: ${title}.`,
    wrapParagraph(`**Cause:** ${cause}`),
    wrapParagraph(`**What to do:** ${remedy}`),
  ];
}

/** The pages that document the codes of adapters. */
const adapterPages = ["files", "git", "sql", "http", "openapi", "yaml", "terminal", "mcp", "serve"];

const outcomeTitles: Readonly<Record<OutcomeKind, string>> = {
  succeeded: "Succeeded",
  failed: "Failed",
  refused: "Refused",
  denied: "Denied",
  expired: "Expired",
  cancelled: "Cancelled",
  superseded: "Superseded",
  unknown: "Unknown",
};

function renderOutcomes(): string[] {
  return [
    "## Outcome codes",
    wrapParagraph(
      "A call that Paraph accepted ends with an outcome and a code, such as `refused` and `forbidden`. Both are in the call, in its `closed` event and in its receipt. `paraph show` prints them. A code can belong to more than one outcome. The table lists it under the most frequent one.",
    ),
    wrapParagraph(
      "Paraph returns a code of the first part of this page if it did not accept the request. Then there is no call and no receipt.",
    ),
    ...outcomeKinds.flatMap(renderOutcome),
    "### Codes of capabilities",
    wrapParagraph(
      `If a capability fails, the author of its code chooses the code of the outcome, \`failed\` or \`unknown\`. The pages of the adapters list their codes: ${adapterPages.map((page) => `[${page}](../adapters/${page}.md)`).join(", ")}. The same word can have another meaning there than under \`refused\` above. [Write an adapter](../guides/write-an-adapter.md) explains how to choose codes for your own capabilities.`,
    ),
    wrapParagraph("If an error of a client has no code from its author, Paraph forms one:"),
    formatTable(
      ["Code", "Meaning"],
      [
        ["`http-<status>`", "the HTTP status of the response, such as `http-404`"],
        ["`sqlstate-<class>`", "the class of the SQLSTATE, such as `sqlstate-23` for a violated constraint"],
        ["`grpc-<number>`", "the status of a gRPC call, such as `grpc-5`"],
        ["`econnrefused` and others", "the code of the Node.js error in lower case, with `-` instead of `_`"],
      ],
    ),
    "### Stuck calls",
    wrapParagraph(
      "A stuck call has no outcome yet. Paraph stopped after about half an hour of failures, or immediately because the next step is a person's decision. `paraph calls --stuck` lists stuck calls with a code, and `paraph retry` resumes one.",
    ),
    formatTable(
      ["Code", "Meaning"],
      [
        [
          "`unexpected-error`",
          "Paraph failed in a way that it does not know. The server's log has the cause",
        ],
        ["`crashed-repeatedly`", "ten processes died while they ran the steps of the composite"],
        ["`seal-invalid`", "the record of a composite whose steps have begun has no valid seal"],
      ],
    ),
  ];
}

function renderOutcome(kind: OutcomeKind): string[] {
  const own = (Object.entries(outcomeCodes) as [OutcomeCode, OutcomeCodeType][]).filter(
    ([, { outcomes }]) => outcomes[0] === kind,
  );
  if (own.length === 0) return [];
  const toRow = ([code, { outcomes, meaning, remedy }]: [OutcomeCode, OutcomeCodeType]) => {
    const others = outcomes.slice(1).map((other) => toCode(other));
    const also = others.length > 0 ? ` Also with ${others.join(", ")}.` : "";
    return [toCode(code), `${meaning}${also}`, remedy];
  };
  return [`### ${outcomeTitles[kind]}`, formatTable(["Code", "Meaning", "What to do"], own.map(toRow))];
}
