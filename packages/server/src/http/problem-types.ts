import type { ContentfulStatusCode } from "hono/utils/http-status";

/** The meaning of a problem code. Backticks in the texts enclose code. */
export interface ProblemType {
  readonly status: ContentfulStatusCode;
  readonly title: string;
  /** The action of the caller or the state of the server that leads to the problem. */
  readonly cause: string;
  /** The next step for the caller. */
  readonly remedy: string;
  /** The requests that can cause the problem although their operations do not list it. */
  readonly alsoFrom?: string;
}

const authenticated = "Every request with an API key, an access token or a session";
const anyRequest = "Every request";

/** The problem codes of the API. Each code has a page at `/docs/errors/<code>`. */
export const problemTypes = {
  "not-json": {
    status: 400,
    title: "The body is not acceptable JSON",
    cause:
      "The body is not JSON that Paraph accepts. It can't be parsed, is not UTF-8, has more than 64 levels, or contains a number that is too large, half of a surrogate pair or a reserved name such as `__proto__`.",
    remedy: "Send plain JSON in UTF-8. `detail` names the fault.",
  },
  "parameter-invalid": {
    status: 400,
    title: "A parameter or header is not valid",
    cause: "A query parameter or a header does not match its schema.",
    remedy:
      "Correct the parameter or header that `detail` names. `/docs` describes those of each operation. For the next page of a list, send the `next` of the page before.",
  },
  "not-authenticated": {
    status: 401,
    title: "Not authenticated",
    cause:
      "The request has no API key, access token or session, or the one that it has is not in force. A request that waits for a call also ends with this problem if its key is revoked or its person is frozen in the meantime.",
    remedy:
      "Send `Authorization: Bearer <api key>` with a key that is in force, or log in at `/login`. An administrator creates keys with `paraph keys create`. A new key is in force after its approval.",
  },
  "origin-not-allowed": {
    status: 403,
    title: "Request from another site",
    cause:
      "A browser sent the request from a page of another site. Or the request has a session cookie, or is a login, and has no `Origin` header.",
    remedy: "Send the request from a page of this server. A program sends an API key and no `Origin` header.",
    alsoFrom: "Every request that can change data",
  },
  "host-not-allowed": {
    status: 421,
    title: "Request to another name",
    cause:
      "The server listens on a loopback address, and the header `Host` has neither a loopback name nor that of `identity.url`.",
    remedy:
      "Use the address that the server prints at its start. If a proxy serves it under another name, set `identity.url` to its public address, and let the proxy pass on `Host`.",
    alsoFrom: "Every request",
  },
  "scope-missing": {
    status: 403,
    title: "The API key lacks a scope",
    cause:
      "The API key has scopes, and none of them allows this operation or this capability. For a plan, the scopes must cover the capability of each step.",
    remedy:
      "Use a key with one of the scopes that `scopes` lists. If that list is empty, use a key without scopes. An administrator creates keys with `paraph keys create`.",
  },
  "principal-frozen": {
    status: 403,
    title: "The person is frozen",
    cause:
      "An administrator froze the person who sent the request, or the person on whose behalf the agent acts.",
    remedy:
      "Ask an administrator to thaw the person. `paraph freezes` lists the freezes, and `paraph thaw` lifts one.",
    alsoFrom: authenticated,
  },
  "principal-disabled": {
    status: 403,
    title: "The principal is disabled",
    cause:
      "An administrator disabled the principal that sent the request, or the person on whose behalf the agent acts.",
    remedy: "Ask an administrator to enable it with `paraph principals enable`.",
    alsoFrom: authenticated,
  },
  "approver-not-allowed": {
    status: 403,
    title: "Not allowed to decide",
    cause:
      "The caller may not do this. Only people read and decide approvals, resolve unknown outcomes, comment and use delegations. A person can't approve their own request or edit, or an approval that they reassigned, and must belong to a group that the approval asks. Only the requester answers a question about a call.",
    remedy:
      "`detail` names the reason. Use the key of a person who may decide, or ask another approver to decide.",
  },
  "passkey-required": {
    status: 403,
    title: "Passkey required",
    cause: "Policy demands a passkey for this approval, and the vote has no passkey assertion.",
    remedy:
      'Open the approval in a browser, in the console or on its page, and choose "Approve with passkey". Denials need no passkey.',
  },
  "session-required": {
    status: 403,
    title: "Browser session required",
    cause:
      "A browser enrols a passkey for the session of the person who uses it, and the request has an API key or an access token.",
    remedy: "Log in at `/login`, and enrol the passkey on a page of this server, such as `/passkeys`.",
  },
  "passkey-invalid": {
    status: 403,
    title: "Passkey not accepted",
    alsoFrom: "The page of an approval",
    cause:
      "The passkey assertion does not prove this approval: it is for another digest, person, round or site, lacks user verification, or its key is not enrolled for the voter. Or the registration of a new passkey is for another session or site, or lacks user verification.",
    remedy: "Open the approval or the form again, and repeat it. `/passkeys` lists your enrolled passkeys.",
  },
  "role-missing": {
    status: 403,
    title: "A role is missing",
    cause:
      "The operation shows data about the whole tenant, and the caller is neither an administrator nor an auditor.",
    remedy:
      "Use the key of a member of `paraph:admins` or `paraph:auditors`, or ask an administrator to add you to one of these groups.",
  },
  "not-found": {
    status: 404,
    title: "Not found",
    cause:
      "The path does not exist on this server. Or it names a delegation, an adapter, an MCP server or an error code that does not exist or that you may not see.",
    remedy: "Check the path. `/docs` lists all operations, and `GET /v1/delegations` lists your delegations.",
    alsoFrom: "Every request for a path that does not exist",
  },
  "call-unknown": {
    status: 404,
    title: "No such call",
    cause:
      "No call has this id, or you may not see it. An agent sees only its own calls. Only the requester can claim a call and report on it. Only the requester, the requester's owner and the person for whom the requester acts can withdraw it.",
    remedy: "Check the id and the key. `GET /v1/calls` lists the calls that you may see.",
  },
  "session-unknown": {
    status: 404,
    title: "No such session",
    cause: "The session has no call that you may see. An agent sees only its own calls.",
    remedy: "Check the id and the key. A session begins with the first call that names it.",
  },
  "plan-unknown": {
    status: 404,
    title: "No such plan",
    cause: "No call with this id has steps, or you may not see it.",
    remedy:
      "Check the id and the key. `GET /v1/calls?capability=plan.apply` lists the plans that you may see.",
  },
  "approval-unknown": {
    status: 404,
    title: "No such approval",
    cause: "No approval has this id, or you may not see it.",
    remedy: "Check the id and the key. `GET /v1/approvals` lists open approvals.",
  },
  "capability-unknown": {
    status: 404,
    title: "No such capability",
    cause:
      "No adapter that is open to your tenant offers a capability of this name. For a plan, `detail` begins with the id of the step.",
    remedy:
      "Check the name. `GET /v1/capabilities` lists the available capabilities, and `paraph adapters` shows the state of each adapter.",
  },
  "receipt-pending": {
    status: 404,
    title: "No receipt yet",
    cause: "The call is still open. Paraph signs the receipt when the call is closed.",
    remedy: "Wait for the outcome with `GET /v1/calls/{call}` and `Prefer: wait=30`, then try again.",
  },
  "method-not-allowed": {
    status: 405,
    title: "Method not allowed",
    cause: "The path exists, but not for this method.",
    remedy: "Use a method that the `Allow` header lists.",
    alsoFrom: anyRequest,
  },
  "key-reused": {
    status: 409,
    title: "The idempotency key belongs to another request",
    cause:
      "The `Idempotency-Key` was used before, with another capability, another input or for another person. For a message, it was used with another text or kind.",
    remedy:
      "Choose a new key for a new request. To repeat a request, send exactly the same content with the same key.",
  },
  "approval-closed": {
    status: 409,
    title: "The approval is closed",
    cause:
      "The round is over. It was approved or denied, it expired, or it is void because the call was edited, withdrawn or asked about again. It is also void if the call's record in the database has no valid seal. Paraph recorded nothing.",
    remedy:
      "Read the call with `GET /v1/calls/{call}` to see its outcome or its new round. If the approval expired, the requester has to request the call again.",
  },
  "approval-changed": {
    status: 409,
    title: "The approval has changed",
    cause:
      "The digest in the request is not the digest of the open round, so you reviewed something else than what Paraph would perform. Or other approvers left out every step that you approve. Paraph recorded nothing.",
    remedy: "Open the approval again, review the new preview and send its digest.",
  },
  "intent-changed": {
    status: 409,
    title: "The intent does not belong to the plan",
    cause:
      "The `intent` in the request is not one that this deployment returned to you for this plan. The plan or the words were changed, or another requester got them.",
    remedy:
      "Send `plan` and `intent` as `POST /v1/intents` returned them. For a changed plan, leave out `intent`.",
  },
  "edit-refused": {
    status: 409,
    title: "The edit is refused",
    cause:
      "The edit adds a step or changes a capability, policy does not allow the result for the requester or for you, the preview of the result failed, or no other person could approve it. Only administrators can edit calls of administration. The request is unchanged and its approval stays open.",
    remedy:
      "`detail` names the reason. Change only arguments, or deny the request, or return it with instructions.",
  },
  "call-closed": {
    status: 409,
    title: "The call has ended",
    cause: "The call has ended, so it can no longer be withdrawn, claimed or reported on.",
    remedy:
      "Read the outcome with `GET /v1/calls/{call}`. To reverse the effect, undo the call with `POST /v1/calls/{call}/undo`.",
  },
  "call-acting": {
    status: 409,
    title: "The call is already being performed",
    cause:
      "The call can't be withdrawn, because an attempt runs or may have taken effect. Or it is a plan that was already withdrawn and whose running steps have not ended.",
    remedy:
      "Wait for the outcome with `GET /v1/calls/{call}` and `Prefer: wait=30`. Then undo the call with `POST /v1/calls/{call}/undo`.",
  },
  "not-offered": {
    status: 409,
    title: "The call is not offered",
    cause: "The agent claimed a call that Paraph does not offer now, for example because it waits for votes.",
    remedy: "Wait until the state of the call is `offered`, then claim it.",
  },
  "already-claimed": {
    status: 409,
    title: "The call is already claimed",
    cause: "The call was claimed with another claim token.",
    remedy:
      "Do not perform the call. The process that claimed it has to report the result. If that process is gone, the call ends at its deadline, and a person resolves the unknown outcome.",
  },
  "not-claimed": {
    status: 409,
    title: "The call was not claimed with this claim token",
    cause: "The report is for a call that was not claimed, or was claimed with another claim token.",
    remedy: "Claim the call first, perform it, then report the result with the same claim token.",
  },
  "report-late": {
    status: 409,
    title: "The deadline for the report has passed",
    cause:
      "The agent reported after the deadline of its claim. A write has ended with an unknown outcome by then, and a read has failed.",
    remedy:
      "Check in the external system whether the call took effect. Then a person records the finding with `paraph resolve`.",
  },
  "not-unknown": {
    status: 409,
    title: "The call has no unknown outcome",
    cause:
      "The call has another outcome, is still open, or was already resolved. A probe also needs a capability that can be probed under the same contract. A retry also needs the finding that the call did not happen.",
    remedy:
      "`detail` names the reason. Read the call with `GET /v1/calls/{call}`. `paraph calls --unknown` lists the calls that wait for a resolution.",
  },
  "not-retryable": {
    status: 409,
    title: "The call can't be retried",
    cause: "The call is a plan or another composite that has begun. Its successful steps would run again.",
    remedy:
      "Read the steps with `GET /v1/plans/{call}`. Retry the steps that did not happen, or request a plan that has only these.",
  },
  "no-undo": {
    status: 409,
    title: "The call can't be undone",
    cause:
      "The call is still open, its outcome is unknown, it had no effect, or its capability offers no undo. Or the call is a step of a plan that is still open, or its undo contains values that are hidden from you.",
    remedy:
      "`detail` names the reason. Withdraw an open call, resolve an unknown outcome first, or ask the requester to undo the call.",
  },
  "call-erased": {
    status: 409,
    title: "The payloads of the call were erased",
    cause:
      "An operator erased the payloads of the call, so its input and its undo are gone. Paraph can neither undo nor retry it.",
    remedy:
      "Read `erased` in `GET /v1/calls/{call}` for the time and the reason. Request a new call with the full input.",
  },
  "already-undone": {
    status: 409,
    title: "The call is already undone or being undone",
    cause:
      "Another call has undone this call or a part of it, is still undoing it, or tried to and has an unknown outcome.",
    remedy:
      "Read the call that `detail` names. If that call ends without an effect, another undo is possible.",
  },
  "body-too-large": {
    status: 413,
    title: "The body is too large",
    cause: "The body is larger than 1 MiB. Forms of the approval pages have a smaller limit.",
    remedy: "Send less data, or a reference to data that is stored elsewhere.",
  },
  "content-type-unsupported": {
    status: 415,
    title: "The body must be JSON",
    cause: "The body has no JSON content type, or it is compressed.",
    remedy: "Send `Content-Type: application/json`, without a content encoding.",
  },
  "body-invalid": {
    status: 422,
    title: "The body is not valid",
    cause:
      "The body is JSON, but it does not match the schema of the operation. Or its values contradict each other, such as a delegation that ends before it begins, or a bulk decision about several capabilities.",
    remedy: "Correct the fields that `detail` names. `/docs` describes the body of each operation.",
  },
  "key-reserved": {
    status: 422,
    title: "The idempotency key is reserved",
    cause:
      "The `Idempotency-Key` has the form `call_…/…`, `undo:call_…` or `retry:call_…`. Paraph uses these keys for steps, undos and retries.",
    remedy: "Choose a key that does not begin with `call_`, `undo:` or `retry:`.",
  },
  "input-invalid": {
    status: 422,
    title: "The input does not match the capability's schema",
    cause:
      "The input does not match the input schema of the capability, or Paraph can't compute its locks or cost from it. This code also reports an invalid plan, a missing reason, an invalid answer, and steps that a vote can't leave out.",
    remedy:
      "Correct the fields that `detail` names. `GET /v1/capabilities/{name}` shows the input schema of a capability.",
  },
  "policy-invalid": {
    status: 422,
    title: "The policy set is not valid",
    cause: "The policies that you sent for a backtest do not parse or do not match the schema.",
    remedy:
      "Correct the faults that `faults` lists with file and line. `paraph policy lint` reports the same faults on your machine.",
  },
  frozen: {
    status: 423,
    title: "Frozen",
    cause:
      "The requester, the capability, its adapter or the tenant is frozen. Paraph accepts no call for it. `detail` names the freeze.",
    remedy:
      "Ask an administrator to lift the freeze with `paraph thaw`, then repeat the request with the same `Idempotency-Key`. `paraph freezes` lists the freezes.",
  },
  "limit-reached": {
    status: 429,
    title: "A limit is reached",
    cause:
      "A limit from `limits` of the configuration is used up, or the principal exceeds a limit from `budgets`, such as requests per minute or open streams. People may also have denied many calls of the requester in the last hour. The requester can then request approval only once a minute.",
    remedy:
      "Wait for the time in `Retry-After`, if the response has it, then repeat the request with the same `Idempotency-Key`. An operator can raise the limit that `detail` names.",
    alsoFrom: authenticated,
  },
  "receipt-altered": {
    status: 500,
    title: "The receipt was altered",
    cause:
      "The receipt or the events of the call were changed in the database, so they no longer match the signature. Paraph itself never changes them.",
    remedy: "Tell the operator. `paraph replay --check` lists the changed rows.",
  },
  internal: {
    status: 500,
    title: "Internal error",
    cause: "The server failed in a way that Paraph does not know. The request was not the cause.",
    remedy:
      "Repeat the request. For a call, send the same `Idempotency-Key`. If the error persists, search the server's log for the id in `instance`, and report the error with its code.",
  },
  "capability-unavailable": {
    status: 503,
    title: "The capability is unavailable",
    cause:
      "The adapter of the capability is unavailable, for example because its external system does not answer. `detail` gives the reason.",
    remedy:
      "Repeat the request later with the same `Idempotency-Key`. Paraph opens the adapter again automatically, and `paraph adapters` shows its state.",
  },
  "database-unavailable": {
    status: 503,
    title: "The database is unavailable",
    cause:
      "PostgreSQL can't be reached, is too slow, is shutting down, is out of resources or rejects writes.",
    remedy:
      "Wait for the time in `Retry-After`, then repeat the request. For a call, send the same `Idempotency-Key`. If the problem persists, check PostgreSQL and its log.",
    alsoFrom: anyRequest,
  },
  "not-ready": {
    status: 503,
    title: "Not ready",
    cause: "A part that the server needs does not answer. `failing` lists these parts.",
    remedy: "Send no traffic to this process until `/readyz` returns 200. Check the parts in `failing`.",
  },
  "identity-unavailable": {
    status: 503,
    title: "The identity provider does not answer",
    cause:
      "The request has an access token, and Paraph can't reach the OpenID Connect issuer to verify it. The token may be valid.",
    remedy:
      "Repeat the request in a moment. If the problem persists, check that the server can reach the issuer. API keys still work.",
    alsoFrom: "Every request with an access token",
  },
  "policy-unsettled": {
    status: 503,
    title: "Policy is being changed",
    cause:
      "The policy set changed repeatedly while Paraph evaluated the call, or no policy set is in force yet. Nothing was done.",
    remedy: "Repeat the request in a moment with the same `Idempotency-Key`.",
  },
} as const satisfies Record<string, ProblemType>;

/** The stable code of a problem. */
export type ProblemCode = keyof typeof problemTypes;

/** The codes of all problems, in order of their status. */
export const problemCodes = Object.keys(problemTypes) as ProblemCode[];

/** Returns the definition of a problem code. */
export function getProblemType(code: ProblemCode): ProblemType {
  return problemTypes[code];
}

/** Returns whether a text is the code of a problem. */
export function isProblemCode(code: string): code is ProblemCode {
  return Object.hasOwn(problemTypes, code);
}

/** The path of the page that explains a problem. Every server serves it, and so does the website of Paraph. */
export function toProblemPath(code: ProblemCode): string {
  return `${errorsPath}/${code}`;
}

/** The path of the list of all problems. */
export const errorsPath = "/docs/errors";

/** Returns the URL that identifies a problem and documents it. */
export function toProblemUrl(code: ProblemCode): string {
  return `https://paraph.dev${toProblemPath(code)}`;
}
